"""Scripts as pycdec's users wrote them, with the import line changed, run end to end."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
from support import world
from support.waiting import PATIENCE

GRAMMAR = world.grammar("la", "casa", "es", "verde") + world.rule("[X,1] es [X,2]", "[1] is [2]", "Long=1")

ONE_SENTENCE = """\
import sys
import gzip
import hopefear.pycdec as cdec

decoder = cdec.Decoder(formalism='scfg')
decoder.read_weights(sys.argv[1])
print(sorted(dict(decoder.weights).items()))
with gzip.open(sys.argv[2]) as f:
    grammar = f.read()
forest = decoder.translate('la casa es verde', grammar=grammar)
print('best', forest.viterbi(), *forest.viterbi_trees())
print('score', forest.viterbi_features().dot(decoder.weights))
for i, (words, trees, features) in enumerate(
        zip(forest.kbest(3), forest.kbest_trees(3), forest.kbest_features(3)), 1):
    print(i, words, trees[1], dict(features))
for words in forest.sample(2):
    print('sample', words)
before = forest.viterbi_features()
print(dict(forest.inside_outside()))
columns = ((('her', 0, 1), ('a', 0, 1)), (('house', 0, 1), ('home', 0, 1)),
           (('is', 0, 1),), (('green', 0, 1),))
lattice = cdec.Lattice(columns)
assert columns == tuple(lattice)
assert forest.intersect(lattice)
print('reached', forest.viterbi())
print(dict(before - forest.viterbi_features()))
forest.prune(density=100)
"""

MANY_SENTENCES = """\
import sys
import multiprocessing as mp
import hopefear.pycdec as cdec

decoder = None

def make_decoder(config, weights):
    global decoder
    decoder = cdec.Decoder(config)
    decoder.read_weights(weights)

def translate(sentence):
    return decoder.translate(sentence).viterbi()

if __name__ == '__main__':
    with open(sys.argv[1]) as config:
        config = config.read()
    with mp.get_context('spawn').Pool(2, make_decoder, (config, sys.argv[2])) as pool:
        for output in pool.imap(translate, sys.stdin, 1):
            print(output)
"""

TUNING = """\
import sys
import hopefear.pycdec as cdec
import hopefear.pycdec.score

def bleu(hypotheses, references):
    return sum(cdec.score.BLEU(r).evaluate(h) for h, r in zip(hypotheses, references)).score

decoder = cdec.Decoder(open(sys.argv[1]).read())
decoder.read_weights(sys.argv[2])
sources, references = ['la casa', 'la casa es verde'], ['the house', 'the house is green']
sets = [cdec.score.BLEU(r).candidate_set() for r in references]
w = decoder.weights.tosparse()
start = w.copy()
for _ in range(5):
    forests = [decoder.translate(source) for source in sources]
    print('BLEU {:.3f}'.format(bleu((f.viterbi() for f in forests), references)))
    for forest, candidates in zip(forests, sets):
        candidates.add_kbest(forest, 20)
    cost = lambda c: 10 * (1 - c.score)
    for candidates in sets:
        hope = max(candidates, key=lambda c: w.dot(c.fmap) - cost(c)).fmap
        fear = max(candidates, key=lambda c: w.dot(c.fmap) + cost(c)).fmap
        w += 0.5 * ((hope - fear) - 0.01 * (w - start))
    decoder.weights = w
for name, value in sorted(dict(decoder.weights).items()):
    print('{0}\\t{1}'.format(name, value))
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "weights").write_text("Wrong 1.0\nGlue -0.1\nPassThrough -9\n")
    (tmp_path / "rules").write_text(GRAMMAR)
    (tmp_path / "cdec.ini").write_text(
        f"formalism=scfg\ngrammar={tmp_path / 'rules'}\nadd_pass_through_rules=true\n"
        "feature_function=WordPenalty\nfeature_function=RuleIndicators\n"
    )
    with gzip.open(tmp_path / "rules.gz", "wb") as out:
        out.write(GRAMMAR.encode())
    return tmp_path


def run(script: str, folder: Path, *arguments: str, stdin: str = "") -> list[str]:
    path = folder / "script.py"
    path.write_text(script)
    done = subprocess.run(
        [sys.executable, str(path), *arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_one_sentence(files: Path) -> None:
    lines = run(ONE_SENTENCE, files, "weights", "rules.gz")
    assert any(line.startswith("best her home are raw (S ") for line in lines)
    assert sum(line.startswith("sample ") for line in lines) == 2
    assert "reached her home is green" in lines


def test_several_processes_keep_the_order(files: Path) -> None:
    assert run(MANY_SENTENCES, files, "cdec.ini", "weights", stdin="la casa\nverde\nla\n") == [
        "her home",
        "raw",
        "her",
    ]


def test_tuning_in_the_script(files: Path) -> None:
    lines = run(TUNING, files, "cdec.ini", "weights")
    scores = [float(line.split()[1]) for line in lines if line.startswith("BLEU")]
    assert scores[0] < 0.5
    assert scores[-1] == 1.0
    assert any(line.startswith("Right\t") for line in lines)
