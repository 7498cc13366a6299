from __future__ import annotations

import io

import eval_domain
import image_domain
import inline_domain
import pytest
from command_runs import ID, Run
from rich.console import Console

from gym_clinic.commands.terminal import show, visible

TASK = eval_domain.DOMAIN.split("test")[2]


def assert_in_order(text: str, *parts: str) -> None:
    place = 0
    for part in parts:
        found = text.find(part, place)
        assert found >= 0, part
        place = found + len(part)


def test_a_watched_episode_shows_every_turn(run: Run) -> None:
    status, out, _ = run("play", ID, "--policy", "oracle", "--task-id", TASK.id)
    assert status == 0
    assert "\x1b" not in out
    assert_in_order(
        out, TASK.id, "[clinic]", TASK.ticket, "[turn 1 of 4: agent]", "read_temperature",
        "[turn 1 of 4: read_temperature]", f"{TASK.record['celsius']} °C", "[turn 2 of 4: agent]",
        "FEVER:", "end", "answered, solved; reward 1.500 of -1.5 to 1.5, scaled 1.000",
    )  # fmt: skip


def test_a_watched_episode_shows_the_calls_left(run: Run) -> None:
    out = run("play", ID, "--policy", "oracle", "--set", "max_calls=5").out
    assert_in_order(out, "[call 1 of 5: agent]", "[call 2 of 5: agent]")


def test_the_debrief_follows_the_end(run: Run) -> None:
    wrong = {"oral": "rectal", "rectal": "oral"}[TASK.record["route"]]
    typed = f"read_temperature route={wrong}\n\n{TASK.gold['answer']}\n\n"
    status, out, _ = run("play", ID, "--task-id", TASK.id, typed=typed)
    assert status == 0
    before, after = out.split("end ──", 1)
    assert TASK.gold["secret"] not in before
    assert_in_order(
        after, "answered, solved; reward 1.000", "accuracy", "process", "reward", "1.000",
        "extra", f"read_temperature: route {wrong}",
        "missed", f"read_temperature: route {TASK.record['route']}",
        "What was right", TASK.gold["secret"],
    )  # fmt: skip


def test_a_person_plays(run: Run) -> None:
    lines = f"\n:read_temperature route={TASK.record['route']}\n\n\n{TASK.gold['answer']}\n\n"
    status, out, _ = run("play", ID, "--task-id", TASK.id, typed=lines)
    assert status == 0
    assert_in_order(
        out, TASK.ticket, "4 turns left > ", "°C", "3 turns left > ", "Answer recorded.",
        "answered, solved; reward 1.500", "needed",
    )  # fmt: skip
    assert out.count(TASK.ticket) == 1


@pytest.mark.parametrize("typed", ["/quit\n", "", "half an action"])
def test_a_person_who_leaves_is_exit_130_without_a_debrief(run: Run, typed: str) -> None:
    status, out, err = run("play", ID, "--set", "max_turns=9", typed=typed)
    assert (status, "Gold" in out) == (130, False)
    assert err.startswith("gym-clinic: ")


def test_a_domain_with_images_shows_their_paths(run: Run) -> None:
    argv = ("play", next(iter(image_domain.IDS)), "--split", "test", "--policy", "oracle")
    task = image_domain.LESIONS.split("test")[0]
    shown = run(*argv, "--task-id", task.id).out
    left, right = (
        image_domain.IMAGES / f"{task.record['shapes'][s]}.png" for s in ("left", "right")
    )
    assert_in_order(
        shown, f"The left side: <image: {left}>", f"The right side: <image: {right}> as of today."
    )
    whole = run(*argv, "--task-id", task.id, "--set", "observation=transcript").out
    assert whole.count(f"The right side: <image: {right}>") == 1
    assert "base64" not in shown + whole


def test_a_domain_with_tags_of_its_own(run: Run) -> None:
    task = inline_domain.DOSES.split("test")[0]
    argv = ("play", next(iter(inline_domain.IDS)), "--split", "test", "--task-id", task.id)
    call, answer = f"look_up query={task.record['asked']}", task.gold["answer"]
    out = run(*argv, typed=f"{call}\n\n{answer}\n\n").out
    assert_in_order(out, f"{task.record['asked']}: at most {answer}", "solved")


def test_control_characters_are_made_visible(run: Run) -> None:
    status, out, _ = run("play", ID, "--policy", "eval_domain:Scribbler")
    assert status == 0
    assert "and\\x85" in out
    assert visible("a\x1b[2Jb\tc\nd") == "a\\x1b[2Jb\tc\nd"


def test_text_is_wrapped_at_words_on_a_terminal_only() -> None:
    text = "A child of four years has had fever for five days. :heart: [bold]\n  - no cough"
    for terminal, expected in (
        (True, ["A child of four", "years has had fever", "for five days.", ":heart: [bold]"]),
        (False, text.splitlines()[:1]),
    ):
        written = io.StringIO()
        screen = Console(
            file=written, width=20, force_terminal=terminal, emoji=False, highlight=False
        )
        show(screen, text)
        lines = [line.rstrip() for line in written.getvalue().splitlines()]
        assert lines == [*expected, "  - no cough"]
