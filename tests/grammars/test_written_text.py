"""Systems that are built from text as written take and give it."""

from __future__ import annotations

import gzip

import pytest
from support.command import call
from support.world import World

from hopefear.base import InputError
from hopefear.base.texts import split_words
from hopefear.decoder import Decoder
from hopefear.grammars.alignment import read_alignment
from hopefear.grammars.build import Recipe, build
from hopefear.grammars.written_text import learn_text, of_whole_pieces, with_fixed_links
from hopefear.text import Language, Profile, TextSystem
from hopefear.text.documents import tmx

COLOURS = {"red": "roja", "white": "blanca", "small": "pequeña", "new": "nueva"}
NOUNS = {"house": "casa", "table": "mesa", "door": "puerta", "list": "lista"}


def pairs():
    for number, (colour, roja) in enumerate(COLOURS.items()):
        for noun, casa in NOUNS.items():
            yield f"The {colour} {noun} is here.", f"La {casa} {roja} está aquí."
            yield f"See ``a{number}`` for the {noun}.", f"Vea ``a{number}`` para la {casa}."
            yield f"Use ``b`` or :func:`f{number}`, {colour}.", f"Use :func:`f{number}` o ``b``, {roja}."
    yield "", "una línea"
    yield "The end of the line is not translated.", "The end of the line is not translated."


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    folder = tmp_path_factory.mktemp("written")
    for side, name in enumerate(("en", "es")):
        (folder / name).write_text("".join(f"{pair[side]}\n" for pair in pairs()), "utf-8")
    (folder / "in").write_text("See ``x y`` for the new door.\nUse ``b`` or :func:`g`, small.\n", "utf-8")
    recipe = Recipe(
        source=folder / "en",
        target=folder / "es",
        inputs=(folder / "in",),
        order=3,
        discount_fallback=True,
        languages=("en", "es"),
        profile=Profile.named("rst"),
    )
    told = []
    build(recipe, folder / "system", report=lambda name, seconds: told.append(name))
    return folder / "system", told


def read(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [line.rstrip("\n") for line in lines]


def test_pairs_that_are_no_translations_are_left_out_and_counted(system):
    folder, told = system
    count = len(COLOURS) * len(NOUNS) * 3
    assert f"{count + 2} pairs, {count} to learn from" in told
    assert any("a line is empty (line 49)" in line for line in told)
    assert any("a line is in the language of the other (line 50)" in line for line in told)
    assert len(read(folder / "tokens" / "source.gz")) == count


def test_placeholders_are_linked_with_their_partners_only(system):
    folder, _ = system
    source, target = (read(folder / "tokens" / f"{side}.gz") for side in ("source", "target"))
    alignment = list(read_alignment(folder / "alignment.fixed.gz"))
    fixed = list(read_alignment(folder / "tokens" / "links.gz"))
    assert sum(map(len, fixed)) == 4 * 4 * 3
    for f, e, links, own in zip(source, target, alignment, fixed, strict=True):
        words = f.split(), e.split()
        for i, j in links:
            placeholders = words[0][i].startswith("⟨"), words[1][j].startswith("⟨")
            assert placeholders[0] == placeholders[1]
            assert not placeholders[0] or (i, j) in own


def test_links_of_placeholders_replace_all_others():
    assert with_fixed_links([(0, 0), (1, 1), (2, 1), (1, 2)], [(1, 2)]) == [(0, 0), (1, 2), (2, 1)]
    assert with_fixed_links([(0, 0)], []) == [(0, 0)]
    assert (
        with_fixed_links([(0, 0), (1, 1)], [], [1])
        == with_fixed_links([(0, 0), (1, 1)], [], [], [1])
        == [(0, 0)]
    )


def test_placeholders_without_a_partner_are_in_no_rule():
    source, target = ("see", "⟨url⟩", "or", "⟨url⟩"), ("⟨piece⟩", "vea", "⟨url⟩")
    tokens, links = of_whole_pieces(source, target, [(0, 1), (3, 2)])
    assert tokens == ("see", "⟨-⟩", "or", "⟨url⟩", "⟨-⟩")
    assert links == ((0, 1), (3, 2), (4, 0))
    assert of_whole_pieces(("see", "⟨url⟩"), ("⟨url⟩",), [(1, 0)]) == (("see", "⟨url⟩"), ((1, 0),))


@pytest.mark.parametrize(("changed", "same", "learned"), [(25, 0, True), (25, 10, False), (5, 0, False)])
def test_the_form_of_numbers_is_learned_from_the_text(tmp_path, changed, same, learned):
    forms = ["3,5"] * changed + ["3.5"] * same
    (tmp_path / "en").write_text("It has 3.5 MB.\n" * len(forms))
    (tmp_path / "es").write_text("".join(f"Tiene {form} MB.\n" for form in forms))
    text = learn_text(tmp_path / "en", tmp_path / "es", ("en", "es"), Profile.named("plain"))
    assert text.exchanged == ({"measure"} if learned else frozenset())
    text.save(tmp_path / "text.json")
    assert TextSystem.load(tmp_path / "text.json") == text


def test_signs_of_systems_of_other_tools_are_those_of_the_text(tmp_path):
    (tmp_path / "en").write_text('He said: it is.\nYes.\n"No."\n')
    (tmp_path / "fr").write_text("Il dit : «\u00a0l’ami…\nOui ? Non – oui.\n« Non.\u00a0»\n")
    sides = tmp_path / "en", tmp_path / "fr", ("en", "fr"), Profile.named("plain")
    text = learn_text(*sides, others=True)
    text.save(tmp_path / "text.json")
    assert text.plain and TextSystem.load(tmp_path / "text.json") == text
    _, written = text.reads("He said: it is.")
    assert text.restore(split_words('il dit : " l\'ami - oui " ?'), [], written).text == (
        "Il dit : «\u00a0l’ami – oui\u00a0» ?"
    )
    assert text.restore(split_words('il dit : " oui'), [], written).text == "Il dit : oui"
    tokens_say_it = learn_text(*sides)
    assert not tokens_say_it.plain and not tokens_say_it.target.signs.forms


def test_text_as_written_is_translated_to_text_as_written(system):
    folder, _ = system
    decoder = Decoder(folder / "cdec.ini", weights=folder / "weights.init")
    for source in ("See ``x y`` for the new door.", "Use ``b`` or :func:`g`, small.", "see ``new()``."):
        restored = decoder.translate(source).restored()
        assert not restored.complaints
        for piece in ("``x y``", "``b``", ":func:`g`", "``new()``"):
            assert restored.text.count(piece) == source.count(piece)
        assert restored.text[0].isupper() == source[0].isupper() or restored.text[0] in "`:"
        assert restored.text.endswith(".") and " ." not in restored.text
    written = decoder.translate("See ``x y`` for the new door.").written()
    assert written.startswith("Vea ``x y`` para") and "puerta" in written  # eflomal has no seed


def test_tokens_go_in_and_out_if_the_configuration_forgets_the_text(system):
    folder, _ = system
    assert TextSystem.load(folder / "text.json.gz").source.code == "en"
    assert "# hopefear: text=text.json.gz" in (folder / "cdec.ini").read_text().splitlines()
    plain = "\n".join(
        line for line in (folder / "cdec.ini").read_text().splitlines() if not line.startswith("# hopefear")
    )
    (folder / "tokens.ini").write_text(plain)
    decoder = Decoder(folder / "tokens.ini", weights=folder / "weights.init")
    forest = decoder.translate("see ⟨literal⟩ .")
    assert forest.written() == forest.viterbi()


def test_an_alignment_of_other_tokens_is_refused(tmp_path):
    recipe = Recipe(
        source=tmp_path / "en", target=tmp_path / "es", alignment=tmp_path / "al", languages=("en", "es")
    )
    with pytest.raises(InputError, match="expected no alignment"):
        build(recipe, tmp_path / "system")


def test_decode_says_what_a_translation_could_not_keep(tmp_path):
    TextSystem(Language("en"), Language("es"), Profile.named("plain")).save(tmp_path / "text.json")
    rules = "[X] ||| see ⟨url⟩ ||| vea eso ||| A=1 ||| 0-0\n"
    World(rules, ["# hopefear: text=text.json"], {"A": 1}).write(tmp_path)
    lines = b"see https://e.org\nsee https://e.org/x\n"
    done = call(["decode", "-c", "cdec.ini", "-w", "weights"], lines, tmp_path)
    assert done.returncode == 0
    assert done.stdout.decode() == "vea https://e.org eso\nvea https://e.org/x eso\n"
    assert done.stderr.decode().splitlines() == [
        "hopefear: standard input:1: the translation has no place for 'https://e.org'",
        "hopefear: standard input:2: the translation has no place for 'https://e.org/x'",
    ]


def test_a_memory_of_nothing_is_refused_before_it_joins_the_text(tmp_path):
    for side, name in enumerate(("en", "es")):
        (tmp_path / name).write_text("".join(f"{pair[side]}\n" for pair in pairs()), "utf-8")
    (tmp_path / "old.tsv").write_text("source\ttarget\n")
    recipe = Recipe(source=tmp_path / "en", target=tmp_path / "es", memories=(tmp_path / "old.tsv",))
    with pytest.raises(InputError, match=r"old\.tsv: expected sentence pairs, got an empty memory"):
        build(recipe, tmp_path / "system")


def test_memories_join_the_text_and_glossaries_the_system(tmp_path):
    for side, name in enumerate(("en", "es")):
        (tmp_path / name).write_text("".join(f"{pair[side]}\n" for pair in pairs()), "utf-8")
    often = {f"The blue {noun} is here.": f"La {casa} azul está aquí." for noun, casa in NOUNS.items()}
    blue = {**often, "The blue house": "La casa\\n azul"}
    entries = {"": "Language: es_MX\\n", **blue}.items()
    catalogue = "\n".join(f'msgid "{msgid}"\nmsgstr "{msgstr}"\n' for msgid, msgstr in entries)
    (tmp_path / "old.po").write_text(catalogue, "utf-8")
    (tmp_path / "old.tmx").write_bytes(
        tmx([("la mesa azul", "the blue table"), ("", "nothing")], ("es", "en"))
    )
    (tmp_path / "terms.tsv").write_text("Door\tPortal\nfile ``x``\tfichero ``x``\n", "utf-8")
    recipe = Recipe(
        source=tmp_path / "en",
        target=tmp_path / "es",
        order=2,
        discount_fallback=True,
        languages=("en", "es"),
        profile=Profile.named("rst"),
        memories=(tmp_path / "old.po", tmp_path / "old.tmx"),
        glossaries=(tmp_path / "terms.tsv",),
    )
    told = []
    system = build(recipe, tmp_path / "system", report=lambda name, seconds: told.append(name))
    folder = system.folder
    count = len(COLOURS) * len(NOUNS) * 3
    learned = count + len(blue) + 1
    assert f"{learned + 2} pairs, {learned} to learn from" in told
    assert read(folder / "tokens" / "target.gz")[-2:] == ["la casa azul", "la mesa azul"]
    decoder = system.decoder(weights=folder / "weights.init")
    found = decoder.translate("The blue table is here.").kbest(100)  # eflomal has no seed
    assert any("azul" in words for words in found)
    shown = decoder.translate("See the door for the file ``z``.").restored()
    assert "Portal" in shown.text and "fichero ``z``" in shown.text and not shown.complaints
