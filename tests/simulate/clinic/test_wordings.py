"""Some wordings of signs and reports are kept from train; nothing else of a patient is."""

from __future__ import annotations

from random import Random

from gym_clinic.clinical.audit import grams
from gym_clinic.facts import load
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient
from gym_clinic.simulate.clinic.examination.shown import write_text
from gym_clinic.simulate.split import Split

SEEDS = range(120)
POOL = "[clear on both sides|good air entry, nil added|vesicular breath sounds|no crackles heard]"


def drawn(split: Split | None) -> list[ClinicPatient]:
    return [draw_patient(seed, split=split) for seed in SEEDS]


def wordings(split: Split | None) -> set[str]:
    return {write_text(POOL, Random(seed), split) for seed in range(200)}


def test_train_never_has_a_third_of_the_wordings() -> None:
    every = wordings(None)
    assert len(every) == 4
    held = every - wordings("train")
    assert len(held) == 2
    assert (held & wordings("dev"), held & wordings("test")) != (set(), set())
    assert wordings("dev") & wordings("test") & held == set()


def test_as_much_is_drawn_whatever_the_split() -> None:
    splits: tuple[Split | None, ...] = (None, "train", "dev", "test")
    for text in (POOL, "[a|b] <1-9> cm", "no alternatives"):
        left = []
        for split in splits:
            random = Random(5)
            write_text(text, random, split)
            left.append(random.random())
        assert len(set(left)) == 1


def test_two_sides_are_no_wordings() -> None:
    assert {write_text("[left|right]", Random(seed), "train") for seed in range(40)} == {
        "left",
        "right",
    }


def test_splits_differ_in_the_wordings_of_a_patient_alone() -> None:
    differ = total = 0
    for plain, train, test in zip(drawn(None), drawn("train"), drawn("test"), strict=True):
        assert plain.state(0) == train.state(0) == test.state(0)
        assert plain.findings() == train.findings() == test.findings()
        assert plain.medicines == train.medicines == test.medicines
        for one, other in zip(train.problems, test.problems, strict=True):
            assert one.studies.keys() == other.studies.keys()
            # What is heard over the lungs follows the wording of their image.
            first, second = (
                [sign for sign in each.signs if sign.site != "chest"] for each in (one, other)
            )
            shown = [(sign.site, sign.abnormal) for sign in first]
            assert shown == [(sign.site, sign.abnormal) for sign in second]
            total += len(first)
            differ += sum(a != b for a, b in zip(first, second, strict=True))
    assert differ > total / 2


def test_signs_of_test_are_partly_new_to_who_has_read_train() -> None:
    conditions = [one.id for one in load().conditions.values() if one.role != "background"][::5]

    def read(split: Split, seeds: range) -> set[str]:
        return {
            sign.text
            for condition in conditions
            for seed in seeds
            for sign in draw_patient(seed, condition, split=split).examination
            if sign.abnormal
        }

    seen, new = read("train", range(8)), read("test", range(100, 102))
    assert len(new - seen) > 0.4 * len(new)


def test_eight_words_of_a_held_out_sign_or_report_are_in_none_of_train() -> None:
    texts: set[str] = set()
    for condition in load().conditions.values():
        texts |= {one.text for study in condition.studies for one in study.results}
        texts |= {each for one in condition.signs for each in (one.text, one.otherwise) if each}
    seen: set[tuple[str, ...]] = set()
    held: set[str] = set()
    for text in texts:
        trained = {write_text(text, Random(n), "train") for n in range(12)}
        seen |= {run for one in trained for run in grams(one)}
        held |= {write_text(text, Random(n), "test") for n in range(12)} - trained
    apart = [one for one in held if not seen.isdisjoint(grams(one))]
    # What differs in numbers alone, or was not drawn among the twelve of train, is no new text.
    assert len(apart) <= 0.02 * len(held), apart[:10]
