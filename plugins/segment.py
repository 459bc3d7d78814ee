"""One input sentence or lattice with its annotations, and the input lines in cdec's format."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from hopefear.base.errors import InputError, naming_file
from hopefear.base.loading import near
from hopefear.base.read_only import ReadOnlyMapping
from hopefear.base.texts import (
    BLANK,
    as_texts,
    as_words,
    expect_several,
    expect_unicode,
    shortened,
    split_words,
    word_places,
)

from .lattice import Lattice
from .marks import ATTRIBUTE, Mark, attributes_of, read_marks
from .sentence_grammar import SentenceGrammar
from .written import Written

_SEGMENT = re.compile(rf"<seg({ATTRIBUTE}*)\s*>(.*)</seg>\s*(.*)", re.DOTALL)


_KNOWN = re.compile(r"id|grammar\d*|parse|src_tree|prefix")
"""The attributes of a tag that say something of the sentence to hopefear."""


class OwnAnnotations(ReadOnlyMapping[Any]):
    """Annotations of one's own by name."""

    __slots__ = ()

    def __getitem__(self, name: str) -> Any:
        """Return the value of a name.

        Raises
        ------
        InputError
            The segment has no such annotation.
        """
        if name not in self._values:
            known = near(name, self._values) if self._values else "there is none"
            raise InputError(f"no annotation {name}: expected --annotation {name}=FILE, {known}")
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        """Tell whether there is an annotation of the name."""
        return name in self._values

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a name, or the default."""
        return self._values.get(name, default)


@dataclass(frozen=True, slots=True)
class Segment:
    """One input sentence or lattice with its annotations.

    A sentence may be a string, which is split at blanks and tabs: ``Segment("y dijo dios .")`` has four
    tokens. The same holds for `tags` and `classes`. `references` and `grammars` are sequences of texts; a
    single string in their place is refused.

    Attributes
    ----------
    tokens : tuple of str, or None
        The words; None for a lattice.
    lattice : Lattice or None
        The input if it is not a plain sentence.
    id : int or str
        The id in the input, else the index.
    index : int
        0-based position in the input.
    references : tuple of str
        Reference translations; empty if none are known.
    tree : str or None
        The Penn tree of the source.
    tags : tuple of str, or None
        A part of speech for each token.
    dependencies : tuple of int, or None
        The head of each token: its number from 1, as in CoNLL-U; 0 for a root.
    classes : tuple of str, or None
        A word class for each token.
    grammars : tuple of str
        Paths of grammars for this segment only.
    rules : SentenceGrammar or None
        A grammar in memory for this segment only, for example from an extractor.
    attributes : mapping of str to str
        The attributes of the ``<seg>`` tag, read-only.
    annotations : mapping of str to value
        Annotations of one's own by name, read-only: those of files (`Annotations`), and the attributes of the
        ``<seg>`` tag that have no other meaning.
    where : str
        File and line, for messages.
    line : str
        The unchanged line of input; empty if the segment was not read from a line.
    text : str
        The sentence in this line, without its tag, its marks and its references.
    marks : tuple of Mark
        What the line asks of some of its words.
    prefix : str or None
        What the translation begins with, in whole words.
    written : Written or None
        The sentence as written, if the tokens were made of it.

    Raises
    ------
    InputError
        A field for texts gets another value.
    """

    tokens: tuple[str, ...] | None
    lattice: Lattice | None = None
    id: int | str = 0
    index: int = 0
    references: tuple[str, ...] = ()
    tree: str | None = None
    tags: tuple[str, ...] | None = None
    dependencies: tuple[int, ...] | None = None
    classes: tuple[str, ...] | None = None
    grammars: tuple[str, ...] = ()
    rules: SentenceGrammar | None = field(default=None, repr=False)
    attributes: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, Any] = field(default_factory=dict)
    where: str = "the input"
    line: str = field(default="", compare=False, repr=False)
    text: str = field(default="", compare=False, repr=False)
    marks: tuple[Mark, ...] = ()
    prefix: str | None = None
    written: Written | None = field(default=None, compare=False, repr=False)

    if TYPE_CHECKING:  # accepts more types than the fields have

        def __init__(
            self,
            tokens: str | Sequence[str] | None,
            lattice: Lattice | None = None,
            id: int | str = 0,
            index: int = 0,
            references: Sequence[str] = (),
            tree: str | None = None,
            tags: str | Sequence[str] | None = None,
            dependencies: Sequence[int] | None = None,
            classes: str | Sequence[str] | None = None,
            grammars: Sequence[str] = (),
            rules: SentenceGrammar | None = None,
            attributes: Mapping[str, str] = {},
            annotations: Mapping[str, Any] = {},
            where: str = "the input",
            line: str = "",
            text: str = "",
            marks: Sequence[Mark] = (),
            prefix: str | None = None,
            written: Written | None = None,
        ) -> None: ...

    @property
    def number(self) -> int | str:
        """What people call the sentence: its id in the input, else its place, counted from 1."""
        has_own = isinstance(self.id, str) or "id" in self.attributes
        return self.id if has_own else int(self.id) + 1

    def expect_tokens(self) -> tuple[str, ...]:
        """Return the words of a sentence.

        Raises
        ------
        InputError
            The segment is a lattice.
        """
        if self.tokens is None:
            raise InputError("expected a sentence, got a lattice", path=self.where)
        return self.tokens

    def __post_init__(self) -> None:
        for name in ("tokens", "tags", "classes"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, as_words(name, value))
                expect_unicode(name, getattr(self, name), self.where)
        for name in ("references", "grammars"):
            object.__setattr__(self, name, as_texts(name, getattr(self, name)))
        expect_unicode("references", self.references, self.where)
        if self.dependencies is not None:
            expect_several("dependencies", self.dependencies)
            object.__setattr__(self, "dependencies", tuple(self.dependencies))
        if not isinstance(self.attributes, ReadOnlyMapping):
            object.__setattr__(self, "attributes", ReadOnlyMapping(self.attributes))
        if not isinstance(self.annotations, OwnAnnotations):
            object.__setattr__(self, "annotations", OwnAnnotations(self.annotations))

    def __repr__(self) -> str:
        """Show the fields that differ from their defaults; long values are shortened."""
        shown = [repr(None if self.tokens is None else shortened(" ".join(self.tokens)))]
        for each in fields(self)[1:]:
            value = getattr(self, each.name)
            default = {} if each.default is MISSING else each.default
            if each.repr and value != default:
                shown.append(f"{each.name}={shortened(repr(value))}")
        return f"Segment({', '.join(shown)})"

    @classmethod
    def from_input(
        cls,
        source: str | Lattice | Segment,
        *,
        index: int = 0,
        where: str = "the input",
        grammars_under: str | os.PathLike[str] | None = None,
    ) -> Segment:
        """Make a segment from a line of text, a lattice, or a segment.

        Parameters
        ----------
        grammars_under : path, optional
            Refuse a line that names a file, a grammar or a tree, outside this folder. Give it for text from
            strangers, such as lines that come over a network: else the text can name any file.

        Raises
        ------
        InputError
            A tag or a lattice is malformed, or a file is outside the folder.
        """
        if isinstance(source, Segment):
            return source
        if isinstance(source, Lattice):
            return cls(None, source, id=index, index=index, where=where)
        if not isinstance(source, str):
            message = f"expected a text, a Lattice or a Segment, got {type(source).__name__}"
            raise InputError(message, path=where)
        return parse_line(source, index=index, where=where, grammars_under=grammars_under)

    @property
    def length(self) -> int:
        """Words, or positions of the lattice."""
        return len(self.tokens) if self.tokens is not None else len(self.lattice or ())

    @property
    def places(self) -> tuple[tuple[int, int], ...]:
        """Begin and end of each word in the text; without a text, in the words joined by blanks."""
        if self.written is not None:
            return self.written.places
        return word_places(self.text or " ".join(self.tokens or ()))

    def with_rules(self, rules: SentenceGrammar) -> Segment:
        """Return a copy of the segment with a grammar of its own."""
        return replace(self, rules=rules)

    def with_references(self, references: tuple[str, ...]) -> Segment:
        """Return a copy of the segment with other references."""
        return replace(self, references=references)


def parse_line(
    line: str,
    *,
    index: int = 0,
    where: str = "the input",
    grammars_under: str | os.PathLike[str] | None = None,
) -> Segment:
    """Read a line of input: text, PLF, or either in a ``<seg>`` tag, and references after ``|||``.

    Raises
    ------
    InputError
        A tag or a lattice is malformed, or a file is outside the folder.
    """
    if "\0" in line:
        raise InputError("expected text, got a zero byte", path=where)
    try:
        line.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"expected text, got half of a surrogate pair: {error.reason}", path=where) from None
    whole, line = line, line.strip(BLANK)
    attributes: dict[str, str] = {}
    rest = ""
    if line.startswith("<seg"):
        match = _SEGMENT.fullmatch(line)
        if match is None:
            raise InputError('expected <seg id="...">words</seg>, got ' + repr(line[:80]), path=where)
        attributes = attributes_of(match.group(1), where)
        line, rest = match.group(2), match.group(3)
        if rest and not rest.startswith("|||"):
            raise InputError(f"expected nothing or ||| after </seg>, got {rest[:80]!r}", path=where)
        rest = rest[3:] if rest else ""
    elif "|||" in line:
        line, rest = line.split("|||", 1)
    references = tuple(part.strip(BLANK) for part in rest.split("|||")) if rest.strip(BLANK) else ()
    grammars = tuple(attributes[name] for name in sorted(attributes) if re.fullmatch(r"grammar\d*", name))
    tree = attributes.get("parse") or attributes.get("src_tree")
    if grammars_under is not None:
        grammars = tuple(_inside(grammars_under, grammar, where) for grammar in grammars)
        if tree and not tree.lstrip(BLANK).startswith("("):  # it names a file
            tree = _inside(grammars_under, tree, where)
    tokens: tuple[str, ...] | None = None
    lattice = None
    marks: tuple[Mark, ...] = ()
    if line.lstrip(BLANK).startswith("((("):
        with naming_file(where):
            lattice = Lattice.from_plf(line)
        line = line.strip(BLANK)
    else:
        line, marks = read_marks(line.strip(BLANK), where)
        tokens = split_words(line)
    number = attributes.get("id", str(index))
    return Segment(
        tokens,
        lattice,
        id=int(number) if number.isdecimal() and len(number) < 19 else number,
        index=index,
        references=references,
        tree=tree,
        grammars=grammars,
        attributes=attributes,
        annotations={name: text for name, text in attributes.items() if not _KNOWN.fullmatch(name)},
        where=where,
        line=whole,
        text=line,
        marks=marks,
        prefix=attributes.get("prefix"),
    )


def _inside(folder: str | os.PathLike[str], path: str, where: str) -> str:
    """Follow all links of a path that must end in a folder."""
    if not os.path.isdir(folder):
        raise InputError("expected the folder of the sentences' files", path=folder)
    outer, inner = os.path.realpath(folder), os.path.realpath(path)
    if os.path.commonpath([outer, inner]) != outer:
        raise InputError(f"expected a file in the folder {os.fspath(folder)}, got {path!r}", path=where)
    return inner
