"""Stand-ins for link-parser, spaCy and Stanza: programs and modules in a folder."""

from __future__ import annotations

import sys
from pathlib import Path

# What link-parser 5.12 printed for such lines; the last three are not its own.
ANSWERS = {
    " he lived a hard life .": "(S (NP he) (VP lived.v-d (NP (ADJP a hard.a) life.s)) .)",
    " I'm sorry xyzzy .": "(S (NP I.p) (VP 'm (NP sorry.a xyzzy{?}.n)) .)",
    " I can't swim at all .": "(S (NP I.p) (VP can't (VP swim.v (PP at (NP all.a)))) .)",
    " the dog's bone isn't $5.00 .": "(S (NP (NP the dog.n 's.p) bone.n) (VP isn't (NP $ 5.00{!})) .)",
    " [ hello ] { you } ( there ) .": "(S {{} (S (VP hello.ij {}} {{} (S (VP you)))) {}} {{} {there} {}} .)",
    " ! hello there .": "(S {!} (S (VP hello there)) .)",
    " of of of": "(S {of} {of} {of})",
    " there was evening and there was morning .": "(S (NP there.r) (VP was.v-d (NP evening.g)))",
    " a time . now .": "(S (NP a time.n) . (S now.r) .)",
    " other words": "(S (NP other.a sentences.n))",
    " unclosed": "(S (NP unclosed.v)",
}

LINK_PARSER = f"""#!{sys.executable}
import os, sys, time
if sys.argv[1] != "en":
    sys.exit("link-grammar: Fatal error: Unable to open dictionary.")
assert "-constituents=3" in sys.argv and "-echo=1" in sys.argv
print("verbosity set to 0")
for line in sys.stdin:
    line = line.rstrip("\\n")
    if "crash" in line:
        os._exit(139)
    while "wait" in line and not os.path.exists("go"):
        time.sleep(0.01)
    print(line)
    answer = {ANSWERS!r}.get(line)
    if answer:
        print(answer + "\\n")
    sys.stdout.flush()
print("Bye.")
"""

# Each token depends on the next, the last one is the root.
SPACY = """
class Token:
    def __init__(self, doc, i):
        self.doc, self.i, self.text = doc, i, doc.words[i]
        self.lemma_, self.pos_, self.tag_, self.morph, self.dep_ = self.text.lower(), "X", "", "", "dep"
    @property
    def head(self):
        return self.doc[min(self.i + 1, len(self.doc.words) - 1)]

class Doc:
    def __init__(self, vocab, words, sent_starts):
        assert words and sent_starts == [True] + [False] * (len(words) - 1)
        self.words = words
    def __getitem__(self, i):
        return Token(self, i)
    def __iter__(self):
        return map(self.__getitem__, range(len(self.words)))
    def has_annotation(self, name):
        return name == "DEP" and Pipeline.parses

class Pipeline:
    vocab = None
    parses = True
    def __call__(self, doc):
        return doc
    def pipe(self, docs, batch_size):
        return iter(docs)

def load(name):
    if name == "none":
        raise OSError("[E050] Can't find model 'none'.")
    Pipeline.parses = name != "blank"
    return Pipeline()
"""

STANZA = """
from types import SimpleNamespace as Namespace

class Pipeline:
    def __init__(self, language, *, processors, tokenize_pretokenized, download_method, verbose):
        assert tokenize_pretokenized and download_method is None and "depparse" in processors
        if language != "es":
            raise FileNotFoundError("resources.json")
    def __call__(self, sentences):
        return Namespace(sentences=[
            Namespace(words=[
                Namespace(lemma=None, upos="N", xpos="n", feats="A=1", head=i, deprel="dep" if i else "root")
                for i, _ in enumerate(tokens)
            ])
            for tokens in sentences
        ])
"""


def write_fakes(folder: Path) -> None:
    """Put the program and the modules there."""
    program = folder / "link-parser"
    program.write_text(LINK_PARSER)
    program.chmod(0o755)
    for name, text in (("spacy", SPACY), ("stanza", STANZA)):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(text)
    (folder / "spacy" / "tokens.py").write_text("from . import Doc\n")
