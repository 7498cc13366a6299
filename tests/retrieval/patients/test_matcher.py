from __future__ import annotations

import io
import itertools
import multiprocessing
import pickle
import runpy
import threading
from dataclasses import dataclass
from random import Random

import numpy as np
import pytest
from places import SHARED
from seeded_embedder import SeededEmbedder

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.retrieval import PatientCase, PatientMatcher

PEER = SHARED / "bench" / "matcher_peer.py"
NAMES = [f"finding {number}" for number in range(60)]


def case(key: str, *phenotypes: str) -> PatientCase:
    return PatientCase(key, f"disease of {key}", phenotypes, "synthetic")


def database() -> list[PatientCase]:
    """Cases of one to nine phenotypes; some equal, some equal in another order."""
    random = Random(7)
    cases = [case(f"c{n:03d}", *random.sample(NAMES, random.randint(1, 9))) for n in range(120)]
    cases += [case(f"same-{n}", *cases[5].phenotypes) for n in range(15)]
    cases += [case(f"turned-{n}", *reversed(cases[5].phenotypes)) for n in range(15)]
    cases += [case(f"one-{n}", "finding 3") for n in range(30)]
    random.shuffle(cases)
    return cases


def exhaustive(cases, embedder, phenotypes, limit=20):
    """The peer's loop: one embedding matrix a case, all scored, ties by id."""
    query = embedder.embed(phenotypes).astype(np.float64)
    scored = [
        (float((query @ embedder.embed(one.phenotypes).T).max(axis=1).mean()), one.id)
        for one in cases
    ]
    return sorted(((round(score, 6), key) for score, key in scored), key=lambda x: (-x[0], x[1]))[
        :limit
    ]


@pytest.fixture(params=["numba", "numpy"])
def engine(request):
    if request.param == "numba":
        pytest.importorskip("numba")
    return request.param


@pytest.mark.parametrize(
    "query",
    [
        ["finding 3"],
        ["finding 1", "finding 2", "finding 3"],
        ["not in the database"],
        ["finding 9", "not in the database", "finding 40", "neither is this"],
        NAMES[:17],
    ],
)
def test_the_top_twenty_are_those_of_the_exhaustive_computation(engine, query):
    cases, embedder = database(), SeededEmbedder()
    matcher = PatientMatcher(cases, embedder, engine=engine)
    for _ in range(2):  # new phenotypes, then known ones
        found = matcher.match(query)
        assert [(round(one.score, 6), one.record.id) for one in found] == exhaustive(
            cases, embedder, query
        )


def test_the_top_twenty_are_those_of_the_peer(engine):
    if not PEER.exists():
        pytest.skip(f"no {PEER}")
    peer = runpy.run_path(str(PEER))
    table, ids, starts = peer["make_cases"](cases=300, phenotypes=80, dim=32)
    names = [f"p{number:02d}" for number in range(80)]
    rows = dict(zip(names, table, strict=True))
    embedder = SeededEmbedder(dimension=32)
    embedder.embed = lambda texts: np.stack([rows[text] for text in texts])
    members = [ids[first:end] for first, end in itertools.pairwise(starts)]
    cases = [case(f"c{n:03d}", *(names[one] for one in of)) for n, of in enumerate(members)]
    matcher = PatientMatcher(cases, embedder, engine=engine)
    for start in range(0, 70, 7):
        query = names[start : start + 6]
        scores = peer["peer_scores"](table[start : start + 6], [table[of] for of in members])
        found = matcher.match(query)
        # Both add in single precision, so that nearly equal cases may change places.
        best = np.sort(np.array(scores))[::-1][:20]
        theirs = [float(scores[int(one.record.id[1:])]) for one in found]
        assert [one.score for one in found] == pytest.approx(theirs, abs=1e-5)
        assert theirs == pytest.approx(best.tolist(), abs=1e-5)


def test_duplicates_of_a_case_are_ordered_by_id(engine):
    cases = database()
    query = next(one for one in cases if one.id == "c005").phenotypes
    matcher = PatientMatcher(cases, SeededEmbedder(), engine=engine)
    found = [one.record.id for one in matcher.match(query, limit=31)]
    assert found == sorted(one.id for one in cases if set(one.phenotypes) == set(query))
    assert matcher.match(reversed(query), limit=31) == matcher.match(query, limit=31)


def test_any_history_gives_the_same_bits(engine):
    fresh = PatientMatcher(database(), SeededEmbedder(), engine=engine)
    used = PatientMatcher(database(), SeededEmbedder(), engine=engine, cache_bytes=4 * 180 * 3)
    for name in NAMES:
        used.match([name, "something else"])
    assert np.array_equal(fresh.scores(NAMES[4:15]), used.scores(NAMES[4:15]))
    assert len(used._kept) == 3


def test_both_engines_agree_but_for_rounding():
    pytest.importorskip("numba")
    scores = [
        PatientMatcher(database(), SeededEmbedder(), engine=one).scores(NAMES[4:15])
        for one in ("numpy", "numba")
    ]
    assert scores[0] == pytest.approx(scores[1], abs=1e-6)


def test_known_phenotypes_are_not_embedded_again():
    embedder = SeededEmbedder()
    matcher = PatientMatcher(database(), embedder)
    embedder.asked.clear()
    matcher.match(["finding 1", "new", " new ", "new"])
    matcher.match(["new", "finding 2"])
    assert embedder.asked == ["new"]


def test_a_repeated_phenotype_counts_once_and_blanks_are_folded():
    matcher = PatientMatcher([case("a", "x"), case("b", "y")], SeededEmbedder())
    assert matcher.match(["x", "x", "y"]) == matcher.match(["x", " y\n"])


def test_names_with_one_vector_tie():
    # The embedder does not tell capitals apart.
    matcher = PatientMatcher([case("b", "Fever"), case("a", "fever")], SeededEmbedder())
    assert len(matcher.table.vectors) == 1
    assert [one.record.id for one in matcher.match(["FEVER"])] == ["a", "b"]
    assert [one.score for one in matcher.match(["FEVER"])] == pytest.approx([1, 1])


def test_a_case_without_phenotypes_is_like_nothing(engine):
    cases = [case("a"), case("b", "x"), case("c"), case("d", "y"), case("e")]
    matcher = PatientMatcher(cases, SeededEmbedder(), engine=engine)
    assert [one.record.id for one in matcher.match(["y"])] == ["d", "b"]
    assert matcher.near_duplicates(["y"], 0.9, "mutual") == {"d"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ([], "no phenotypes; expected at least one"),
        (["x", "  "], "'  ' is no phenotype"),
        (["x", 3], "3 is no phenotype"),
        ("Seizure", "a list of names, not the text 'Seizure'"),
        (["x", "…!"], "seeded has no unit vector for the phenotype '…!'"),
    ],
)
def test_a_query_that_says_nothing_is_an_error(query, expected):
    with pytest.raises(ConfigError, match=expected):
        PatientMatcher([case("a", "x")], SeededEmbedder()).match(query)


@pytest.mark.parametrize(
    ("cases", "expected"),
    [
        ([], "no cases"),
        ([case("a", "x"), case("a", "y")], "duplicate case 'a'"),
        ([case("a", "x", " ")], "case 'a': ' ' is no phenotype"),
    ],
)
def test_a_broken_database_is_an_error(cases, expected):
    with pytest.raises(TaskError, match=expected):
        PatientMatcher(cases, SeededEmbedder())


def test_wrong_options_are_reported():
    cases = [case("a", "x")]
    with pytest.raises(ConfigError, match="limit is a whole number from 1, not 0"):
        PatientMatcher(cases, SeededEmbedder()).match(["x"], limit=0)
    with pytest.raises(ConfigError, match="exclude is a collection of ids, not the text 'a'"):
        PatientMatcher(cases, SeededEmbedder()).match(["x"], exclude="a")
    with pytest.raises(ConfigError, match="threshold is from -1 to 1, not nan"):
        PatientMatcher(cases, SeededEmbedder()).near_duplicates(["x"], float("nan"))
    with pytest.raises(ConfigError, match="cache_bytes is"):
        PatientMatcher(cases, SeededEmbedder(), cache_bytes=0)
    with pytest.raises(ConfigError, match="'query' or 'mutual', not 'cosine'"):
        PatientMatcher(cases, SeededEmbedder()).near_duplicates(["x"], 0.9, "cosine")


def test_near_duplicates_can_be_left_out():
    cases = [case("same", "x", "y"), case("more", "x", "y", "z", "u", "v"), case("other", "w")]
    matcher = PatientMatcher(cases, SeededEmbedder())
    assert matcher.near_duplicates(["y", "x"], 1.0) == {"same", "more"}
    assert matcher.near_duplicates(["y", "x"], 1.0, "mutual") == {"same"}
    assert matcher.near_duplicates(["y", "x"], -1.0) == {"same", "more", "other"}
    excluded = {"same", "an id of another database"}
    assert next(iter(matcher.match(["y", "x"], exclude=excluded))).record.id == "more"
    assert matcher.match(["x"], exclude={one.id for one in cases}) == []


def test_threads_get_equal_results():
    matcher = PatientMatcher(database(), SeededEmbedder(), cache_bytes=4 * 180 * 5)
    queries = [Random(n).sample(NAMES, 6) for n in range(24)]
    expected = [matcher.match(query) for query in queries]
    found: dict[int, list[object]] = {}

    def work(number: int) -> None:
        found[number] = [matcher.match(query) for query in queries]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[number] == expected for number in range(6))


def test_a_fork_matches_although_a_thread_held_the_lock():
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this platform does not fork")
    matcher = PatientMatcher(database(), SeededEmbedder(), engine="numpy")
    with matcher._lock:  # as another thread may, in the moment of the fork
        child = multiprocessing.get_context("fork").Process(
            target=matcher.match, args=(["finding 3"],), daemon=True
        )
        child.start()
        child.join(300)
    assert child.exitcode == 0


def test_a_limit_above_the_number_of_cases_gives_all_cases(engine):
    cases = database()
    found = PatientMatcher(cases, SeededEmbedder(), engine=engine).match(["finding 3"], 10_000)
    assert [one.record.id for one in found] == [
        key for _, key in exhaustive(cases, SeededEmbedder(), ["finding 3"], len(cases))
    ]


def test_the_mean_is_over_the_query_not_over_the_case():
    # A case that has all of the query and more is at 1; one that has half of it is below.
    matcher = PatientMatcher([case("all", "x", "y", "z", "u"), case("half", "x")], SeededEmbedder())
    best, other = matcher.match(["x", "y"])
    assert (best.record.id, best.score) == ("all", pytest.approx(1))
    cosine = float(np.prod(SeededEmbedder().embed(["x", "y"]), axis=0).sum())
    assert other.score == pytest.approx((1 + cosine) / 2, abs=1e-6)


@dataclass(frozen=True)
class Simulated:
    id: str
    diagnosis: str
    phenotypes: tuple[str, ...]
    provenance: str
    sex: str


def test_anything_with_the_fields_of_a_case_is_one():
    matcher = PatientMatcher([Simulated("s", "d", ("x",), "synthetic", "male")], SeededEmbedder())
    assert matcher.match(["x"])[0].record == PatientCase("s", "d", ("x",), "synthetic", sex="male")


def test_a_copy_for_another_process_answers_alike(engine):
    matcher = PatientMatcher(database(), SeededEmbedder(), engine=engine, cache_bytes=1 << 20)
    expected = matcher.match(["finding 3", "finding 8"], 40)
    copy = pickle.loads(pickle.dumps(matcher))
    assert copy.match(["finding 3", "finding 8"], 40) == expected


def test_a_saved_database_answers_alike(tmp_path):
    matcher = PatientMatcher(database(), SeededEmbedder())
    matcher.save(tmp_path / "base")
    opened = PatientMatcher.load(tmp_path / "base", SeededEmbedder())
    assert opened.match(NAMES[:5]) == matcher.match(NAMES[:5])
    assert sorted(path.name for path in (tmp_path / "base").iterdir()) == [
        "cases.jsonl",
        "matrix.npz",
    ]


def test_another_embedder_is_refused(tmp_path):
    PatientMatcher(database(), SeededEmbedder()).save(tmp_path)
    for other in (SeededEmbedder(name="other"), SeededEmbedder(dimension=8)):
        with pytest.raises(ConfigError, match=r"embedded by seeded with 16 dimensions"):
            PatientMatcher.load(tmp_path, other)


def test_a_damaged_database_is_named(tmp_path):
    PatientMatcher(database(), SeededEmbedder()).save(tmp_path)
    whole = (tmp_path / "matrix.npz").read_bytes()
    lines = (tmp_path / "cases.jsonl").read_bytes()
    for broken in (b"", whole[: len(whole) // 2], b"no zip at all", whole[:-9] + b"x" * 9):
        (tmp_path / "matrix.npz").write_bytes(broken)
        with pytest.raises(TaskError, match=r"matrix\.npz is no patient table"):
            PatientMatcher.load(tmp_path, SeededEmbedder())
    with np.load(io.BytesIO(whole)) as arrays:
        kept = dict(arrays)
    kept["manifest"] = np.frombuffer(b'{"version": 1}', np.uint8)
    np.savez(tmp_path / "matrix.npz", **kept)
    with pytest.raises(TaskError, match=r"matrix\.npz is no patient table"):
        PatientMatcher.load(tmp_path, SeededEmbedder())
    (tmp_path / "matrix.npz").write_bytes(whole)
    (tmp_path / "cases.jsonl").write_bytes(lines.replace(b"disease of", b"another of"))
    with pytest.raises(TaskError, match="come from different builds"):
        PatientMatcher.load(tmp_path, SeededEmbedder())
    (tmp_path / "cases.jsonl").unlink()
    with pytest.raises(ConfigError, match="cannot read"):
        PatientMatcher.load(tmp_path, SeededEmbedder())
