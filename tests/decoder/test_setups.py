"""Set-ups as users have them: several grammars, extra glue, penalties, <seg> lines, threads, and memory."""

from __future__ import annotations

import gzip
import math
import random
import resource
import sys
from pathlib import Path

import pytest
from support import world
from support.world import World

from hopefear.base import InputError
from hopefear.decoder import Decoder, Segment, parse_config

PENALTY = 1 / math.log(10)


def test_several_grammars_and_extra_glue(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("[X] ||| a ||| x ||| p=1\n[Y] ||| c ||| z ||| p=3\n")
    with gzip.open(tmp_path / "two.gz", "wt") as out:
        out.write("[X] ||| b ||| y ||| 0.5 q=2\n")
    (tmp_path / "glue").write_text("[S] ||| [S,1] [Y,2] ||| [1] [2] ||| Glue2=1\n")
    ini = "formalism = scfg\ngrammar = one\ngrammar = two.gz\nscfg_extra_glue_grammar = glue\n"
    (tmp_path / "cdec.ini").write_text(ini)
    forest = Decoder(tmp_path / "cdec.ini").translate("a b c")
    assert forest.viterbi() == "x y z"
    assert forest.viterbi_features() == {"Glue": 1, "Glue2": 1, "PhraseModel_0": 0.5, "p": 4, "q": 2}
    assert forest.trees(forest.best())[1] == "(S (S (S (X x)) (X y)) (Y z))"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("grammar = gramar.gz", "gramar.gz: cannot be opened: No such file or directory"),
        ("scfg_extra_glue_grammar=glue", "glue: cannot be opened: No such file or directory"),
        ("weights =  waits", "waits: cannot be opened: No such file or directory"),
        ("weights2=waits", "waits: cannot be opened: No such file or directory"),
        ("feature_function = KLanguageModel lm.klm", "lm.klm: no such file"),
        ("feature_function2=KLanguageModel -m map lm", "lm: no such file"),
        ("feature_function=KLanguageModel -m map cdec.ini", "map: no such file"),
        ("feature_function=SoftSyntax trees=parsed", "parsed: cannot be read: No such file or directory"),
        ("grammar=.", "cannot be read: Is a directory"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_the_line_that_names_it(
    line: str, message: str, tmp_path: Path
) -> None:
    ini = tmp_path / "cdec.ini"
    ini.write_text(f"formalism=scfg\n\n{line}\n")
    with pytest.raises(InputError) as caught:
        Decoder(ini)
    assert str(caught.value).startswith(f"{ini}:3: {tmp_path}")
    assert str(caught.value).endswith(message)
    assert caught.value.line == 3


def test_a_file_that_is_wrong_in_a_line_is_named_by_it(tmp_path: Path) -> None:
    World("[X] ||| a\n").write(tmp_path)
    with pytest.raises(InputError, match=f"^{tmp_path / 'grammar'}:1: expected"):
        Decoder(tmp_path / "cdec.ini")
    with pytest.raises(InputError, match=r"^nowhere: cannot be opened"):
        Decoder(formalism="scfg", grammar="nowhere")


def test_a_name_of_a_file_may_have_an_equals_sign(tmp_path: Path) -> None:
    (tmp_path / "rate=0.1").mkdir()
    (tmp_path / "rate=0.1" / "cdec.ini").write_text("formalism=scfg\ngoal=TOP\n")
    assert Decoder(str(tmp_path / "rate=0.1" / "cdec.ini")).config.goal == "TOP"
    assert Decoder("formalism=scfg").config.goal == "S"
    with pytest.raises(InputError, match="unknown option"):
        Decoder(str(tmp_path / "rate=0.2" / "cdec.ini"))


def test_glue_has_no_span_limit_and_other_rules_do(tmp_path: Path) -> None:
    decoder = Decoder(formalism="scfg", scfg_max_span_limit=2, add_pass_through_rules=True)
    decoder.weights["PassThrough"] = -5
    grammar = "[X] ||| a a a ||| three |||\n[X] ||| a a ||| two |||\n"
    words = decoder.translate("a " * 5, grammar).viterbi().split()
    assert sorted(words) == ["a", "two", "two"]


def test_penalties() -> None:
    decoder = Decoder(
        formalism="scfg",
        feature_function=["WordPenalty", "SourceWordPenalty", "ArityPenalty"],
        scfg_no_hiero_glue_grammar=True,
        goal="T",
    )
    grammar = "[T] ||| a [X,1] c [X,2] ||| [2] y [1] |||\n[X] ||| b ||| x1 x2 |||\n[X] ||| d e ||| z |||\n"
    forest = decoder.translate("a b c d e", grammar)
    assert forest.viterbi() == "z y x1 x2"
    assert forest.viterbi_features() == pytest.approx(  # the step to the goal itself counts nowhere
        {"WordPenalty": -4 * PENALTY, "SourceWordPenalty": -5 * PENALTY, "Arity_0": 2, "Arity_2": 1}
    )


def test_segment_lines(tmp_path: Path) -> None:
    (tmp_path / "g1").write_text("[X] ||| a ||| one |||\n")
    with gzip.open(tmp_path / "g2.gz", "wt") as out:
        out.write("[X] ||| b ||| two |||\n")
    decoder = Decoder(formalism="scfg")
    grammars = f'grammar="{tmp_path / "g1"}" grammar1="{tmp_path / "g2.gz"}"'
    line = f'<seg id="12" {grammars} x="&lt;&amp;">a b</seg> ||| r s'
    segment = Segment.from_input(line)
    assert (segment.id, segment.tokens, segment.references) == (12, ("a", "b"), ("r s",))
    assert segment.attributes["x"] == "<&"
    assert decoder.translate(segment).viterbi() == "one two"
    lattice = f'<seg id="1" grammar="{tmp_path / "g1"}">((("a",1,1),("c",2,1),),)</seg>'
    assert decoder.translate(lattice).viterbi_features() == {"LatticeCost_0": 1}
    with pytest.raises(InputError, match="g3"):
        decoder.translate(f'<seg grammar="{tmp_path / "g3"}">a</seg>')
    with pytest.raises(InputError, match="no derivation"):
        decoder.translate("a")


def random_sentences(count: int, seed: int) -> list[str]:
    chosen = random.Random(seed)

    def word() -> str:
        return chosen.choice(["la", "casa", "de", "roja", f"new{chosen.random()}"])

    return [" ".join(word() for _ in range(chosen.randint(3, 12))) for _ in range(count)]


WORLD = World(
    lines=[
        "add_pass_through_rules=true",
        "add_extra_pass_through_features=6",
        "feature_function=WordPenalty",
        "feature_function=KLanguageModel lm.arpa",
    ],
    weights={"p": -1.0, "LanguageModel": 1.0, "PassThrough": -1.0, "Glue": -0.5, "WordPenalty": 0.5},
    files={"lm.arpa": world.ARPA},
)


def test_threads_give_the_same_in_the_same_order(decoder: Decoder) -> None:
    sentences = random_sentences(120, 1)
    serial = [(f.viterbi(), f.viterbi_score()) for f in map(decoder.translate, sentences)]
    for threads in (1, 2, 3):
        found = [(f.viterbi(), f.viterbi_score()) for f in decoder.translate_all(sentences, threads=threads)]
        assert found == serial
    with pytest.raises(ValueError, match="thread"):
        list(decoder.translate_all(["a"], threads=0))


def test_an_error_comes_when_it_is_its_turn(decoder: Decoder) -> None:
    results = decoder.translate_all(["la", '<seg grammar="no such file">la</seg>', "casa"], threads=2)
    assert next(results).viterbi() == "the"
    with pytest.raises(InputError, match="no such file"):
        next(results)


def test_no_memory_grows_with_the_sentences(decoder: Decoder) -> None:
    def peak() -> float:
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return used / (2**20 if sys.platform == "darwin" else 2**10)

    def run(seed: int) -> list[str]:
        return [forest.viterbi() for forest in decoder.translate_all(random_sentences(200, seed))]

    first = run(1)
    features, before = len(decoder.weights), peak()
    for seed in range(2, 12):
        run(seed)
    assert run(1) == first
    assert len(decoder.weights) == features
    assert peak() - before < 8  # MB; the novel words alone would be more if anything of a sentence stayed


def test_forced_decoding(decoder: Decoder) -> None:
    free = decoder.translate("la casa roja")
    for text in list(free.unique_kbest(5)):
        forced = decoder.translate("la casa roja", reference=text)
        assert set(forced.kbest(100)) == {text}
        best = max(free.score(d) for d in free.derivations(10_000) if free.text(d) == text)
        assert forced.viterbi_score() == pytest.approx(best, abs=1e-5)
    with pytest.raises(InputError, match="reference"):
        decoder.translate("la casa roja", reference="q")


# What decoder/decoder.cc of cdec declares and hopefear does not do.
CDECS = """
aligner aligner_use_viterbi cll_gradient cmph_perfect_feature_hash coarse_to_fine_beam_prune combine_size
compgen csplit_output_plf csplit_preserve_full_word ctf_beam_widen ctf_no_exhaustive ctf_num_widenings
feature_expectations freeze_feature_set get_oracle_forest graphviz incremental_search lextrans_align_only
lextrans_dynasearch lextrans_use_null list_feature_functions max_translation_beam max_translation_sample
mr_mira_compat pb_max_distortion per_sentence_grammar_file remove_intersected_rule_annotations
scale_prune_srclen show_cfg_alignment_space show_cfg_search_space
show_derivations_mask show_joshua_visualization
show_target_graph show_tree_structure summary_feature summary_feature2 summary_feature3
summary_feature_type tagger_tagset usage vector_format"""

PRINTING = """
quiet show_conditional_prob show_config show_expected_length show_feature_dictionary show_partition
show_weights warn_0_weight"""


def test_cdecs_other_options_are_refused_by_name() -> None:
    for option in CDECS.split():
        message = f"cdec.ini:2: option {option} is an option of cdec that hopefear does not support"
        with pytest.raises(InputError, match=message):
            parse_config(f"formalism=scfg\n{option}=1\n", path="cdec.ini")
    for option in PRINTING.split():
        with pytest.warns(UserWarning, match=f"cdec.ini: {option} changes no translation, and is left out"):
            parse_config(f"formalism=scfg\n{option}=1\n", path="cdec.ini")
    with pytest.raises(InputError, match="unknown option 'alligner'"):
        parse_config("formalism=scfg\nalligner=1\n")
