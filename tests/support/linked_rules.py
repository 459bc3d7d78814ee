"""A sentence of the toy Japanese, with rules whose words are linked."""

GRAMMAR = """\
[X] ||| [X,1] hana [X,2] ||| [2] flower of [1] ||| p=1 ||| 1-1
[X] ||| ano hito no ||| that person ||| p=1 ||| 0-0 1-1
[X] ||| ga saku ||| does bloom bloom ||| p=1 ||| 1-2 1-1
[S] ||| [X,1] ||| [1] ||| p=0
"""
"""Its one derivation is "does bloom bloom flower of that person".

Its links are saku-bloom, saku-bloom, hana-flower, ano-that and hito-person.
"""

WORDS = ("ano", "hito", "no", "hana", "ga", "saku")
