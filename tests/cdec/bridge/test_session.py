"""The Python side of the bridge into cdec, shown what cdec would show it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import bridge_features
from support.families import line_of, write_needed
from support.world import World

from hopefear.base import InputError
from hopefear.cdec import LiveWeights
from hopefear.cdec.bridge.ahead import Parsed
from hopefear.cdec.bridge.batches import KnownRule
from hopefear.cdec.bridge.session import Session, describe
from hopefear.cdec.live_weights import LiveWeightsReader, NameFile
from hopefear.decoder import Decoder, FeatureSelection, Hypergraph, RuleText, Segment, Weights
from hopefear.decoder.checking.material import GRAMMAR, SEGMENTS
from hopefear.feature_extractors import CDEC_NAMES
from hopefear.plugins import PluginError, create, find, known

SENTENCES = [
    replace(segment, index=i, id=i) for i, segment in enumerate(SEGMENTS) if segment.tokens is not None
]
UNALIGNED = "[X] ||| casa ||| the house ||| p=1 CountEF=0.602 ||| 0-1\n"
LINES = [line_of(name) for name in known() if find(name).level in ("rule", "edge")]
TOGETHER = [line for line in LINES if line.partition(" ")[0] not in {*CDEC_NAMES, "LexicalSpanSize"}]
"""Plugins with features of their own."""
STATEFUL = [line_of(name) for name in known() if find(name).level in ("n-gram", "state")]
STATEFUL += ["NgramFeatures -o 2 -S | -n my:", "NgramFeatures -o 4 -x", "NgramFeatures -o 1"]
STATEFUL += ["bridge_features:Pairs", "bridge_features:Unigrams", "bridge_features:Depth"]


def plugins_file(folder: Path, *lines: str) -> Path:
    shutil.copy(bridge_features.__file__, folder)  # beside it, as users keep them
    path = write_needed(folder) / "plugins.ini"
    path.write_text("".join(f"feature_function={line}\n" for line in lines), "utf-8")
    return path


def ints(*numbers: int) -> bytes:
    return np.array(numbers, np.int32).tobytes()


def a_session(folder: Path, *lines: str, more: str = "") -> Session:
    return Session(f"--config {plugins_file(folder, *lines)} {more}")


class Symbols:
    """Numbers as cdec gives them: one dictionary for words and categories."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.told: set[str] = set()

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers) + 1)

    def new(self) -> dict[int, str]:
        texts = {number: text for text, number in self.numbers.items() if text not in self.told}
        self.told.update(texts.values())
        return texts


def show_rule(session: Session, symbols: Symbols, number: int, rule: RuleText) -> KnownRule:
    source = [
        symbols.number(item) if isinstance(item, str) else -symbols.number(item[0]) for item in rule.source
    ]
    target = [symbols.number(item) if isinstance(item, str) else 1 - item for item in rule.target]
    links = [end for link in rule.alignment for end in link]
    lhs = symbols.number(rule.lhs)
    sides = ints(*source), ints(*target), ints(*links)
    return session.rule(number, lhs, *sides, rule.features, symbols.new())


def edge_features(forest: Hypergraph, edge: int) -> dict[str, float]:
    found = forest.edges.features_of(edge)
    return {forest.weights.name(feature): value for feature, value in found.items() if value}


def fired_by(
    session: Session, symbols: Symbols, forest: Hypergraph, segment: Segment
) -> Iterator[dict[str, float]]:
    """What the plugins of a session fire on all edges, with the grammar's features.

    Edges into the goal come only where plugins have states.
    """
    edges = forest.edges
    states: dict[int, int] = {}  # of nodes
    attributes = {"parse": segment.tree} if segment.tree else {}
    session.begin(segment.index, [[(token, 1)] for token in segment.tokens or ()], attributes)
    for edge in range(len(edges)):
        if edges.head[edge] == len(forest.nodes) - 1:
            if session.has_states:
                (node,) = tail_nodes(forest, edge)
                yield session.finish(*forest.nodes.span[node].tolist(), states[node])
            continue
        rule = forest.rule(edge)
        known_rule = show_rule(session, symbols, int(edges.rule[edge]), rule)
        begin, end = edges.span[edge].tolist()
        tails = edges.tail_span[edges.tail_indptr[edge] : edges.tail_indptr[edge + 1]].astype(np.int16)
        fired = dict(rule.features)
        more = session.on_span(known_rule, begin, end, tails.tobytes()) if session.has_edge_features else {}
        joined: dict[str, float] = {}
        if session.has_states:
            below = [states[node] for node in tail_nodes(forest, edge)]
            joined, state = session.join(known_rule, begin, end, tails.tobytes(), ints(*below))
            # The engine has joined those derivations that have equal states.
            assert states.setdefault(int(edges.head[edge]), state) == state
        for features in (known_rule.features, more, joined):
            for name, value in features.items():
                fired[name] = fired.get(name, 0.0) + value
        yield {name: value for name, value in fired.items() if value}
    # Nor has it kept apart what has equal states.
    span, category = forest.nodes.span, forest.nodes.category
    assert len({(*span[node], category[node], state) for node, state in states.items()}) == len(states)


def tail_nodes(forest: Hypergraph, edge: int) -> list[int]:
    edges = forest.edges
    return edges.tails[edges.tail_indptr[edge] : edges.tail_indptr[edge + 1]].tolist()


def conllu(segment: Segment) -> str:
    """A parse with heads and tags, a column each; of a lattice a comment alone."""
    columns = zip(segment.tokens or (), segment.tags or (), segment.dependencies or (), strict=False)
    rows = (
        f"{i}\t{word}\t_\t{tag}\t_\t_\t{head}\t_\t_\t_\n" for i, (word, tag, head) in enumerate(columns, 1)
    )
    return "".join(rows) or "# lattice\n"


@pytest.mark.parametrize("line", LINES)
def test_plugins_fire_what_they_fire_in_the_engine(line: str, tmp_path: Path) -> None:
    write_needed(tmp_path)
    decoder = Decoder(formalism="scfg", add_pass_through_rules=True, features=[create(line, base=tmp_path)])
    (tmp_path / "parses").write_text("\n".join(map(conllu, SEGMENTS)), "utf-8")
    session, symbols = a_session(tmp_path, line, more=f"--conllu {tmp_path / 'parses'}"), Symbols()
    seen = 0
    for segment in SENTENCES:
        forest = decoder.translate(segment, GRAMMAR + UNALIGNED)
        for edge, fired in enumerate(fired_by(session, symbols, forest, segment)):
            assert fired == pytest.approx(edge_features(forest, edge)), forest.rule(edge)
            seen += len(fired) - len(forest.rule(edge).features)
    assert seen > 0


Shown = tuple[str, tuple[object, ...], tuple[object, ...], tuple[int, ...], tuple[int, ...]]
"""A rule's left-hand side, source and target; the span of an edge, and the ends of its tails' spans."""


def read_parsed(parsed: Parsed, names: dict[int, str]) -> Iterator[tuple[Shown, dict[str, float]]]:
    """Read what the library reads: the edges, and the features that each fires."""

    def numbers(data: bytes, kind: type = np.int32) -> list[Any]:
        return np.frombuffer(data, kind).tolist()

    texts = dict(zip(numbers(parsed.symbols), parsed.texts, strict=True))
    names.update(zip(numbers(parsed.new), parsed.names, strict=True))
    lhs, source_begin, source, target_begin, target = map(numbers, parsed.rules)
    rule, span, tail_begin, tails = map(numbers, parsed.edges)
    begin, features, values = *map(numbers, parsed.fired[:2]), numbers(parsed.fired[2], np.float64)
    for edge, r in enumerate(rule):
        fired: dict[str, float] = {}
        for i in range(begin[edge], begin[edge + 1]):
            fired[names[features[i]]] = fired.get(names[features[i]], 0.0) + values[i]
        left = source[source_begin[r] : source_begin[r + 1]]
        right = target[target_begin[r] : target_begin[r + 1]]
        yield (
            (
                texts[lhs[r]],
                tuple(texts[s] if s > 0 else (texts[s],) for s in left),
                tuple(texts[s] if s > 0 else 1 - s for s in right),
                tuple(span[2 * edge : 2 * edge + 2]),
                tuple(tails[2 * tail_begin[edge] : 2 * tail_begin[edge + 1]]),
            ),
            fired,
        )


def shown(forest: Hypergraph, edge: int) -> Shown:
    rule, edges = forest.rule(edge), forest.edges
    tails = edges.tail_span[edges.tail_indptr[edge] : edges.tail_indptr[edge + 1]]
    source = tuple(item if isinstance(item, str) else (item[0],) for item in rule.source)
    return (
        *(rule.lhs, source, tuple(rule.target)),
        *(tuple(edges.span[edge].tolist()), tuple(tails.ravel().tolist())),
    )


def parse_ahead(folder: Path, grammar: str = GRAMMAR) -> str:
    lines = ("add_pass_through_rules=true", "feature_function=External a.so")
    return f"--parse-ahead {World(grammar, lines).write(folder)}"


@pytest.mark.parametrize("lines", [*([line] for line in LINES), TOGETHER], ids=[*LINES, "together"])
def test_what_is_known_ahead_is_what_plugins_answer(lines: list[str], tmp_path: Path) -> None:
    """The edges are those that cdec makes, and each has what the plugins fire when cdec shows it."""
    (tmp_path / "parses").write_text("\n".join(map(conllu, SEGMENTS)), "utf-8")
    parses = f"--conllu {tmp_path / 'parses'}"
    one_by_one, symbols = a_session(tmp_path, *lines, more=parses), Symbols()
    session = a_session(tmp_path, *lines, more=f"{parses} {parse_ahead(tmp_path, GRAMMAR + UNALIGNED)}")
    assert one_by_one.parse() is None
    decoder = Decoder(formalism="scfg", add_pass_through_rules=True)
    names: dict[int, str] = {}
    seen = 0
    for segment in SENTENCES:
        forest = decoder.parse(segment, GRAMMAR + UNALIGNED)
        expected: list[tuple[Shown, dict[str, float]]] = []
        for edge, fired in enumerate(fired_by(one_by_one, symbols, forest, segment)):
            own = forest.rule(edge).features
            expected.append((shown(forest, edge), {n: v - own.get(n, 0.0) for n, v in fired.items()}))
        attributes = {"parse": segment.tree} if segment.tree else {}
        session.begin(segment.index, [[(token, 1)] for token in segment.tokens or ()], attributes)
        parsed = session.parse()
        assert parsed is not None
        found = [*read_parsed(parsed, names)]
        assert sorted(map(repr, (key for key, _ in found))) == sorted(map(repr, (key for key, _ in expected)))
        for key, fired in found:
            assert any(key == other and fired == pytest.approx(nonzero(own)) for other, own in expected), key
            seen += len(fired)
    assert seen > 0


def nonzero(features: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in features.items() if value}


def test_parsing_ahead_uses_rules_of_the_sentence_alone(tmp_path: Path) -> None:
    (tmp_path / "own").write_text("[X] ||| a ||| A ||| p=1\n")
    session = a_session(tmp_path, "RuleIndicators", more=parse_ahead(tmp_path))
    assert "grammar" in session.attributes
    names: dict[int, str] = {}
    for sentence, attributes in enumerate([{"grammar": str(tmp_path / "own")}, {}]):
        session.begin(sentence, WORDS, attributes)
        parsed = session.parse()
        assert parsed is not None
        fired = {name for _, features in read_parsed(parsed, names) for name in features}
        assert ("R:X:a:A" in fired) == bool(attributes) and "R:X:b:b" in fired


def test_parsing_ahead_finds_nothing_where_cdec_finds_nothing(tmp_path: Path) -> None:
    more = parse_ahead(tmp_path)
    ini = tmp_path / "cdec.ini"
    ini.write_text(ini.read_text().replace("add_pass_through_rules=true", ""))
    session = a_session(tmp_path, "RuleIndicators", more=more)
    session.begin(0, WORDS, {})
    assert session.parse() is None


def test_a_feature_that_the_grammar_has_too_is_refused(tmp_path: Path) -> None:
    grammar = "[X] ||| a ||| A ||| Span_0_1=1\n"
    session = a_session(tmp_path, "bridge_features:Twice", more=parse_ahead(tmp_path, grammar))
    session.begin(0, WORDS, {})
    with pytest.raises(InputError, match="Twice fires Span_0_1, a feature of the grammars"):
        session.parse()


@pytest.mark.parametrize(
    ("line", "ini", "message"),
    [
        ("TargetBigrams", "formalism=scfg\n", "TargetBigrams has states: expected no --parse-ahead"),
        ("RuleShape", "formalism=rescore\n", "cdec.ini: expected formalism = scfg, got rescore"),
        ("RuleShape", "formalism=scfg\ngrammar=none\n", "none: "),
        ("RuleShape", "formalism=scfg\nspam=1\n", "cdec.ini:2: "),
        ("RuleShape", None, "cdec.ini: cannot be read"),
    ],
)
def test_what_cannot_be_parsed_ahead_is_refused(
    line: str, ini: str | None, message: str, tmp_path: Path
) -> None:
    if ini is not None:
        (tmp_path / "cdec.ini").write_text(ini)
    with pytest.raises(InputError, match=message):
        a_session(tmp_path, line, more=f"--parse-ahead {tmp_path / 'cdec.ini'}")


@pytest.mark.parametrize("line", STATEFUL)
def test_plugins_with_states_fire_what_they_fire_in_the_engine(line: str, tmp_path: Path) -> None:
    session, symbols = a_session(tmp_path, line), Symbols()
    decoder = Decoder(formalism="scfg", add_pass_through_rules=True, features=[create(line, base=tmp_path)])
    seen = 0
    for segment in SENTENCES:
        forest = decoder.translate(segment, GRAMMAR + UNALIGNED)
        found = [*fired_by(session, symbols, forest, segment)]
        assert len(found) == len(forest.edges)
        for edge, fired in enumerate(found):
            assert fired == pytest.approx(edge_features(forest, edge)), edge
            seen += len(fired)
    assert seen > 0


def test_wrong_states_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match=r"WrongOrder on sentence .*: order must be 1 to 5, got 6"):
        a_session(tmp_path, "bridge_features:WrongOrder")
    for name, message in (
        ("WrongUnit", "symbols"),
        ("WrongArray", "failed .*: expected symbols to be .*int32.*, got .* float64"),
    ):
        session = a_session(tmp_path, f"bridge_features:{name}")
        session.begin(3, WORDS, {})
        with pytest.raises(PluginError, match=f"{name}: {message}"):
            show_rules(session, 1)
    session = a_session(tmp_path, "bridge_features:WrongState")
    session.begin(3, WORDS, {})
    (rule,) = show_rules(session, 1)
    with pytest.raises(PluginError, match="WrongState: states must be a contiguous int64 array"):
        session.join(rule, 0, 1, b"", b"")


WORDS = [[("a", 1)], [("b", 1)], [("c", 1)]]


def show_rules(session: Session, n: int) -> list[KnownRule]:
    texts = {1: "X", 2: "a", 3: "A"}
    return [session.rule(i, 1, ints(2), ints(3), b"", {}, texts) for i in range(n)]


def test_a_plugin_is_asked_once_for_what_it_looks_at(tmp_path: Path) -> None:
    session = a_session(tmp_path, "bridge_features:SpanOnly", "bridge_features:Twice")
    plugin_class = find("bridge_features:SpanOnly")
    plugin_class.asked = 0  # type: ignore[attr-defined]
    for sentence in range(2):
        session.begin(sentence, WORDS, {})
        rules = show_rules(session, 5)
        for rule in rules:
            assert session.on_span(rule, 0, 1, b"") == {"Span_0_1": 1.5}
            assert session.on_span(rule, 1, 3, b"") == {"Span_1_3": 1.0, "Span_0_1": 0.5}
        assert plugin_class.asked == 2 * (sentence + 1)  # type: ignore[attr-defined]
    for rule in rules:  # one that also looks at the rule is asked for each
        assert session.on_span(rule, 0, 3, b"") == {f"Rule_{rule.number}": 1.0, "Span_0_1": 0.5}
        assert session.on_span(rule, 0, 1, b"") == {"Span_0_1": 1.5}


def test_plugins_see_what_belongs_to_the_sentence(tmp_path: Path) -> None:
    (tmp_path / "tags").write_text("x/X\na/A b/B c/C\n")
    session = a_session(tmp_path, "bridge_features:Annotated", more=f"--tags {tmp_path / 'tags'}")
    for _ in range(2):  # a tuner's second pass begins the file again
        session.begin(1, WORDS, {"parse": "(S a b &quot;)"})
        (rule,) = show_rules(session, 1)
        assert list(session.on_span(rule, 0, 1, b"")) == ['(S_a_b_")', "1", "A-B-C", "a+b+c"]
    session = a_session(tmp_path, "bridge_features:Annotated")
    session.begin(4, [[("a", 1), ("b", 2)], [("c", 1)]], {})
    assert list(session.on_span(rule, 0, 1, b"")) == ["none", "4", "lattice"]


SELECTIONS = [
    ("--allow R:*", {"allow": ("R:*",)}),
    ("--deny *casa*,Dist*", {"deny": ("*casa*", "Dist*")}),
    ("--hash-bits 4", {"hash_bits": 4}),
    ("--hash-bits 12 --deny R:*", {"hash_bits": 12, "deny": ("R:*",)}),
]


@pytest.mark.parametrize(("arguments", "selection"), SELECTIONS)
@pytest.mark.parametrize("frozen", [False, True])
def test_features_are_selected_as_in_the_engine(
    tmp_path: Path, arguments: str, selection: dict[str, Any], frozen: bool
) -> None:
    lines = ["RuleIndicators", "StructuralDistortion"]
    segment = replace(Segment.from_input("la casa verde es la casa"), index=0)
    chosen = FeatureSelection(**selection)
    weights = Weights()
    make = partial(Decoder, formalism="scfg", add_pass_through_rules=True)
    decoder = make(features=[*map(create, lines)], selection=chosen)
    if frozen:
        names = decoder.translate(segment, GRAMMAR).viterbi_features()
        weights.update({name: 1.0 for name in names if name not in ("Glue", "PassThrough", "p")})
        weights.selection = chosen
        weights.write(tmp_path / "weights")
        arguments += f" --freeze {tmp_path / 'weights'}"
        chosen = replace(chosen, frozen=True)
        decoder = make(features=[*map(create, lines)], selection=chosen, weights=weights)
    forest = decoder.translate(segment, GRAMMAR)
    session = a_session(tmp_path, *lines, more=arguments)
    fired = set()
    for edge, found in enumerate(fired_by(session, Symbols(), forest, segment)):
        assert found == pytest.approx(edge_features(forest, edge)), forest.rule(edge)
        fired.update(found)
    assert len(fired) > 4
    ahead = a_session(tmp_path, *lines, more=f"{arguments} {parse_ahead(tmp_path)}")
    ahead.begin(0, [[(token, 1)] for token in segment.tokens or ()], {})
    parsed = ahead.parse()
    assert parsed is not None
    known = {name for _, features in read_parsed(parsed, {}) for name in features}
    assert known == fired - {"Glue", "PassThrough", "p"}


def test_a_wrong_selection_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="hash_bits must be a whole number from 0 to 30"):
        a_session(tmp_path, "RuleIndicators", more="--hash-bits 31")
    weights = Weights({"H8#1": 1.0})
    weights.selection = FeatureSelection(hash_bits=8)
    weights.write(tmp_path / "weights")
    with pytest.raises(InputError, match="expected features with hash_bits=9, got hash_bits=8"):
        a_session(tmp_path, "RuleIndicators", more=f"--hash-bits 9 --freeze {tmp_path / 'weights'}")
    with pytest.raises(InputError, match="missing: cannot be"):
        a_session(tmp_path, "RuleIndicators", more=f"--freeze {tmp_path / 'missing'}")


def test_live_weights_come_with_the_next_sentence(tmp_path: Path) -> None:
    live = LiveWeights(tmp_path / "live")
    live.update({"old": 9.0})
    session = a_session(tmp_path, "RuleIndicators", more=f"--live-weights {tmp_path / 'live'}")
    assert session.is_live
    live.update({"a=": 0.1, "b": -1e-300})
    with open(tmp_path / "live", "a") as file:
        file.write("half 1\n")
    assert session.begin(0, WORDS, {}) == {"old": 9.0, "a=": 0.1, "b": -1e-300}
    assert session.begin(1, WORDS, {}) == {}
    with open(tmp_path / "live", "a") as file:
        file.write("\n")
    assert session.begin(2, WORDS, {}) == {"half": 1.0}
    show_rules(session, 2)
    assert NameFile(tmp_path / "live").names() == {"R:X:a:A"}
    more = f"--live-weights {tmp_path / 'live'} {parse_ahead(tmp_path)}"
    session = a_session(tmp_path, "RuleIndicators", more=more)
    session.begin(0, [[("la", 1)]], {})
    session.parse()
    assert {"R:X:la:the", "R:X:la:"} < NameFile(tmp_path / "live").names()


def test_live_weights_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "live"
    with pytest.raises(InputError, match="cannot be read"):
        LiveWeightsReader(path)
    path.write_text("a 1\n\n")
    reader = LiveWeightsReader(path)
    assert reader.read() == {"a": 1.0}
    for line in ("a", "a b", "a 1 2", "a nan"):
        path.write_text(f"a 1\n\n{line}\n\n")
        with pytest.raises(InputError, match="expected a line 'name value'"):
            reader.read()
        reader = LiveWeightsReader(path)
        path.write_text("")
        path.write_text("a 1\n\n")
        reader.read()
    path.write_text("")
    with pytest.raises(InputError, match="expected a file that only grows"):
        reader.read()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a line feature_function=NAME arguments, got none"),
        (
            "# nothing\n\nweights=w\n",
            "plugins.ini:3: expected feature_function=NAME arguments, got 'weights=w'",
        ),
        ("feature_function=\n", "plugins.ini:1: expected feature_function="),
        ("feature_function=SoftSyntaxx\n", "plugins.ini:1: SoftSyntaxx: unknown feature function, near"),
        ("feature_function=SoftSyntax --labels\n", "plugins.ini:1: SoftSyntax: --labels needs a value"),
        ("feature_function=SoftSyntax trees=missing\n", "missing: cannot be read"),
    ],
)
def test_a_wrong_file_of_plugins(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "plugins.ini").write_text(text)
    with pytest.raises(InputError) as caught:
        Session(f"--config {tmp_path / 'plugins.ini'}")
    assert message in str(caught.value)
    assert describe(caught.value) == str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "the bridge: --config must be given"),
        ("--config p --colour red", "the bridge: unknown argument --colour"),
        ("--config missing.ini", "missing.ini: cannot be read"),
    ],
)
def test_wrong_arguments(arguments: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Session(arguments)


def test_a_plugin_that_fails_is_named(tmp_path: Path) -> None:
    for line, message in (
        ("bridge_features:Broken", "cdec's sentence 7: .*Broken: failed on sentence 7: ZeroDivisionError"),
        (
            "bridge_features:Blank",
            "Blank on sentence 7: a feature name must not contain white space, got 'a b'",
        ),
    ):
        session = a_session(tmp_path, line)
        session.begin(7, WORDS, {})
        with pytest.raises(PluginError, match=message) as caught:
            session.rule(0, 1, ints(2, 2), ints(3), b"", {}, {1: "X", 2: "a", 3: "A"})
        assert ("Traceback" in describe(caught.value)) == (caught.value.__cause__ is not None)
