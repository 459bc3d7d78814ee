"""``hopefear plugins``: the feature functions that a cdec.ini can name."""

from __future__ import annotations

from .errors import refusing, warn

ENGINE = {
    "KLanguageModel": ("state", "n-gram model: [-x] [-n NAME] [-m MAP] PATH"),
    "WordPenalty": ("rule", "-1/ln 10 for each target word"),
    "SourceWordPenalty": ("rule", "-1/ln 10 for each source word"),
    "ArityPenalty": ("rule", "Arity_k: -1/ln 10 for each rule with k nonterminals"),
}
"""The engine's own feature functions: level, and what they give."""


@refusing
def plugins() -> None:
    """List the feature functions that a cdec.ini can name: level, name, what it is.

    A line feature_function=NAME arguments, or feature_function=package.module:Class arguments for a class of
    your own, turns one on.
    """
    import inspect

    from hopefear.decoder import InputError
    from hopefear.plugins import EdgeFeatures, find, known

    rows = [(level, name, what) for name, (level, what) in ENGINE.items()]
    for name in known():
        try:
            plugin = find(name)
        except InputError as error:  # of a package that does not load; the others are listed
            warn(str(error))
            continue
        level = "edge" if issubclass(plugin, EdgeFeatures) else "rule"
        rows.append((level, name, (inspect.getdoc(plugin) or "").partition("\n")[0]))
    width = max(len(name) for _, name, _ in rows)
    for level, name, what in sorted(rows, key=lambda row: row[1]):
        print(f"{level:5}  {name:{width}}  {what}")
