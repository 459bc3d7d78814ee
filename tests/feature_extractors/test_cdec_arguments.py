"""Arguments and files that the families of cdec's names refuse."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.plugin_batches import Edges, Sentence, fired

from hopefear.plugins import InputError, PluginError, create


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ParseMatchFeatures x", "method must be binary, linear, exponential or relative, got 'x'"),
        ("SoftSyntaxFeatures", "SoftSyntaxFeatures: --labels must be given"),
        ("SoftSyntaxFeatures NP", "labels must be labels, each followed by 2, _, + or -, got ('NP',)"),
        ("SoftSyntaxFeaturesMindist NP2 VP", "got ('NP2', 'VP')"),
        ("SourceSyntaxFeatures missing", "missing: cannot be read"),
        ("NgramFeatures -o 6", "NgramFeatures: order must be 1 to 5, got 6"),
        ("NgramFeatures -S 'a b'", "a part of a name must not contain white space, got 'a b'"),
        ("NgramFeatures -c missing", "missing: cannot be read"),
        ("NgramFeatures -4", "NgramFeatures: -4 needs a value"),
        ("WordSet -v words", "WordSet: --name must be given"),
        ("WordSet -v missing -N Words", "missing: cannot be read"),
        ("WordSet -v missing -N 'a b'", "name must not contain white space"),
        ("WordPairFeatures missing", "missing: cannot be read"),
        ("LexicalTranslationTrigger", "--triggers must be given"),
        ("RuleContextFeatures -t U:%x[0]", "template must have one or more %x[k], and %y[0], got 'U:%x[0]'"),
        ("RuleContextFeatures -t %x[0]%y[1]", "template must have one or more %x[k], and %y[0]"),
    ],
)
def test_arguments_are_checked(line: str, message: str) -> None:
    with pytest.raises((PluginError, InputError)) as caught:
        create(line).prepare()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        ("WordSet -N Words -v file", "a\nb c\n", "file:2: expected one word, got 'b c'"),
        ("WordPairFeatures file", "", "file: expected lines f ||| e ||| name=value, got an empty file"),
        ("WordPairFeatures file", "a ||| b ||| p=1\na b ||| p=1\n", "file:2: expected f |||"),
        ("WordPairFeatures file", "a ||| b ||| p\n", "file:1: expected name=value, got 'p'"),
        ("WordPairFeatures file", "a ||| b ||| p=nan\n", "file:1: expected name=value, got 'p=nan'"),
        ("NgramFeatures -c file", "1 a\n2\n", "file:2: expected a cluster and a word, got '2'"),
    ],
)
def test_files_are_checked(line: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(InputError) as caught:
        create(line, base=tmp_path).prepare()
    assert message in str(caught.value)


def test_a_sentence_without_triggers_is_refused(tmp_path: Path) -> None:
    (tmp_path / "triggers").write_text("a\nb\n")
    plugin = create("LexicalTranslationTrigger triggers", base=tmp_path)
    with pytest.raises(InputError, match="triggers:3: expected triggers of sentence 3"):
        fired(plugin, Edges(1, [(0, (0, 1), [])]), Sentence(("a",), id=2))
