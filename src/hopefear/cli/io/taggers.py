"""Tags and dependencies of given tokens from spaCy or Stanza, as CoNLL-U."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, Protocol

from hopefear.base import InputError
from hopefear.base.texts import BLANK, split_lines

Sentence = Sequence[str]
_BATCH = 32


class Word(NamedTuple):
    """Columns of CoNLL-U without the number and the form."""

    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    relation: str


class Tagger(Protocol):
    """A tool that tags and parses tokenised sentences."""

    def words(self, sentences: Sequence[Sentence]) -> Iterator[list[Word]]:
        """Yield the words of each sentence in order; no sentence is empty."""


class SpacyTagger:
    """A pipeline of spaCy."""

    def __init__(self, model: str) -> None:
        spacy = _imported("spacy", "spaCy")
        try:
            self._pipeline = spacy.load(model)
        except OSError as error:
            raise InputError(
                f"spaCy has no model {model!r}: install it with 'python -m spacy download {model}' or as a "
                f"package, or give the folder of a model: {_first_line(error)}"
            ) from None
        self._doc = importlib.import_module("spacy.tokens").Doc
        if not self._pipeline(self._given(["a"])).has_annotation("DEP"):
            raise InputError(
                f"expected a spaCy model with a parser, got {model!r}, which makes no dependencies"
            )

    def words(self, sentences: Sequence[Sentence]) -> Iterator[list[Word]]:
        """Parse each sentence as one sentence: the parser must not split it."""
        for doc in self._pipeline.pipe(map(self._given, sentences), batch_size=_BATCH):
            yield [
                Word(
                    token.lemma_,
                    token.pos_,
                    token.tag_,
                    str(token.morph),
                    0 if token.head.i == token.i else token.head.i + 1,
                    "root" if token.head.i == token.i else token.dep_,
                )
                for token in doc
            ]

    def _given(self, tokens: Sentence) -> Any:
        starts = [place == 0 for place in range(len(tokens))]
        return self._doc(self._pipeline.vocab, words=list(tokens), sent_starts=starts)


class StanzaTagger:
    """A pipeline of Stanza."""

    def __init__(self, language: str) -> None:
        stanza = _imported("stanza", "Stanza")
        try:
            self._pipeline = stanza.Pipeline(
                language,
                processors="tokenize,pos,lemma,depparse",
                tokenize_pretokenized=True,
                download_method=None,
                verbose=False,
            )
        except Exception as error:  # the types of error differ between Stanza's versions
            raise InputError(
                f"Stanza has no models for {language!r}: install them with stanza.download({language!r}) in "
                f"Python: {_first_line(error)}"
            ) from None

    def words(self, sentences: Sequence[Sentence]) -> Iterator[list[Word]]:
        """Parse the sentences in batches."""
        rest = iter(sentences)
        while batch := [list(tokens) for tokens in islice(rest, _BATCH)]:
            parsed = self._pipeline(batch).sentences
            for tokens, sentence in zip(batch, parsed, strict=True):
                words = sentence.words
                if len(words) != len(tokens):
                    raise InputError(f"expected {len(tokens)} words from Stanza, got {len(words)}")
                yield [Word(w.lemma, w.upos, w.xpos, w.feats, w.head, w.deprel) for w in words]


def conllu_blocks(
    tagger: Tagger, sentences: Sequence[tuple[int | str, Sentence]], *, max_words: int
) -> Iterator[str]:
    """Write sentences in CoNLL-U, each with a blank line after it; one without tokens has only comments."""
    tagged = tagger.words([tokens for _, tokens in sentences if 0 < len(tokens) <= max_words])
    for name, tokens in sentences:
        lines = [f"# sent_id = {name}", f"# text = {' '.join(tokens)}".rstrip(" ")]
        words: list[tuple[Any, ...]] = [(None,) * len(Word._fields)] * len(tokens)
        if 0 < len(tokens) <= max_words:
            words[:] = next(tagged)
        for place, (token, word) in enumerate(zip(tokens, words, strict=True), 1):
            columns = (place, token, *word, None, None)
            lines.append("\t".join("_" if column in ("", None) else str(column) for column in columns))
        yield "\n".join(lines) + "\n\n"


def _imported(module: str, name: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(
            f"{name} cannot be imported: install it with pip install {module}, and a model: {error}"
        ) from None


def _first_line(error: Exception) -> str:
    return (split_lines(str(error).strip(BLANK)) or [type(error).__name__])[0]
