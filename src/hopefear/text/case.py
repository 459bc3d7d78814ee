"""The case of words: learned from a text, undone at starts of sentences and in headlines, and restored.

A word at the start of a sentence has a capital that says nothing of the word. Models see each word as it is
written inside sentences; a translation gets the capitals that its own sentences need.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from .tokens import JOINED, kind_of, unescaped, without_marks

_ENDS = frozenset(".!?…")
_QUOTES, _BEFORE_SPEECH = frozenset("\"'“‘«„"), frozenset(",:")
_GOES_ON = frozenset(",;")
_HEADLINE_WORDS, _HEADLINE_SHARE = 2, 0.6
_SHORT = 3
_FRAGMENT = 5
_DOTTED_SHARE = 0.05
_DOTTED_LOWER = str.maketrans("Iİ", "ıi")
_DOTTED_UPPER = str.maketrans("ıi", "Iİ")


class CaseCounts:
    """Counts of how the words of a text are written, from which its `Casing` follows."""

    def __init__(self) -> None:
        self._inside, self._all = Counter[str](), Counter[str]()
        self._dots, self._goes_on = Counter[str](), Counter[str]()
        self._capitals = self._small = 0
        self._speech = 0

    def add(self, tokens: Sequence[str]) -> None:
        """Count the tokens of a line as it is written."""
        words = [_plain(token) for token in tokens]
        self._all.update(filter(_has_letters, words))
        self._inside.update(words[place] for place in places_inside(tokens))
        if words and _has_letters(words[0]):
            self._capitals += words[0][0].isupper()
            self._small += words[0][0].islower()
        for before, dot, after in zip(words, words[1:], words[2:], strict=False):
            if dot == "." and before and after[:1].isalpha():
                self._dots[before.lower()] += 1
                self._goes_on[before.lower()] += after[0].islower()
            elif dot in _QUOTES and before in _BEFORE_SPEECH and after[:1].isalpha():
                self._speech += 1 if after[0].isupper() else -1

    def casing(self) -> Casing:
        """Return what the counts say."""
        dotless = sum(count for word, count in self._all.items() if "ı" in word or "İ" in word)
        caseless = sum(count for word, count in self._all.items() if _is_caseless(word))
        words = self._all.total()
        dotted = dotless > _DOTTED_SHARE * words
        best = dict[str, tuple[int, str]]()
        for word, count in self._inside.items():
            low = _lower(word, dotted)
            best[low] = max(best.get(low, (0, "")), (count, word))
        elsewhere = dict[str, tuple[int, str]]()  # words that are only at starts and in headlines
        for word, count in self._all.items():
            low = _lower(word, dotted)
            if low not in best:
                elsewhere[low] = max(elsewhere.get(low, (0, "")), (count, word))
        for low, (count, word) in elsewhere.items():  # JSON, iPhone
            if not word[1:].islower() and len(word) > 1:
                best[low] = count, word
        abbreviations = (word for word, n in self._dots.items() if 2 * self._goes_on[word] > n)
        return Casing(
            {low: word for low, (_, word) in sorted(best.items()) if word != low},
            frozenset(_lower(word, dotted) for word in self._all),
            frozenset(abbreviations),
            self._capitals > self._small,
            self._speech > 0,
            2 * caseless <= words,
            dotted,
            frozenset(word for word in self._inside if best[_lower(word, dotted)][1] != word),
        )


@dataclass(frozen=True)
class Casing:
    """How the words of a language are written inside sentences.

    Attributes
    ----------
    forms : dict of str to str
        For each word in small letters its form inside sentences, if this has other letters.
    words : frozenset of str
        All words of the text, in small letters.
    abbreviations : frozenset of str
        Words, in small letters, after which a full stop ends no sentence.
    capitals : bool
        Whether sentences begin with a capital.
    speech : bool
        Whether a quotation after a comma or a colon begins with a capital.
    has_case : bool
        Whether the script of the language has capitals. Where it has none, as in Japanese, a foreign word
        such as *Python* is the same word everywhere.
    dotted : bool
        Whether i and ı are two letters, each with its capital, as in Turkish.
    others : frozenset of str, optional
        Words that are written inside sentences now and then, but mostly in another form.
    """

    forms: dict[str, str] = field(default_factory=dict)
    words: frozenset[str] = frozenset()
    abbreviations: frozenset[str] = frozenset()
    capitals: bool = False
    speech: bool = False
    has_case: bool = True
    dotted: bool = False
    others: frozenset[str] | None = None

    def lower(self, word: str) -> str:
        """Return a word in small letters."""
        return _lower(word, self.dotted)

    def upper(self, word: str) -> str:
        """Return a word in capitals."""
        return (word.translate(_DOTTED_UPPER) if self.dotted else word).upper()

    def inside(self, tokens: Sequence[str], *, known: bool = False) -> list[str]:
        """Return tokens in the forms that they have inside sentences.

        Parameters
        ----------
        known : bool
            Whether a word with a capital that the text never has inside a sentence gets the form that it has
            there, since rules know no other: *The* of "Note: The file".
        """
        if not self.has_case:
            return list(tokens)
        words = [_plain(token) for token in tokens]
        starts = self._starts(tokens, words)
        headline = _is_headline(words, starts)
        out = list(tokens)
        for place, word in enumerate(words):
            if not word or word.islower() or not word[0].isalpha() or _is_initials(tokens, place):
                continue
            low = self.lower(word)
            form = self.forms.get(low, low)
            shouted = len(word) > 1 and word.isupper()
            unseen = known and self.others is not None and word not in self.others
            if low in self.words and (place in starts or headline or shouted or unseen):
                out[place] = tokens[place].replace(word, form, 1)
        return out

    def written(self, tokens: Sequence[str], like: Sequence[str]) -> list[str]:
        """Return the tokens of a translation with capitals at the starts of sentences.

        Parameters
        ----------
        tokens : sequence of str
            The translation, its words as inside sentences.
        like : sequence of str
            The tokens of the source as written: where they begin with a small letter, or are all capitals,
            so is the translation.
        """
        if not self.has_case:
            return list(tokens)
        source = [_plain(token) for token in like]
        letters = [word for word in source if any(map(str.isalpha, word)) and word.lower() != word.upper()]
        words = [_plain(token) for token in tokens]
        if sum(len(word) > 1 for word in letters) > 1 and all(map(str.isupper, letters)):
            return [
                token.replace(word, self.upper(word), 1) if word else token
                for token, word in zip(tokens, words, strict=True)
            ]
        begins_small = _begins_small(source) if letters else not self.capitals
        out = list(tokens)
        first = next((place for place, word in enumerate(words) if _is_word(word)), 0)
        for place in self._starts(tokens, words):
            word = words[place]
            if begins_small and place <= first:
                continue
            if word[:1].islower() and (word[1:].islower() or len(word) == 1 or "'" in word):
                out[place] = tokens[place].replace(word, self.upper(word[0]) + word[1:], 1)
        return out

    def _starts(self, tokens: Sequence[str], words: Sequence[str]) -> set[int]:
        return _starts(tokens, words, self.abbreviations, self.speech)


def sentence_starts(tokens: Sequence[str]) -> set[int]:
    """Return the places of tokens that begin a sentence."""
    return _starts(tokens, [_plain(token) for token in tokens])


def places_inside(tokens: Sequence[str]) -> list[int]:
    """Return the places of words whose capitals say how they are written: not at starts, nor in headlines."""
    words = [_plain(token) for token in tokens]
    starts = _starts(tokens, words, speech=True)  # whether it has capitals or not
    if _is_headline(words, starts):
        return []
    return [place for place, word in enumerate(words) if place not in starts and _has_letters(word)]


def _lower(word: str, dotted: bool) -> str:
    return (word.translate(_DOTTED_LOWER) if dotted else word).lower()


def _has_letters(word: str) -> bool:
    return any(map(str.isalpha, word))


def _is_caseless(word: str) -> bool:
    """Tell whether the letters of a word are of a script without capitals."""
    return word.lower() == word.upper()


def _plain(token: str) -> str:
    """Return the word of a token; empty for a placeholder."""
    return "" if kind_of(token) is not None else unescaped(without_marks(token))


def _is_initials(tokens: Sequence[str], place: int) -> bool:
    """Tell whether a word is a part of a name such as AT&T."""
    both = f"{JOINED}&{JOINED}"
    return both in (tokens[max(place - 1, 0)], tokens[min(place + 1, len(tokens) - 1)])


def _is_word(text: str) -> bool:
    return any(map(str.isalnum, text))


def _begins_small(words: Sequence[str]) -> bool:
    """Tell whether a line begins as a part of a sentence; placeholders are empty."""
    if words and not words[0]:  # a piece and a few words are no sentence
        return words[-1][-1:] not in _ENDS or len(words) <= _FRAGMENT
    return next(filter(_is_word, words), "")[:1].islower()


def _starts(
    tokens: Sequence[str],
    words: Sequence[str],
    abbreviations: frozenset[str] = frozenset(),
    speech: bool = False,
) -> set[int]:
    """Return the places of words that begin a sentence; placeholders, which are empty, begin none.

    A sign without a space behind it, as in ``.py``, ends no sentence.
    """
    found, begins = set[int](), True
    for place, word in enumerate(words):
        before = words[place - 1].lower() if place else ""
        if begins and (not word or _is_word(word)):
            if word:
                found.add(place)
            begins = False
        elif word in _GOES_ON:  # "etc., and"
            begins = False
        elif word and word[-1] in _ENDS and tokens[place][-1] != JOINED:
            initial = len(before) == 1 and before.isalpha()
            begins = word != "." or not (initial or before in abbreviations)
        elif speech and word in _QUOTES and before in _BEFORE_SPEECH:
            begins = True
    return found


def _is_headline(words: Sequence[str], starts: set[int]) -> bool:
    """Tell whether most words have a capital, as in English titles."""
    if words and words[-1] in _ENDS:
        return False
    inner = [w for place, w in enumerate(words) if place not in starts and len(w) > _SHORT and w[0].isalpha()]
    large = sum(w[0].isupper() for w in inner)
    return large + len(starts) >= _HEADLINE_WORDS and bool(inner) and large >= _HEADLINE_SHARE * len(inner)
