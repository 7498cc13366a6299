"""``gym-clinic kb guidelines``."""

from __future__ import annotations

import json


def test_profiles_are_printed_by_name(run):
    status, out, err = run("kb", "guidelines", "marfan SYNDROME", "no such thing", "--limit", "3")
    assert status == 0
    head, present, *_ = out.splitlines()
    assert head.startswith("marfan SYNDROME: Marfan syndrome")
    assert head.endswith("[marfan-syndrome]")
    assert present.startswith("present: ")
    assert present.count(";") == 2
    assert "no such thing: no reference" in out
    assert "no reference for 'no such thing'" in err


def test_json_has_a_row_for_each_name(run):
    status, out, _ = run("kb", "guidelines", "Wilson disease", "--limit", "2", "--json")
    assert status == 0
    (row,) = map(json.loads, out.splitlines())
    assert (row["id"], row["disease"]) == ("wilson-disease", "Wilson disease")
    assert len(row["present"]) == 2
    assert {"id", "name", "frequency"} <= row["present"][0].keys()
    assert 0 < row["score"] <= 1


def test_nothing_known_is_status_1(run):
    done = run("kb", "guidelines", "xyzzy")
    assert (done.status, done.out) == (1, "xyzzy: no reference\n")


def test_profiles_of_a_file(run, tmp_path):
    feature = {"id": "HP:1", "name": "Glow", "frequency": {"basis": "unknown"}}
    profile = {"id": "X:1", "name": "Amber fever", "features": [feature]}
    path = tmp_path / "profiles.jsonl"
    path.write_text(json.dumps(profile) + "\n", encoding="utf-8")
    done = run("kb", "guidelines", "amber fever", "--profiles", path)
    assert done.status == 0
    assert done.out == "amber fever: Amber fever [X:1]\npresent: Glow [HP:1] (frequency unknown)\n"
    missing = run("kb", "guidelines", "x", "--profiles", tmp_path / "none.jsonl")
    assert missing.status == 2


def test_more_than_ten_names_are_refused(run):
    done = run("kb", "guidelines", *["gout"] * 11)
    assert done.status == 2
    assert "11 diseases in one call; at most 10" in done.err
