"""The benchmarks run and print what they promise; how fast is for them to say, not for a test."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from fact_tables import tables, write
from places import BENCH, SHARED


def run(*arguments):
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_env_prints_ratios():
    printed = run(BENCH / "env.py", "--quick")
    for line in (
        r"step \(hermes\): .* ratio \d",
        r"step \(json\): .* ratio \d",
        r"import: .* ratio \d",
        r"64 episodes in one loop: .* of the plain loop",
        r"512 episodes in one loop: .* of the plain loop",
        r"oracle episodes \(clinic/ClinGen-v0\): .* a second",
    ):
        assert re.search(line, printed), printed


@pytest.mark.slow
def test_trust_prints_every_policy():
    printed = run(BENCH / "trust.py", "--limit", "3", "--fit", "5")
    for policy in ("oracle", "rules", "every-tool", "snoop", "outcome reward alone", "right class"):
        assert printed.count(f"  {policy}") + printed.count(f", {policy}") >= 2, printed
    assert re.search(r"oracle( +1\.000 \[1\.000, 1\.000\]){2} +1\.000", printed)
    rows = dict(re.findall(r"^  (.*?)  +(\d\.\d+) \[", printed, re.MULTILINE))
    assert float(rows["needed calls, rules read reports"]) > 0.9
    assert 0.5 <= float(rows["needed calls, always Moderate"]) < 1
    assert float(rows["rules, abstracts alone"]) <= 0.5


@pytest.mark.slow
def test_readers_are_trained_and_played():
    pytest.importorskip("sklearn")
    printed = run(BENCH / "trained_readers.py", "--train", "30", "--limit", "3")
    for name in ("clinic/ClinGen-v0", "clinic/ClinGenSingle-v0"):
        assert f"{name}, 3 test tasks" in printed, printed
    figures = r"([01]\.\d+ \[[01]\.\d+, [01]\.\d+\] +){2}[01]\.\d+"
    for reader in ("passages", "words", "characters"):
        row = rf"  {reader}, from a chance of 0\.\d+ +{figures}"
        assert len(re.findall(row, printed)) == 2, printed
    assert len(re.findall(rf"  rules +{figures}", printed)) == 2, printed


PEERS = SHARED / "bench"


@pytest.mark.slow
@pytest.mark.skipif(not PEERS.is_dir(), reason=f"the peers are not beside this checkout: {PEERS}")
def test_retrieval_prints_ratios_against_the_peer(tmp_path):
    pytest.importorskip("tantivy")
    printed = run(
        BENCH / "retrieval.py", "--shared", PEERS, "--work", tmp_path,
        "--passages", "4000", "--queries", "20", "--only", "passages", "names",
    )  # fmt: skip
    for line in (
        r"== passages\n4,000 passages, engine tantivy",
        r"== names\nrank-bm25, best of 16,371 names: .* ratio 1\.0",
        r"build: CPU ratio \d",
        r"search \(or\) p50: ours .* ms, peer .* ms, ratio \d",
        r"search \(heavy\) p99: ours .* ms, peer .* ms, ratio \d",
        r"top 10 \(heavy\): overlap with exact BM25 (0\.9|1\.0).*, with the peer \d",
    ):
        assert re.search(line, printed), printed


def test_retrieval_says_what_it_misses(tmp_path):
    done = subprocess.run(
        [sys.executable, str(BENCH / "retrieval.py"), "--shared", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == (
        f"no peer {tmp_path / 'make_corpus.py'}; --shared names the folder that holds it\n"
    )


def test_names_prints_ratios():
    pytest.importorskip("rank_bm25")
    printed = run(BENCH / "names.py", "--names", "300", "--queries", "5")
    for line in (
        r"rank-bm25, best of 300 names: p50 .* ratio 1\.0",
        r"\nbest of 300 names: p50 .* ratio \d",
        r"top 10 of 300 names: p50 .* ratio \d",
        r"apart by at most \d\.\de[-+]\d",
    ):
        assert re.search(line, printed), printed


def test_names_measures_thresholds(tmp_path, monkeypatch):
    write(tmp_path / "kb" / "facts", tables())
    monkeypatch.setenv("GYM_CLINIC_DATA", str(tmp_path))
    printed = run(BENCH / "names.py", "--thresholds")
    assert re.search(r"as it stands: the right disease( +1\.000)+\n", printed), printed
    assert re.search(r"a disease that is not there( +[01]\.\d+)+\n", printed), printed


PEER = PEERS / "matcher_peer.py"


def test_patients_are_matched_as_by_the_peer():
    if not PEER.exists():
        pytest.skip(f"no {PEER}")
    small = ("--cases", 400, "--phenotypes", 90, "--dimension", 32, "--repeats", 2)
    printed = run(BENCH / "patients.py", *small)
    assert "top 20 as the peer's: yes" in printed
    for what in ("new phenotypes, numpy", "known phenotypes, numpy"):
        assert re.search(rf"{what}: \d+\.\d+ ms, peer / this \d+", printed), printed


def test_the_graph_is_walked():
    printed = run(BENCH / "graph.py", "--relations", 3000, "--nodes", 200)
    assert "3,000 relations" in printed
    for what in ("any node", "an end of any relation", "a disease"):
        assert re.search(rf"neighbours of {what}: p50 \d+\.\d µs", printed), printed


@pytest.mark.slow
def test_clinic_prints_ratios():
    printed = run(BENCH / "clinic.py", "--quick", "clinic/TriageEmergency-v0")
    for line in (
        r"first episode of a task [\d.]+ ms, ratio [\d,]+;",
        r"again [\d,]+ µs, floor step [\d.]+ µs, ratio [\d,]+; a step [\d,]+ µs",
        r"8 episodes in one loop: [\d,]+ steps a second",
    ):
        assert re.search(line, printed), printed


@pytest.mark.slow
def test_arms_of_dxsearch_are_trained_and_compared():
    pytest.importorskip("verl")
    printed = run(BENCH / "dxsearch_learning.py", "--seeds", "2", "--words", "5000", "--tasks", "8")
    for arm in ("staged", "joint", "target-only"):
        assert re.search(rf"seed 1 {arm}: reward 0\.\d+, \d+ steps", printed), printed
    assert len(re.findall(r"^\| [\w-]+ (\| \d\.\d{3} ){6}\|$", printed, re.MULTILINE)) == 4, printed
    number = r"[+-]\d\.\d{3}"
    gaps = rf"^(staged|joint) - [\w-]+, \w+: {number} \[{number}, {number}\]$"
    assert len(re.findall(gaps, printed, re.MULTILINE)) == 9, printed
