"""docs/use/pycdec.md names everything that pycdec and `hopefear.pycdec` have."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from types import ModuleType

import pytest
from support import CHECKOUT

import hopefear.pycdec as cdec
from hopefear.pycdec import sa, score
from hopefear.pycdec.sa import features, online

PAGE = (CHECKOUT / "docs" / "use" / "pycdec.md").read_text(encoding="utf-8")

PYCDEC = """
Decoder DenseVector SparseVector NT NTRef TRule MRule Grammar TextGrammar Hypergraph HypergraphEdge
HypergraphNode Lattice ParseFailed InvalidConfig set_silent Candidate SufficientStats CandidateSet
SegmentEvaluator Scorer Metric BLEU QCRI TER CER SSK weights formalism read_weights translate dot tosparse
copy arity f e a scores lhs name viterbi viterbi_trees viterbi_features viterbi_forest viterbi_joshua kbest
kbest_trees kbest_features unique_kbest unique_kbest_trees unique_kbest_features sample sample_hypotheses
sample_trees intersect prune lattice plf reweight edges nodes goal npaths inside_outside head_node
tail_nodes span src_span feature_values prob id in_edges out_edges cat todot as_hypergraph words fmap score
detail add_kbest evaluate candidate_set make_lattice decode_lattice decode_sentence encode_words
decode_words isvar SuffixArray DataArray LCP Precomputation Alignment BiLex HieroCachingRuleFactory Sampler
GrammarExtractor feature annotator annotate configure grammar add_instance drop_ctx online Phrase Rule
FeatureVector FeatureContext fphrase ephrase paircount fcount fsample_count input_span matches input_match
test_sentence f_text e_text meta
""".split()  # noqa: SIM905
"""The names of pycdec, read off its sources."""


def public(module: ModuleType) -> Iterator[str]:
    """The public names of a module, and of its classes."""
    names = getattr(module, "__all__", None) or [
        name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
    ]
    for name in names:
        value = getattr(module, name)
        if name.startswith("_") or name == "LexicalTable":
            continue
        yield name
        if inspect.isclass(value) and not issubclass(value, Exception):
            attributes = {*dir(value), *getattr(value, "__dataclass_fields__", {})}
            yield from sorted(attribute for attribute in attributes if not attribute.startswith("_"))


def is_named(name: str) -> bool:
    return re.search(rf"`(?:[\w.]+\.)?{name}(?:\(.*?\))?`", PAGE) is not None


@pytest.mark.parametrize("module", [cdec, score, sa, online, features])
def test_every_public_name_is_there(module: ModuleType) -> None:
    names = list(public(module))
    assert len(names) > 5
    assert [name for name in names if not is_named(name)] == []


def test_every_name_of_pycdec_is_there() -> None:
    assert [name for name in PYCDEC if not is_named(name)] == []


def test_what_the_page_says_is_there_is_there() -> None:
    """Names with a class in front exist, unless the row says that they do not."""
    for line in PAGE.splitlines():
        if not line.startswith("| `"):
            continue
        for owner, attribute in re.findall(r"`(\w+)\.(\w+)(?:\(.*?\))?`", line.rsplit("|", 2)[0]):
            found = next(
                (getattr(module, owner) for module in (cdec, score, sa, online) if hasattr(module, owner)),
                None,
            )
            if found is None or inspect.ismodule(found):
                continue
            fields = {*dir(found), *getattr(found, "__dataclass_fields__", {})}
            in_init = re.search(rf"self\.{attribute}\b", inspect.getsource(found))
            assert attribute in fields or in_init, (owner, attribute)
