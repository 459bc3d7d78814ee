"""The plural forms of languages, for catalogues whose header does not state them."""

from __future__ import annotations

from hopefear.base.texts import split_words

_ONE = (1, "0")
_TWO = (2, "(n != 1)")
_TWO_FROM_TWO = (2, "(n > 1)")
_EAST_SLAVIC = (
    3,
    "(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2)",
)
_RULES = {
    _ONE: "ja ko zh vi th id ms lo km my bo dz",
    _TWO_FROM_TWO: "fr pt_br oc br fil tl ti ln mg mi wa uz hy am fa hi bn gu kn zu",
    _EAST_SLAVIC: "ru uk be sr hr bs",
    (3, "(n==1 ? 0 : (n>=2 && n<=4) ? 1 : 2)"): "cs sk",
    (3, "(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2)"): "pl",
    (3, "(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2)"): "lt",
    (3, "(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2)"): "lv",
    (3, "(n==1 ? 0 : (n==0 || (n%100 > 0 && n%100 < 20)) ? 1 : 2)"): "ro",
    (4, "(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3)"): "sl",
    (6, "(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5)"): "ar",
    (5, "(n==1 ? 0 : n==2 ? 1 : n<7 ? 2 : n<11 ? 3 : 4)"): "ga",
    (4, "(n==1 ? 0 : n==2 ? 1 : (n != 8 && n != 11) ? 2 : 3)"): "cy",
}
_OF_LANGUAGE = {language: rule for rule, languages in _RULES.items() for language in split_words(languages)}


def plural_forms(language: str) -> tuple[int, str]:
    """Return the number of plural forms of a language, and the rule that chooses one, as gettext writes it.

    Languages that are not listed have two, as most have.
    """
    code = language.lower().replace("-", "_")
    return _OF_LANGUAGE.get(code) or _OF_LANGUAGE.get(code.partition("_")[0], _TWO)
