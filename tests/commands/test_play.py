from __future__ import annotations

import eval_domain
from command_runs import ID, Run

from gym_clinic.commands.terminal import visible


def test_play_shows_every_turn_in_a_pipe(run: Run) -> None:
    task = eval_domain.DOMAIN.tasks["test"][2]
    status, out, _ = run("play", ID, "--policy", "oracle", "--task-id", task.id)
    assert status == 0
    assert "\x1b" not in out
    order = [
        task.id, "[clinic]", task.ticket, "[turn 1: agent]", "read_temperature",
        "[turn 1: read_temperature]", f"{task.record['celsius']} °C", "[turn 2: agent]", "FEVER:",
        "answered, solved; reward 1.500 of -1.5 to 1.5, scaled 1.000",
    ]  # fmt: skip
    place = 0
    for part in order:
        place = out.index(part, place)


def test_play_shows_what_could_move_a_cursor(run: Run) -> None:
    status, out, _ = run("play", ID, "--policy", "eval_domain:Scribbler")
    assert status == 0
    assert "and\\x85" in out
    assert visible("a\x1b[2Jb\tc\nd") == "a\\x1b[2Jb\tc\nd"


def test_a_person_plays(run: Run) -> None:
    task = eval_domain.DOMAIN.tasks["test"][0]
    lines = f":read_temperature route={task.record['route']}\n\n{task.gold['answer']}\n\n"
    status, out, _ = run("play", ID, "--task-id", task.id, typed=lines)
    assert status == 0
    assert "answered, solved; reward 1.500" in out
    assert out.count(task.ticket) == 1
    status, _, err = run("play", ID, typed="/quit\n")
    assert status == 130
    assert "left" in err
