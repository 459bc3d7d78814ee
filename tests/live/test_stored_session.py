from __future__ import annotations

import json
import shutil
from itertools import count

import pytest
from support.full_disk import small_files
from support.sessions import (
    DRAGON,
    PAIRS,
    RESTORED,
    WITHDRAWN,
    adapting_decoder,
    example,
    session_of,
    teach,
)

from hopefear.base import InputError
from hopefear.live import Forget, RuleSides, StoredSession, Withdrawn


def new_session(ini, **options):
    return session_of(adapting_decoder(ini), **options)


def store(ini, tmp_path, number=2, *, saved=False):
    """Leave the files of a session of some corrections, which its state has or only its journal."""
    with StoredSession(new_session(ini), tmp_path / "s") as stored:
        teach(stored.session, PAIRS[:number])
        if saved:
            stored.save()


def content(session):
    """Return what is in force, and facts and arrays of a state; sums of 0 at the end may be left out."""
    state, ledger = session.get_state(), session.active
    arrays = {name: a.tobytes().rstrip(b"\0") for name, a in state["arrays"].items()}
    return json.dumps(state["facts"]), arrays, ledger.corrections, ledger.withdrawn, ledger.accepted


@pytest.mark.parametrize("saved_after", [0, 2, 4])
@pytest.mark.parametrize("forget", [None, Forget(most=2)])
def test_a_killed_session_goes_on_as_if_it_had_not_been(ini, tmp_path, saved_after, forget):
    whole = new_session(ini, forget=forget)
    with StoredSession(whole, tmp_path / "w.session") as stored:
        teach(stored.session, PAIRS[:saved_after])
        stored.save()
        teach(stored.session, PAIRS[saved_after:4])
        for name in ("w.session", "w.session.journal"):  # what a kill would leave
            shutil.copy(tmp_path / name, tmp_path / f"killed-{name}")
        rest = teach(stored.session, PAIRS[4:])
    times = count(1004)
    again = new_session(ini, forget=forget, clock=lambda: float(next(times)))
    (tmp_path / "killed-w.session.journal").rename(tmp_path / "x.journal")
    (tmp_path / "killed-w.session").rename(tmp_path / "x")
    with StoredSession(again, tmp_path / "x", resume=True) as stored:
        assert stored.replayed == 4 - saved_after
        assert teach(stored.session, PAIRS[4:]) == rest
    assert content(again) == content(whole)


def test_accepted_and_never_learned(ini, tmp_path):
    """The process was killed between the two."""
    with StoredSession(new_session(ini), tmp_path / "s") as stored:
        stored.session.accept(example(PAIRS[3]))
    with StoredSession(new_session(ini), tmp_path / "s", resume=True) as stored:
        assert stored.replayed == 1
        assert stored.session.active.accepted == 1
        assert stored.session.translate(example("zorgulo es verde")).viterbi() == "dragon is green"


def test_the_state_spares_learning_once_more(ini, tmp_path):
    with StoredSession(new_session(ini), tmp_path / "s") as stored:
        teach(stored.session, PAIRS[:2])
        stored.save()
        expected = content(stored.session)
    with StoredSession(new_session(ini), tmp_path / "s", resume=True) as stored:
        assert stored.replayed == 0
        assert content(stored.session) == expected


@pytest.mark.parametrize("kept", [0, 1])
def test_a_journal_without_events_of_the_state_is_refused(ini, tmp_path, kept):
    store(ini, tmp_path, saved=True)
    journal = (tmp_path / "s.journal").read_bytes().splitlines(keepends=True)
    (tmp_path / "s.journal").write_bytes(b"".join(journal[:kept]))
    with pytest.raises(InputError, match=f"s: expected the 2 events of the session, got {kept}"):
        StoredSession(new_session(ini), tmp_path / "s", resume=True)


def test_a_journal_without_a_state_is_not_written_to(ini, tmp_path):
    store(ini, tmp_path, 1)
    (tmp_path / "s").unlink()
    before = (tmp_path / "s.journal").read_bytes()
    with pytest.raises(InputError, match=r"s\.journal: expected no events of another session"):
        StoredSession(new_session(ini), tmp_path / "s")
    assert (tmp_path / "s.journal").read_bytes() == before


def test_the_rest_of_a_line_is_no_correction(ini, tmp_path):
    store(ini, tmp_path)
    journal = (tmp_path / "s.journal").read_bytes()
    (tmp_path / "s.journal").write_bytes(journal[:-5])
    with StoredSession(new_session(ini), tmp_path / "s", resume=True) as stored:
        assert stored.session.active.accepted == 1
    assert (tmp_path / "s.journal").read_bytes() == journal.splitlines(keepends=True)[0]


def test_what_was_withdrawn_stays_withdrawn(ini, tmp_path):
    with StoredSession(new_session(ini), tmp_path / "s") as stored:
        teach(stored.session, PAIRS[:4])
        stored.session.take(Withdrawn(4))
        with pytest.raises(KeyError):
            stored.session.take(Withdrawn(4))
        expected = content(stored.session)
    with StoredSession(new_session(ini), tmp_path / "s", resume=True) as stored:
        assert content(stored.session) == expected
        assert not stored.session.learned_rules(example("zorgulo"))


@pytest.mark.parametrize("saved_after", [0, 1, 2, 3])
def test_rules_that_were_withdrawn_stay_so(ini, tmp_path, saved_after):
    steps = [WITHDRAWN, RESTORED, WITHDRAWN]
    whole = new_session(ini)
    with StoredSession(whole, tmp_path / "s") as stored:
        teach(stored.session, PAIRS[:4])
        for done, step in enumerate(steps):
            if done == saved_after:
                stored.save()
            whole.take(step)
        teach(stored.session, PAIRS[4:5])
        if saved_after == len(steps):
            stored.save()
        with pytest.raises(KeyError):
            whole.take(WITHDRAWN)
        assert whole.active.withdrawn == {DRAGON: 5}
    again = new_session(ini)
    with StoredSession(again, tmp_path / "s", resume=True):
        assert content(again) == content(whole)
        assert not any(RuleSides.of(rule) == DRAGON for rule in again.learned_rules(example("zorgulo")))


def test_annotations_are_in_the_journal(ini, tmp_path):
    segment = example('<seg id="a" parse="(S (DT la) (NN casa))">la casa</seg> ||| the house ||| the home')
    with StoredSession(new_session(ini), tmp_path / "s") as stored:
        stored.session.accept(segment)
    session, seen = new_session(ini), []
    session.readers.append(seen.append)
    with StoredSession(session, tmp_path / "s", resume=True):
        pass
    assert [event.segment for event in seen] == [segment]


def test_one_process_at_a_time_and_no_session_is_overwritten(ini, tmp_path):
    path = tmp_path / "s"
    taken = pytest.raises(InputError, match="another session uses this file")
    with StoredSession(new_session(ini), path), taken:
        StoredSession(new_session(ini), path, resume=True)
    with pytest.raises(InputError, match="expected a new file, got one that exists"):
        StoredSession(new_session(ini), path)
    with pytest.raises(InputError, match="no such file; expected a session"):
        StoredSession(new_session(ini), tmp_path / "none", resume=True)
    with StoredSession(new_session(ini), path, resume=True):
        pass


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda line: line[:30] + b"x" + line[31:], "s.journal:1: .*missing or wrong: the checksum"),
        (lambda line: b"{}\n", "s.journal:1: .*missing or wrong: the checksum"),
        (lambda line: b"\xff" + line, "s.journal:1: "),
        (lambda line: line.partition(b"\n")[2], "s.journal:1: .*expected correction 1, got 2"),
        (lambda line: line.partition(b"\n")[0] + b"\n" + line, "s.journal:2: .*expected correction 2, got 1"),
        (lambda line: line.replace(b"\n", b"", 1), "s.journal:1: .*missing or wrong: the checksum"),
        (lambda line: line + Withdrawn(7).line(), "s.journal:3: the event does not follow"),
        (
            lambda line: line + b"Nov 28 host kernel: a line\n",
            "s.journal:3: .*missing or wrong: the checksum",
        ),
    ],
)
def test_damaged_journals(ini, tmp_path, change, message):
    store(ini, tmp_path)
    journal = (tmp_path / "s.journal").read_bytes()
    (tmp_path / "s.journal").write_bytes(change(journal))
    with pytest.raises(InputError, match=message):
        StoredSession(new_session(ini), tmp_path / "s", resume=True)
    assert (tmp_path / "s.journal").read_bytes() == change(journal)


def test_a_clock_that_goes_back_changes_no_order_and_forgets_nothing_early(ini, tmp_path):
    times = iter([1000.0, 10.0, -5.0, 2e9])
    session = new_session(ini, clock=lambda: next(times), forget=Forget(seconds=100))
    with StoredSession(session, tmp_path / "s") as stored:
        teach(stored.session, PAIRS[:3])
        assert [*session.active.corrections] == [1, 2, 3]
        expected = content(session)
    again = new_session(ini, clock=lambda: next(times), forget=Forget(seconds=100))
    with StoredSession(again, tmp_path / "s", resume=True):
        assert content(again) == expected
        teach(again, PAIRS[3:4])
        assert [*again.active.corrections] == [4]


def test_damaged_states(ini, tmp_path):
    store(ini, tmp_path, saved=True)
    whole = (tmp_path / "s").read_bytes()
    for damaged in (b"", whole[:-1], whole[:100] + b"x" + whole[101:]):
        (tmp_path / "s").write_bytes(damaged)
        with pytest.raises(InputError, match=r"s: the file is not a checkpoint"):
            StoredSession(new_session(ini), tmp_path / "s", resume=True)


def test_a_full_disk_accepts_nothing(ini, tmp_path):
    with StoredSession(new_session(ini), tmp_path / "s") as stored:
        teach(stored.session, PAIRS[:1])
        before = (tmp_path / "s.journal").read_bytes()
        with small_files(len(before) + 10), pytest.raises(OSError, match=r"s\.journal"):
            stored.session.accept(example(PAIRS[1]))
        assert (tmp_path / "s.journal").read_bytes() == before
        teach(stored.session, PAIRS[1:2])
    with StoredSession(new_session(ini), tmp_path / "s", resume=True) as stored:
        assert stored.session.active.accepted == 2


def test_a_correction_that_does_not_reach_the_disk_was_not_accepted(ini, tmp_path, monkeypatch):
    def fails(number):
        raise OSError(5, "Input/output error")

    with StoredSession(new_session(ini), tmp_path / "s") as stored:
        teach(stored.session, PAIRS[:1])
        with monkeypatch.context() as patch:
            patch.setattr("os.fsync", fails)
            with pytest.raises(OSError, match=r"s\.journal"):
                stored.session.accept(example(PAIRS[1]))
        teach(stored.session, PAIRS[2:3])
    with StoredSession(new_session(ini), tmp_path / "s", resume=True) as stored:
        corrections = stored.session.active.corrections.values()
        assert [one.target for one in corrections] == [
            ("the", "house", "is", "big"),
            ("the", "green", "dragon"),
        ]


def test_the_state_does_not_grow_with_the_corrections(ini, tmp_path):
    sizes = []
    with StoredSession(new_session(ini), tmp_path / "s") as stored:
        for _ in range(4):
            teach(stored.session, PAIRS * 10)  # it knows the changes by the latest 50
            stored.save()
            sizes.append((tmp_path / "s").stat().st_size)
    assert max(sizes[1:]) - min(sizes[1:]) < 100
