from __future__ import annotations

import string
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic import ConfigError
from gym_clinic.domains.clingen.evidence import CLASSES

pytest.importorskip("yaml")

from verl_recipes.ttopd import hints
from verl_recipes.ttopd.hints import Hints, echo, leaks_gold, load, shares_ngram, static_checks

OURS = load()
FIXED = Hints(correct=("It went well.", "Good work."), incorrect=("Look again.", "Think again."))

# What answers are called in clinical data sets: none of it may stand in a template of ours.
LABELS = (
    *CLASSES, *string.ascii_uppercase, *string.digits, "yes", "no", "maybe", "true", "false",
    "left", "right", "both", "none", "major", "moderate", "minor", "mild", "severe", "low", "high",
    "medium", "normal", "abnormal", "positive", "negative", "benign", "malignant", "pathogenic",
    "uncertain", "stable", "unstable", "urgent", "emergent", "routine", "supported", "refuted",
    "contradicted", "insufficient", "approve", "deny", "admit", "discharge", "disputed", "+", "-/-",
)  # fmt: skip

words = st.text(string.ascii_letters + string.digits, min_size=2, max_size=8)
phrases = st.lists(words, min_size=1, max_size=20).map(" ".join)
keys = st.text(max_size=40)
tokens = st.lists(st.integers(0, 5), max_size=40)


# --- the file


def test_the_hints_are_several_short_and_generic() -> None:
    for texts in (OURS.correct, OURS.incorrect):
        assert len(texts) >= 3
        assert all(5 <= len(text.split()) < 40 for text in texts)
    assert static_checks(OURS, LABELS) == []


def test_hints_can_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text('correct: ["Well\n  done."]\nincorrect:\n  - |\n    Try\n    again.\n')
    assert load(file) == load(str(file)) == Hints(("Well done.",), ("Try again.",))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "should be a dictionary or an instance of Hints"),
        ("- a", "should be a dictionary or an instance of Hints"),
        ("correct: [fine]", "incorrect Field required"),
        ("correct: [a b]\nwrong: [c d]", "wrong Unexpected keyword argument"),
        ("correct: []\nincorrect: [a b]", "correct Tuple should have at least 1 item"),
        ("correct: a b\nincorrect: [a b]", "correct Input should be a valid tuple"),
        ("correct:\n- a b\n- 3\nincorrect: [c d]", "correct.1 Input should be a valid string"),
        ("correct: [c d]\nincorrect:\n- a b\n- yes", "incorrect.1 Input should be a valid string"),
        ("correct: ['?!']\nincorrect: [c d]", "correct.0 String should match pattern"),
        ("correct: [a b", "line 1"),
    ],
)
def test_a_bad_file_is_named_with_what_would_be_right(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load(file)
    assert said in str(caught.value)
    assert str(file) in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.yaml.*No such file"):
        load(tmp_path / "nowhere.yaml")


# --- which hint


@given(st.booleans(), keys)
def test_outcome_hints_follow_the_outcome(success: bool, key: str) -> None:
    told = FIXED.text(success, key)
    assert told in (FIXED.correct if success else FIXED.incorrect)
    assert FIXED.text(success, key, "none") == ""


@given(keys)
def test_shuffled_hints_are_independent_of_the_outcome(key: str) -> None:
    told = FIXED.text(True, key, "shuffled")
    assert told == FIXED.text(False, key, "shuffled")
    assert told in (*FIXED.correct, *FIXED.incorrect)


def test_every_wording_is_drawn_and_the_coin_is_fair() -> None:
    drawn = [OURS.text(True, f"{n}", "shuffled") for n in range(4000)]
    reinforcing = sum(text in OURS.correct for text in drawn)
    assert abs(reinforcing - 2000) < 160  # five standard deviations
    for text in (*OURS.correct, *OURS.incorrect):
        assert abs(drawn.count(text) - 500) < 105
    for success, texts in ((True, OURS.correct), (False, OURS.incorrect)):
        drawn = [OURS.text(success, f"{n}") for n in range(4000)]
        assert all(abs(drawn.count(text) - 1000) < 137 for text in texts)


def test_the_wording_is_independent_of_the_coin() -> None:
    """In the control arm a wording's place in its list is independent of the list."""
    places = {True: [0, 0], False: [0, 0]}
    for n in range(4000):
        told = FIXED.text(True, f"{n}", "shuffled")
        good = told in FIXED.correct
        places[good][(FIXED.correct if good else FIXED.incorrect).index(told)] += 1
    for first, second in places.values():
        assert abs(first - second) < 5 * (first + second) ** 0.5


def test_the_choice_is_the_same_in_every_process() -> None:
    code = (
        "from verl_recipes.ttopd.hints import load\n"
        "for n in range(20): print(load().text(n % 3 == 0, f'k{n}', 'shuffled'))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(hints.__file__).parents[1])},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    expected = [OURS.text(n % 3 == 0, f"k{n}", "shuffled") for n in range(20)]
    assert runs[0] == runs[1] == "\n".join(expected) + "\n"


def test_the_module_needs_neither_torch_nor_verl() -> None:
    code = (
        "import sys\nfor name in ('torch', 'verl', 'ray', 'transformers'): sys.modules[name] = None"
        "\nimport verl_recipes.ttopd.hints, verl_recipes.trainer.diagnostics"
    )
    subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(Path(hints.__file__).parents[1])},
        check=True,
    )


def test_an_unknown_mode_is_an_error() -> None:
    with pytest.raises(ConfigError, match="no 'suffled'; did you mean 'shuffled'"):
        FIXED.text(True, "k", "suffled")


@given(st.booleans(), keys)
def test_the_size_outcome_is_the_first_sentence_of_the_same_hint(success: bool, key: str) -> None:
    whole, bare = (OURS.of_size(size).text(success, key) for size in ("sentence", "outcome"))
    assert whole in (OURS.correct if success else OURS.incorrect)
    assert whole.startswith(f"{bare} ")
    assert bare.endswith(".")


def test_ours_are_two_sentences_each_and_the_first_are_distinct() -> None:
    bare = OURS.of_size("outcome")
    for whole, first in ((OURS.correct, bare.correct), (OURS.incorrect, bare.incorrect)):
        assert all(len(hints._SENTENCE.split(text)) == 2 for text in whole)
        assert len({*first}) == 4
    assert not {*bare.correct} & {*bare.incorrect}


# --- leaks of the answer


@given(phrases, phrases, phrases, st.sampled_from([str.upper, str.lower, str.title]))
def test_a_named_answer_is_found(
    before: str, answer: str, after: str, case: Callable[[str], str]
) -> None:
    said = case(answer)
    for text in (f"{before} {said} {after}", f"{before}: {said}.", f"«{said}»", f"-{said}-"):
        assert leaks_gold(text, [answer]) == [answer]
    assert leaks_gold(f"{before} {said.replace(' ', '-')}, {after}", [answer]) == [answer]


@given(phrases, words)
def test_only_whole_words_are_named(text: str, answer: str) -> None:
    folded = [word.casefold() for word in text.split()]
    assert leaks_gold(text, [answer]) == ([answer] if answer.casefold() in folded else [])


@pytest.mark.parametrize(
    ("text", "answers", "named"),
    [
        ("It is Definitive.", ["Definitive", "Limited"], ["Definitive"]),
        ("evidence is limited", CLASSES, ["Limited"]),
        ("unlimited strongly", CLASSES, []),
        ("no known   disease-relationship", CLASSES, ["No Known Disease Relationship"]),
        ("no_known_disease_relationship", CLASSES, ["No Known Disease Relationship"]),
        ("no known relationship", CLASSES, []),
        ("a careful look", ["A", "B"], []),
        ("Option A, perhaps", ["A", "B"], ["A"]),
        ("choose (B)", ["A", "(B)"], ["(B)"]),
        ("grade 3", ["3", "4"], ["3"]),
        ("grade 33", ["3"], []),
        ("Sjogren's", ["Sjögren"], ["Sjögren"]),
        ("SJÖGREN", ["sjögren"], ["sjögren"]),
        ("ER+ tumour", ["+", "-"], ["+"]),
        ("anything", ["", " "], []),
        ("", ["Limited"], []),
    ],
)
def test_leaks_by_example(text: str, answers: list[str], named: list[str]) -> None:
    assert leaks_gold(text, answers) == named


def test_static_checks_name_hint_and_answer() -> None:
    bad = Hints(("Well done.", "Limited it is."), ("Not Strong.", "Look again."))
    found = static_checks(bad, [*CLASSES, "Limited"])
    assert len(found) == 2
    assert "hint 2 for correct trajectories" in found[0]
    assert "'Limited'" in found[0]
    assert "hint 1 for incorrect trajectories" in found[1]
    assert "'Strong'" in found[1]


# --- leaks of the hint


@given(tokens, tokens, st.lists(st.integers(0, 5), min_size=1, max_size=20), st.integers(1, 12))
def test_an_inserted_hint_is_found(
    before: list[int], after: list[int], hint: list[int], n: int
) -> None:
    assert shares_ngram(before + hint + after, hint, n)
    assert shares_ngram(before + hint[:n] + after, hint, n)


@given(tokens, st.lists(st.integers(0, 5), max_size=20), st.integers(1, 12))
def test_shared_runs_are_those_of_brute_force(ids: list[int], hint: list[int], n: int) -> None:
    size = min(n, len(hint))
    shared = size > 0 and any(
        ids[i : i + size] == hint[j : j + size]
        for i in range(len(ids) - size + 1)
        for j in range(len(hint) - size + 1)
    )
    assert shares_ngram(ids, hint, n) is shared
    assert shares_ngram(tuple(ids), tuple(hint), n) is shared


@given(tokens, st.lists(st.integers(6, 9), max_size=20), st.integers(1, 12))
def test_unrelated_tokens_share_no_ngram(ids: list[int], hint: list[int], n: int) -> None:
    assert not shares_ngram(ids, hint, n)


few = st.lists(st.sampled_from(["lab", "fever", "order", "then"]), max_size=25)


@given(few, few)
def test_echo_is_the_longest_common_run(spoken: list[str], hint: list[str]) -> None:
    longest = max(
        (
            size
            for size in range(1, len(hint) + 1)
            for i in range(len(spoken) - size + 1)
            for j in range(len(hint) - size + 1)
            if spoken[i : i + size] == hint[j : j + size]
        ),
        default=0,
    )
    least = min(6, len(hint))
    expected = longest / len(hint) if hint and longest >= least else 0.0
    assert echo(" ".join(spoken), " ".join(hint)) == expected


@given(phrases, phrases)
def test_repeating_the_whole_hint_is_an_echo_of_1(before: str, after: str) -> None:
    for hint in (*OURS.correct, *OURS.incorrect):
        assert echo(f"{before}\n{hint.upper()} {after}", hint) == 1.0
        assert 0.0 < echo(f"{before} {' '.join(hint.split()[:-3])} {after}", hint) < 1.0
        assert echo(f"{before} {' '.join(hint.split()[:4])}", hint) == 0.0


def test_without_a_hint_there_is_no_echo() -> None:
    assert echo("", "") == echo("word", "") == echo("", "word") == echo("word", "?!") == 0.0
    assert echo("a word", "word") == 1.0
    assert echo("fordword", "word") == 0.0
