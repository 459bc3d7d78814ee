"""cdec.ini: its options, and the `Config` that is read from it."""

from __future__ import annotations

import difflib
import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hopefear.base.errors import InputError, InvalidConfig
from hopefear.base.texts import BLANK, split_lines
from hopefear.base.unpacking import unpack

OURS = "# hopefear:"
"""The begin of a line with an option that cdec does not have: cdec reads the line as a comment."""

PASSES = ("", "2", "3")
"""Suffixes of the options of the rescoring passes."""

_WITHOUT_EFFECT = frozenset(
    """
    quiet show_conditional_prob show_config show_expected_length show_feature_dictionary show_partition
    show_weights verbose warn_0_weight
    """.split()  # noqa: SIM905
)
"""Options of cdec that change what it prints, and no translation."""

# The other options of cdec, also those of the command line and of earlier versions.
_REFUSED = frozenset(
    """
    aligner aligner_use_viterbi cll_gradient cmph_perfect_feature_hash coarse_to_fine_beam_prune
    combine_size compgen config csplit_output_plf csplit_preserve_full_word ctf_beam_widen
    ctf_no_exhaustive ctf_num_widenings feature_expectations freeze_feature_set get_oracle_forest
    graphviz help incremental_search lextrans_align_only lextrans_dynasearch lextrans_use_null
    list_feature_functions max_translation_beam max_translation_sample mr_mira_compat pb_max_distortion
    per_sentence_grammar_file remove_intersected_rule_annotations scale_prune_srclen
    show_cfg_alignment_space show_cfg_search_space
    show_derivations_mask show_joshua_visualization
    show_target_graph show_tree_structure summary_feature summary_feature2
    summary_feature3 summary_feature_type tagger_tagset usage vector_format

    apply_fsa_by cfg_output crf_uniform_empirical fsa_feature_function keep_prelm_cube_order lazy_search
    lexalign_use_null minimal_forests no_freeze_feature_set prelm_beam_prune prelm_copy_weights
    prelm_density_prune prelm_feature_function prelm_weights promise_power show_derivation show_features
    show_partition_as_translation show_viterbi_features
    """.split()  # noqa: SIM905
)


@dataclass(slots=True)
class Pass:
    """One rescoring pass."""

    features: list[str] = field(default_factory=list)
    weights: Path | None = None
    strategy: str = "cube_pruning"
    pop_limit: int = 200
    beam_prune: float = 0.0
    density_prune: float = 0.0


@dataclass(slots=True)
class Config:
    """The content of a cdec.ini. Relative paths have been resolved against its folder.

    With `share_grammars`, which no cdec.ini sets, text grammars are compiled once for all processes of a
    machine; see `compiled.make_engine`. `text` names the file of a `hopefear.text.TextSystem`: the system
    takes and gives text as written. `glossaries` are files of terms that translations use, `terms` of those
    that they must use. `consensus` says how a translation is chosen from a forest, see
    `Hypergraph.consensus`; None for the best by the model.
    """

    formalism: str = ""
    input: str = "-"
    grammars: list[Path] = field(default_factory=list)
    passes: list[Pass] = field(default_factory=lambda: [Pass() for _ in PASSES])
    goal: str = "S"
    default_nt: str = "X"
    max_span: int = 10
    glue: bool = True
    extra_glue: Path | None = None
    pass_through: bool = False
    extra_pass_through_features: int = 0
    k_best: int | None = None
    unique_k_best: bool = False
    forest_output: Path | None = None
    extract_rules: Path | None = None
    show_derivations: Path | None = None
    online_tuner: str | None = None
    text: Path | None = None
    glossaries: list[Path] = field(default_factory=list)
    terms: list[Path] = field(default_factory=list)
    consensus: str | None = None
    share_grammars: bool = False
    base: Path = Path()
    path: str = "the configuration"
    lines: dict[str, int] = field(default_factory=dict)

    def where(self, setting: str) -> tuple[str, int | None]:
        """Return the file and line of a setting, for messages.

        Parameters
        ----------
        setting : str
            Name and value, separated by a space; a path is resolved.
        """
        return self.path, self.lines.get(setting)

    def sharing_grammars(self) -> Config:
        """Return the configuration of replicas, which share the memory of the grammars."""
        return replace(self, share_grammars=True)

    @contextmanager
    def naming(self, setting: str) -> Iterator[None]:
        """Add the place of a setting to errors about the setting, or about the file that the setting names.

        Parameters
        ----------
        setting : str
            See `where`; if the setting has no line, errors about a file stay as they are.

        Raises
        ------
        InvalidConfig
            The context raised an `InputError` that names no line.
        """
        try:
            yield
        except InputError as error:
            path, line = self.where(setting)
            if error.line is not None or (line is None and error.path is not None):
                raise
            raise InvalidConfig(str(error), path=path, line=line) from error


def read_config(path: str | Path) -> Config:
    """Read a cdec.ini.

    Raises
    ------
    InvalidConfig
        With file and line: an option is unknown or not supported, or its value is wrong.
    """
    path = Path(path)
    try:
        text = unpack(path.read_bytes(), path).decode("utf-8-sig")  # it may begin with a byte order mark
    except OSError as error:
        raise InvalidConfig(f"cannot be read: {error.strerror or error}", path=path) from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InvalidConfig(
            f"expected UTF-8, got byte {error.object[error.start]:#04x}", path=path, line=line
        ) from None
    except InputError as error:
        raise InvalidConfig(str(error).removeprefix(f"{path}: "), path=path) from None
    return parse_config(text, path=str(path), base=path.parent)


def parse_config(text: str, *, path: str = "the configuration", base: Path | None = None) -> Config:
    """Read the text of a cdec.ini; see `read_config`."""
    settings: list[tuple[str, str, int | None]] = []
    for number, line in enumerate(split_lines(text), 1):
        content = line.strip(BLANK).removeprefix(OURS).split("#", 1)[0].strip(BLANK)
        if not content:
            continue
        if "\0" in content:
            raise InvalidConfig("expected text, got a zero byte", path=path, line=number)
        name, equals, value = content.partition("=")
        if not equals:
            raise InvalidConfig(f"expected 'name = value', got {content[:80]!r}", path=path, line=number)
        settings.append((name.strip(BLANK), value.strip(BLANK), number))
    return make_config(settings, path=path, base=base)


def make_config(
    settings: Iterable[tuple[str, str, int | None]],
    *,
    path: str = "the configuration",
    base: Path | None = None,
) -> Config:
    """Make a `Config` of (name, value, line) triples; see `read_config`."""
    config = Config(base=base or Path(), path=path)
    seen: set[str] = set()
    for name, value, line in settings:
        try:
            converted = _apply(config, name, value, seen)
        except ValueError as error:
            raise InvalidConfig(str(error), path=path, line=line) from None
        if line is not None:
            config.lines.setdefault(f"{name} {converted}", line)
    if not config.formalism:
        raise InvalidConfig("expected a line 'formalism = scfg', got none", path=path)
    if config.formalism == "rescore" and config.grammars:
        message = "expected no grammar: with formalism = rescore the input names forests, which have rules"
        _, line = config.where(f"grammar {config.grammars[0]}")
        raise InvalidConfig(message, path=path, line=line)
    return config


def _apply(config: Config, name: str, value: str, seen: set[str]) -> Any:
    stem = name[:-1] if name[-1:] in ("2", "3") and name[:-1] in _PASS_OPTIONS else name
    if stem in _PASS_OPTIONS:
        target: Any = config.passes[PASSES.index(name[len(stem) :])]
        attribute, convert = _PASS_OPTIONS[stem]
    elif name in _OPTIONS:
        target = config
        attribute, convert = _OPTIONS[name]
    elif name in _WITHOUT_EFFECT:
        warnings.warn(f"{config.path}: {name} changes no translation, and is left out", stacklevel=4)
        return value
    else:
        raise ValueError(_unknown(name))
    converted = convert(value, config) if convert is _path else convert(value)
    current = getattr(target, attribute)
    if isinstance(current, list):
        current.append(converted)
        return converted
    if name in seen:
        raise ValueError(f"option {name} is given twice")
    seen.add(name)
    setattr(target, attribute, converted)
    return converted


def _unknown(name: str) -> str:
    if name in _REFUSED:
        return f"option {name} is an option of cdec that hopefear does not support"
    near = difflib.get_close_matches(name[:80], [*_OPTIONS, *_PASS_OPTIONS], 3)
    return f"unknown option {name[:80]!r}" + (f", did you mean {' or '.join(near)}?" if near else "")


def _path(value: str, config: Config) -> Path:
    if not value:
        raise ValueError("expected a path, got nothing")
    return config.base / value


def _text(value: str) -> str:
    if not value:
        raise ValueError("expected a value, got nothing")
    return value


def _flag(value: str) -> bool:
    lowered = value.lower()
    if lowered in ("true", "1", "yes", "on", ""):
        return True
    if lowered in ("false", "0", "no", "off"):
        return False
    raise ValueError(f"expected true or false, got {value!r}")


def _no_flag(value: str) -> bool:
    return not _flag(value)


def _count(minimum: int) -> Callable[[str], int]:
    def convert(value: str) -> int:
        try:
            number = int(value)
        except ValueError:
            number = minimum - 1
        if not minimum <= number < 2**31:
            raise ValueError(f"expected a whole number of at least {minimum}, got {value!r}")
        return number

    return convert


def _nonnegative(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not (math.isfinite(number) and number >= 0):
        raise ValueError(f"expected a number of at least 0, got {value!r}")
    return number


def _density(value: str) -> float:
    number = _nonnegative(value)
    if 0 < number < 1:
        raise ValueError(f"expected a density of at least 1, got {value!r}")
    return number


def _choice(*choices: str) -> Callable[[str], str]:
    def convert(value: str) -> str:
        if value.lower() not in choices:
            raise ValueError(f"expected {' or '.join(choices)}, got {value!r}")
        return value.lower()

    return convert


def _category(value: str) -> str:
    if not value or any(c in value for c in "[]|, \t"):
        raise ValueError(f"expected a category such as S, got {value!r}")
    return value


_OPTIONS: dict[str, tuple[str, Callable[..., Any]]] = {
    "formalism": ("formalism", _choice("scfg", "rescore")),
    "input": ("input", _text),
    "grammar": ("grammars", _path),
    "goal": ("goal", _category),
    "scfg_default_nt": ("default_nt", _category),
    "scfg_max_span_limit": ("max_span", _count(0)),
    "scfg_no_hiero_glue_grammar": ("glue", _no_flag),
    "scfg_extra_glue_grammar": ("extra_glue", _path),
    "add_pass_through_rules": ("pass_through", _flag),
    "add_extra_pass_through_features": ("extra_pass_through_features", _count(0)),
    "k_best": ("k_best", _count(1)),
    "unique_k_best": ("unique_k_best", _flag),
    "forest_output": ("forest_output", _path),
    "extract_rules": ("extract_rules", _path),
    "show_derivations": ("show_derivations", _path),
    "online_tuner": ("online_tuner", _text),
    "text": ("text", _path),
    "glossary": ("glossaries", _path),
    "terms": ("terms", _path),
    "consensus": ("consensus", _text),
}
_PASS_OPTIONS: dict[str, tuple[str, Callable[..., Any]]] = {
    "feature_function": ("features", _text),
    "weights": ("weights", _path),
    "intersection_strategy": ("strategy", _choice("cube_pruning", "full")),
    "cubepruning_pop_limit": ("pop_limit", _count(1)),
    "beam_prune": ("beam_prune", _nonnegative),
    "density_prune": ("density_prune", _density),
}
