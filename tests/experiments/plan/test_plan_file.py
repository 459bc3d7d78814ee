from __future__ import annotations

from pathlib import Path

import pytest
from support import CHECKOUT

from hopefear.base import InputError
from hopefear.experiments import TunerChoice, cells_of, find_plan, read_plan
from hopefear.experiments.plan.plan_file import PLANS
from hopefear.tuners.catalogue import make_tuner

PLAN = Path(__file__).with_suffix(".toml").read_text("utf-8")

CORPORA = """\
[[corpora]]
title = "Data"
sets = ["dev", "train"]

[[tables]]"""


def read(folder: Path, text: str = PLAN, **options):
    path = folder / "plan.toml"
    path.write_text(text)
    return read_plan(path, folder / "out", **{"data": Path("/data"), **options})


def test_paths_are_relative_to_the_plan_and_name_the_data_folder(tmp_path):
    plan = read(tmp_path)
    assert plan.sets["dev"].config == tmp_path / "cdec.ini"
    assert plan.sets["dev"].lines == (0, 250)
    assert plan.sets["test"].source == Path("/data/test.f")
    assert plan.sets["test"].annotation_files == {"trees": Path("/data/test.trees")}
    assert plan.systems["rules"].weights == tmp_path / "w"


def test_tuners_may_have_a_grid(tmp_path):
    plan = read(tmp_path)
    assert plan.tuners["MERT"] == TunerChoice("MERT", "Mert k=10")
    assert plan.tuners["SVM"] == TunerChoice("SVM", "StructuralSvm", {"lam": ("0.1", "1"), "Q": ("10",)}, 3)


def test_families_of_a_tuner_are_part_of_its_line(tmp_path):
    families = """\
[tuners.Families]
line = "Mira"
families = {"R:*" = {rate = 0.5, l2 = 0.01}, Glue = {fixed = true}}

[tuners]
"""
    plan = read(tmp_path, PLAN.replace("[tuners]", families))
    tuner = make_tuner(plan.tuners["Families"].line)
    assert tuner.families == {"R:*": {"rate": 0.5, "l2": 0.01}, "Glue": {"fixed": True}}


def test_families_that_a_tuner_cannot_take_are_refused_with_the_line_of_the_plan(tmp_path):
    families = "[tuners.Families]\nline = 'Pro'\nfamilies.'R:*' = {rate = 0.5}\n\n[tuners]\n"
    with pytest.raises(InputError, match=r"'R:\*': Pro has no rate for families; it takes l1"):
        read(tmp_path, PLAN.replace("[tuners]", families))


def test_cells_are_all_combinations(tmp_path):
    cells = cells_of(read(tmp_path))
    assert len(cells) == len({cell.name for cell in cells}) == 2 * 2 * 2 * 3
    assert {(c.system.name, c.tuner.name, c.size, c.draw) for c in cells} == {
        (s, t, n, d) for s in ("base", "rules") for t in ("MERT", "SVM") for n in (10, 20) for d in (1, 2, 3)
    }
    assert all(list(cell.tests) == ["dev", "test"] for cell in cells)


def test_a_whole_set_has_one_draw(tmp_path):
    cells = cells_of(read(tmp_path, PLAN.replace("sizes = [10, 20]", "sizes = [10, 0]")))
    assert len(cells) == 2 * 2 * (3 + 1)
    assert {(cell.size, cell.draw) for cell in cells} == {(10, 1), (10, 2), (10, 3), (0, 1)}


def test_quick_replaces_what_it_names(tmp_path):
    plan = read(tmp_path, quick=True)
    assert plan.tuners["MERT"].line == "Mert k=5"
    assert plan.tuners["SVM"].line == "StructuralSvm"
    assert len(cells_of(plan)) == 2 * 2 * 2


def test_a_run_comes_after_the_one_it_starts_from(tmp_path):
    more = """
[[runs]]
systems = ["rules"]
tuners = ["SVM"]
tune = ["dev"]
test = ["test"]
start = ["base", "MERT"]
"""
    base = PLAN[PLAN.index("[[tables]]") :]
    text = PLAN[: PLAN.index("[[runs]]")] + more + '[[runs]]\nsystems = ["base"]\ntuners = ["MERT"]\n'
    cells = cells_of(read(tmp_path, text + 'tune = ["dev"]\ntest = ["test"]\n' + base))
    assert [cell.start for cell in cells] == [None, cells[0].name]


def test_a_start_that_is_not_in_the_plan_is_refused(tmp_path):
    text = PLAN.replace('tune = ["dev"]', 'tune = ["dev"]\nstart = ["base", "MERT"]\nsystems = ["rules"]')
    with pytest.raises(InputError, match="there is no such run"):
        cells_of(read(tmp_path, text))


def test_the_same_run_twice_is_refused(tmp_path):
    with pytest.raises(InputError, match="is defined twice"):
        cells_of(read(tmp_path, PLAN.replace("draws = [1, 2, 3]", "draws = [1, 1]")))


TITLE = 'title = "A plan"'
CONFIG = 'config = "cdec.ini"'
SOURCE = 'source = "dev.f"'
DRAWS = "draws = [1, 2, 3]"
LINES = "lines = [0, 250]"
TEST = 'test = ["dev", "test"]'
MERT = '"Mert k=10"'
TABLES = "[[tables]]"
WRONG_CURVE = '[[curves]]\ntitle = "C"\nseries = ["tuner"]\nwhere = { tested_on = "tset" }'


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (TITLE, "", None, "title: expected a value, got nothing"),
        (TITLE, "title = 3", "title = 3", "title: expected text, got a whole number"),
        (TITLE, "title = ", "title = ", "expected TOML"),
        (CONFIG, 'config = "cdec.ini"\ncolour = 1', "colour = 1", "sets.dev.colour: unknown"),
        (SOURCE, "", "[sets.dev]", "sets.dev.source: expected a path"),
        (SOURCE, 'source = "dev.f"\nname = "x"', "name = ", "sets.dev.name: unknown"),
        (SOURCE, 'source = "dev.f"\nfold = 1', "fold = ", "sets.dev.fold: expected the key build"),
        (SOURCE, "source = 3", "source = ", "sets.dev.source: expected text, got 3"),
        (CONFIG, "", "[sets.dev]", "sets.dev.config: expected either config or build"),
        (MERT, '{ line = "Mert", adapt = ["lm"] }', "MERT = ", "tuners.MERT.live: expected text beside"),
        (LINES, "lines = [250, 0]", "lines = [250, 0]", "sets.dev.lines: expected"),
        (
            LINES,
            "lines = [0.5, 2]",
            "lines = [0.5, 2]",
            "sets.dev.lines 1: expected a whole number, got a number",
        ),
        ("base = {}", "base = 3", "base = 3", "systems.base: expected a table"),
        ('line = "StructuralSvm", ', "", "SVM = ", "tuners.SVM.line: expected text"),
        ('tune = ["dev"]', 'tune = ["dew"]', "tune = ", "dew: unknown, near: dev"),
        (TEST, 'test = "dev"', 'test = "dev"', "runs 1.test: expected a table, got text"),
        (TEST, "", "[[runs]]", "runs 1.test: expected a value"),
        (DRAWS, "draws = []", "draws = ", "runs 1.draws: expected a list of length >= 1"),
        (DRAWS, f"draws = [{2**63}]", "draws = ", "runs 1.draws 1: expected a whole number <= 9"),
        (DRAWS, "draws = [-1]", "draws = ", "runs 1.draws 1: expected a whole number >= 0"),
        ('columns = ["tested_on"]', 'columns = ["colour"]', "columns = ", "colour: unknown, near: score"),
        ("size = 10,", "sise = 10,", "where = ", "sise: unknown, near: size"),
        ("size = 10,", 'size = "10",', "where = ", "where: size: expected a whole number, got text"),
        ("size = 10,", "size = [[1]],", "where = ", "where: size: expected a whole number, got a list"),
        ("where = {", "baseline = {", "baseline = ", "expected one tuner, got ['MERT', 'SVM']"),
        ('tuner = ["MERT"', 'tuner = ["MRT"', "where = ", "tables 1.where.tuner: MRT: unknown, near: MERT"),
        ("size = 10,", "draw = 11,", "where = ", "tables 1.where.draw: 11: unknown, near: "),
        ("size = 10,", 'metric = "BLUE",', "where = ", "tables 1.where.metric: BLUE: unknown, near: BLEU"),
        (
            "where = {",
            'baseline = { system = "bass" }\nwhere = {',
            "baseline = ",
            "baseline.system: bass: unk",
        ),
        (
            TABLES,
            f"{WRONG_CURVE}\n[[tables]]",
            "where = ",
            "curves 1.where.tested_on: tset: unknown, near: t",
        ),
        (TITLE, 'title = "A plan"\nmetrics = ["bleu", "blue"]', "metrics = ", "unknown metric"),
        (TITLE, 'title = "A plan"\nmetrics = []', "metrics = ", "metrics: expected a list of length >= 1"),
        (MERT, '"Mret k=10"', "MERT = ", "tuners.MERT.line: Mret: unknown tuner, near: Mert"),
        (MERT, '"Mert seed=1"', "MERT = ", "tuners.MERT.line: expected seeds in [[runs]]"),
        ("Q = [10]", "R = [10]", "SVM = ", "tuners.SVM.grid: StructuralSvm: unknown setting R"),
        ("folds = 3", "folds = 2.5", "SVM = ", "tuners.SVM.folds: expected a whole number"),
        ("folds = 3", "folds = 1", "SVM = ", "tuners.SVM.folds: expected a whole number >= 2"),
        ('MERT = "Mert k=5"', 'MART = "Mert k=5"', "[quick.tuners]", "MART: unknown, near: MERT"),
        ('tune = ["dev"]', "tune = []", "tune = ", "runs 1.tune: expected a list of length >= 1"),
        (TEST, 'test = { "a/b" = "dev" }', "test = ", "expected names without slashes"),
        ("[systems]", '[sets."fold 2"]\ncolour = 1\n[systems]', "colour = 1", "sets.fold 2.colour: unknown"),
        (
            "[systems]\nbase = {}\nrules = {",
            '[systems.rule-x]\n[systems."rule x"]\ncolour = 1\n[systems.y]\nz = {',
            "colour = 1",
            "systems.rule x.colour: unknown",
        ),
        (
            TABLES,
            "[[prepare]]\noutput = '..'\ncommand = 'x'\n[[tables]]",
            "output = ",
            "expected names with / between them",
        ),
        (
            TABLES,
            "[[prepare]]\noutput = 'x'\ncommand = '\"'\n[[tables]]",
            "command = ",
            "prepare 1.command: no closing",
        ),
        (TABLES, CORPORA, "sets = ", "corpora 1.sets: train: unknown"),
        (TABLES, '[[curves]]\ntitle = "C"\nx = "Q"\nseries = ["tuner"]\n[[tables]]', "x = ", "Q: unknown"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path, old, new, line, message):
    assert PLAN.count(old) == 1
    with pytest.raises(InputError) as caught:
        read(tmp_path, PLAN.replace(old, new))
    assert message in str(caught.value)
    assert caught.value.path == str(tmp_path / "plan.toml")
    lines = (tmp_path / "plan.toml").read_text().splitlines()
    found = None if caught.value.line is None else lines[caught.value.line - 1]
    assert found is None if line is None else str(found).startswith(line)


def test_the_data_folder_must_be_given_where_it_is_named(tmp_path):
    with pytest.raises(InputError, match=r"--data FOLDER"):
        read(tmp_path, data=None)


def test_missing_plans_are_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_plan(find_plan(str(tmp_path / "none.toml")), tmp_path)
    with pytest.raises(InputError, match="chiang2009: unknown plan, near: chiang2008"):
        find_plan("chiang2009")


@pytest.mark.parametrize("name", sorted(path.stem for path in PLANS.glob("*.toml")))
@pytest.mark.parametrize("quick", [False, True])
def test_plans_that_come_with_hopefear_can_be_read(tmp_path, name, quick):
    plan = read_plan(find_plan(name), tmp_path, data=Path("/data"), quick=quick)
    assert cells_of(plan)
    assert plan.tables


def test_there_is_a_plan_for_each_paper():
    assert {path.stem for path in PLANS.glob("*.toml")} >= {"chiang2008", "hayashi2009", "watanabe2007"}


def test_the_plan_of_the_documentation_can_be_read(tmp_path):
    page = CHECKOUT / "docs" / "use" / "experiments.md"
    _, _, rest = page.read_text("utf-8").partition("```toml\n")
    plan = read(tmp_path, rest.partition("```")[0])
    assert len(cells_of(plan)) == 2 * 2 * (2 * 2 + 1) * 3
    assert plan.tables and plan.curves


def test_what_is_prepared_otherwise_makes_other_runs_of_those_that_need_it(tmp_path):
    """What features name, what that is made from, and what the run needs that another one starts from."""

    def fingerprints(**commands):
        text = """
title = "Three systems"
sets.dev = {config = "cdec.ini", source = "dev.es"}
systems.base = {}
systems.more = {features = ["SoftSyntax -t {prepared}/more"]}
systems.most = {features = ["SoftSyntax -t {prepared}/more", "SoftSyntax -t {prepared}/most"]}
tuners = {MIRA = "Mira", PRO = "Pro"}
runs = [
  {systems = ["base", "more", "most"], tuners = ["MIRA"], tune = ["dev"], test = ["dev"]},
  {systems = ["base"], tuners = ["PRO"], tune = ["dev"], test = ["dev"], start = ["more", "MIRA"]},
]
"""
        for name, needs in (("links", ""), ("more", " {prepared}/links"), ("most", ""), ("none", "")):
            command = commands.get(name, "list")
            text += f'[[prepare]]\noutput = "{name}"\ncommand = "hopefear {command}{needs} {{output}}"\n'
        cells = cells_of(read(tmp_path, text))
        return {"-".join(cell.name.split("-")[:2]): cell.fingerprint(tmp_path) for cell in cells}

    before = fingerprints()
    for changed, others in (
        ("links", {"more-MIRA", "most-MIRA", "base-PRO"}),
        ("more", {"more-MIRA", "most-MIRA", "base-PRO"}),
        ("most", {"most-MIRA"}),
        ("none", set()),
    ):
        after = fingerprints(**{changed: "features"})
        assert {name for name in before if before[name] != after[name]} == others


VARIANTS = """\
[systems.some]
features = ["Arity", "RuleShape --classes c"]
leave_one_out = ["Arity", "RuleShape --classes c"]
add_one_in = ["SpanSize"]

[tuners]"""


def test_systems_with_one_feature_less_or_more(tmp_path: Path) -> None:
    plan = read(tmp_path, PLAN.replace("[tuners]", VARIANTS), data=tmp_path)
    features = {name: [*system.features] for name, system in plan.systems.items()}
    assert features == {
        "base": [],
        "rules": ["RuleIndicators"],
        "some": ["Arity", "RuleShape --classes c"],
        "some-Arity": ["RuleShape --classes c"],
        "some-RuleShape_classes_c": ["Arity"],
        "some+SpanSize": ["Arity", "RuleShape --classes c", "SpanSize"],
    }
    assert plan.runs[0].systems == tuple(features)
    assert len({cell.name for cell in cells_of(plan)}) == 6 * 2 * 2 * 3
    settings = {cell.fingerprint(tmp_path) for cell in cells_of(plan)}
    alone = read(
        tmp_path, PLAN.replace("[tuners]", VARIANTS.partition("leave")[0] + "[tuners]"), data=tmp_path
    )
    assert {cell.fingerprint(tmp_path) for cell in cells_of(alone)} < settings


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('leave_one_out = ["Arty"]', "systems.base.leave_one_out: Arty: unknown, near: Arity"),
        (
            'add_one_in = ["Arity"]',
            "systems.base.add_one_in: expected other features than its own, got Arity",
        ),
        ('add_one_in = ["SpanSize", "SpanSize"]', "systems.base: there is a system base[+]SpanSize already"),
    ],
)
def test_wrong_variants(tmp_path: Path, line: str, message: str) -> None:
    text = PLAN.replace("base = {}", 'base = { features = ["Arity"], ' + line + " }")
    with pytest.raises(InputError, match=message):
        read(tmp_path, text, data=tmp_path)


def test_a_system_with_a_cdec_ini_of_its_own(tmp_path: Path) -> None:
    text = PLAN.replace("base = {}", 'base = { config = "other/cdec.ini" }')
    cells = cells_of(read(tmp_path, text, data=tmp_path))
    configs = {cell.system.name: {one.config for one in cell.sets} for cell in cells}
    assert configs["base"] == {tmp_path / "other/cdec.ini"}
    assert configs["rules"] == {tmp_path / "cdec.ini"}
    built = text.replace('config = "cdec.ini"', 'build = "system"')
    with pytest.raises(InputError, match="expected sets with a config, got a build: dev"):
        read(tmp_path, built, data=tmp_path)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            'better = { tuner = "SVM" }\nworse = { tuner = "PRO" }',
            "worse.tuner: PRO: unknown, known: MERT, SVM",
        ),
        ('better = { tuner = "SVM" }\nworse = { system = "base" }', "expected the keys of better, tuner"),
        ('better = { tested_on = "dev" }\nworse = { tested_on = "test" }', "better: tested_on: unknown"),
        ('better = { tuner = "SVM" }\nworse = { tuner = "MERT" }\npaper = 0', "paper"),
        ('better = { tuner = "SVM" }\nworse = { tuner = "MERT" }\nwhere = { size = "x" }', "where"),
    ],
)
def test_wrong_claims(tmp_path: Path, lines: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, f'{PLAN}\n[[claims]]\ntext = "It is so"\n{lines}\n', data=tmp_path)
