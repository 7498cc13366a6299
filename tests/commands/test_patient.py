"""``gym-clinic patient show``: the record first, then the texts."""

from __future__ import annotations

import json

from command_runs import Run


def test_the_record_comes_first_and_then_the_texts(run: Run) -> None:
    done = run("patient", "show", "--seed", "7", "--condition", "diabetic-ketoacidosis")
    assert done.status == 0, done.err
    record, *texts = done.out.split("\n--- ")
    assert "problem      Diabetic ketoacidosis" in record
    assert "lives past" in record or "death after" in record
    assert len(texts) > 3
    assert all("iabetic ketoacidosis" not in one for one in texts)
    assert all(len(line) < 110 for line in done.out.splitlines())


def test_a_minute_shows_the_texts_up_to_then(run: Run) -> None:
    whole = run("patient", "show", "--seed", "8", "--condition", "pneumonia").out
    early = run("patient", "show", "--seed", "8", "--condition", "pneumonia", "--at", "1").out
    assert early.count("\n--- ") < whole.count("\n--- ")


def test_json_is_the_record_alone(run: Run) -> None:
    done = run("patient", "show", "--seed", "7", "--json")
    assert json.loads(done.out)["seed"] == 7
