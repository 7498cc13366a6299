"""Status fields of phenopackets: what is no diagnosis, who is a patient, what is not kept."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections import Counter

import pytest
from real_data import put

from gym_clinic.errors import TaskError
from gym_clinic.importers.patients.phenopackets import read_phenopackets

AMBER = {"id": "MONDO:0007739", "label": "Amber disease"}
BLUE = {"id": "MONDO:0000002", "label": "Blue disease"}
GLOW = {"type": {"id": "HP:9000001", "label": "Amber glow"}}


def packet(**fields):
    return {"id": "p", "phenotypicFeatures": [GLOW], **fields}


def read(folder, content):
    left = Counter()
    file = put(folder, "p.json", content)
    return list(read_phenopackets(file, left_out=lambda why: left.update([why]))), left


def interpretation(disease=AMBER, *statuses, progress="SOLVED", **more):
    genomic = [{"interpretationStatus": status} for status in statuses]
    return {
        "id": "i", "progressStatus": progress,
        "diagnosis": {"disease": disease, "genomicInterpretations": genomic, **more},
    }  # fmt: skip


UNSOLVED = "unsolved interpretations were taken as no diagnosis"
REFUTED = "refuted (rejected) interpretations were taken as no diagnosis"
OPEN = "interpretations in progress were taken as no diagnosis"
EXCLUDED = "excluded diseases were taken as no diagnosis"

DIAGNOSES = {
    "solved": ([interpretation()], [], "Amber disease", {}),
    "completed": ([interpretation(progress="COMPLETED")], [], "Amber disease", {}),
    "without progress": ([{"diagnosis": {"disease": AMBER}}], [], "Amber disease", {}),
    "unsolved": ([interpretation(progress="UNSOLVED")], [], "", {UNSOLVED: 1}),
    "unsolved, without a label": (
        [interpretation({"id": "MONDO:0007739"}, progress="UNSOLVED")], [], "", {UNSOLVED: 1},
    ),
    "unsolved, also listed": (
        [interpretation(progress="UNSOLVED")], [{"term": AMBER}], "", {UNSOLVED: 1},
    ),
    "unsolved, another disease listed": (
        [interpretation(progress="UNSOLVED")], [{"term": BLUE}], "Blue disease", {UNSOLVED: 1},
    ),
    "in progress": ([interpretation(progress="IN_PROGRESS")], [], "", {OPEN: 1}),
    "all variants rejected": (
        [interpretation(AMBER, "REJECTED", "REJECTED")], [], "", {REFUTED: 1},
    ),
    "one variant rejected": (
        [interpretation(AMBER, "REJECTED", "CAUSATIVE")], [], "Amber disease", {},
    ),
    "diagnosis rejected": (
        [interpretation(AMBER, "CAUSATIVE", interpretationStatus="REJECTED")], [], "", {REFUTED: 1},
    ),
    "rejected, then listed": (
        [interpretation(AMBER, "REJECTED")], [{"term": AMBER}], "", {REFUTED: 1},
    ),
    "one rejected, one solved": (
        [interpretation(AMBER, "REJECTED"), interpretation(BLUE, "CAUSATIVE")], [],
        "Blue disease", {REFUTED: 1},
    ),
    "excluded and present": (
        [], [{"term": AMBER, "excluded": True}, {"term": BLUE}], "Blue disease", {EXCLUDED: 1},
    ),
    "excluded, but interpreted": (
        [interpretation()], [{"term": AMBER, "excluded": True}], "", {EXCLUDED: 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DIAGNOSES)
def test_status_fields_decide_what_is_a_diagnosis(name, tmp_path):
    interpretations, diseases, diagnosis, left = DIAGNOSES[name]
    (case,), found = read(tmp_path, packet(interpretations=interpretations, diseases=diseases))
    assert case.diagnosis == diagnosis
    assert bool(case.codes) == bool(diagnosis)
    assert found == left


def test_a_person_with_excluded_diseases_only_is_left_out(tmp_path):
    cases, left = read(tmp_path, packet(diseases=[{"term": AMBER, "excluded": True}]))
    assert cases == []
    assert left == {EXCLUDED: 1, "packets with excluded diseases only were left out": 1}


def test_an_unknown_status_and_a_diagnosis_without_a_name_are_named(tmp_path):
    with pytest.raises(TaskError, match=r"interpretations\[0\]\.progressStatus: .*'DONE'"):
        read(tmp_path, packet(interpretations=[interpretation(progress="DONE")]))
    with pytest.raises(TaskError, match="the disease MONDO:1 has no label; expected its name"):
        read(tmp_path, packet(interpretations=[interpretation({"id": "MONDO:1"})]))


def test_the_fields_of_version_1_are_read(tmp_path):
    old = packet(
        phenotypicFeatures=[GLOW, {"type": {"id": "HP:2", "label": "Blue"}, "negated": True}],
        subject={"sex": "FEMALE", "ageAtCollection": {"age": "P14Y"}},
    )
    for status, progress, diagnosis in (
        ("CAUSATIVE", "SOLVED", "Amber disease"),
        ("REJECTED", "SOLVED", ""),
        ("CAUSATIVE", "UNSOLVED", ""),
    ):
        message = {
            "id": "i",
            "resolutionStatus": progress,
            "phenopacket": old,
            "diagnosis": [
                {"disease": {"term": AMBER}, "genomicInterpretations": [{"status": status}]}
            ],
        }
        (case,), _ = read(tmp_path, message)
        assert (case.diagnosis, case.age, case.sex) == (diagnosis, "P14Y", "female")
        assert (case.phenotypes, case.absent) == (("Amber glow",), ("Blue",))


ADULT = {"id": "HP:0003581", "label": "Adult onset"}
AGES = {
    "class": ({"ontologyClass": ADULT}, None, "ages given as classes were not kept"),
    "range": (
        {"ageRange": {"start": {"iso8601duration": "P1Y"}, "end": {"iso8601duration": "P2Y"}}},
        None, "ages given as ranges were not kept",
    ),
    "gestation": ({"gestationalAge": {"weeks": 33}}, None, "gestational ages were not kept"),
    "date": ({"timestamp": "2020-01-01T00:00:00Z"}, None, "ages given as dates were not kept"),
    "interval": (
        {"interval": {"start": "2020-01-01T00:00:00Z"}}, None,
        "ages given as intervals of dates were not kept",
    ),
    "hours": (
        {"age": {"iso8601duration": "PT5H"}}, None,
        "ages that are no whole years, months, weeks and days were not kept",
    ),
    "duration": ({"age": {"iso8601duration": "P2Y6M"}}, "P2Y6M", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", AGES)
def test_an_age_is_kept_or_counted(name, tmp_path):
    encounter, age, reason = AGES[name]
    (case,), left = read(tmp_path, packet(subject={"timeAtLastEncounter": encounter}))
    assert case.age == age
    assert left == ({reason: 1} if reason else {})


def test_a_range_of_version_1_is_counted(tmp_path):
    subject = {"ageRangeAtCollection": {"start": {"age": "P1Y"}, "end": {"age": "P2Y"}}}
    (case,), left = read(tmp_path, packet(subject=subject))
    assert case.age is None
    assert left == {"ages given as ranges were not kept": 1}


def test_what_qualifies_a_feature_is_counted(tmp_path):
    feature = {
        **GLOW, "onset": {"ontologyClass": ADULT}, "severity": ADULT, "modifiers": [ADULT],
        "resolution": {"age": {"iso8601duration": "P5Y"}},
    }  # fmt: skip
    (case,), left = read(tmp_path, packet(phenotypicFeatures=[feature]))
    assert case.phenotypes == ("Amber glow",)
    assert sorted(left) == [
        "modifiers of features were not kept",
        "onsets of features were not kept",
        "resolutions of features were not kept (the feature counts as present)",
        "severities of features were not kept",
    ]


def test_a_family_gives_its_proband_and_a_cohort_its_members(tmp_path):
    family = {
        "id": "f", "proband": packet(id="child"), "relatives": [packet(id="m"), packet(id="f")],
        "pedigree": {"persons": []}, "metaData": {},
    }  # fmt: skip
    cases, left = read(tmp_path, family)
    assert [case.id for case in cases] == ["child"]
    assert left == {"relatives of probands were left out": 2}
    cases, left = read(tmp_path, {"id": "c", "members": [packet(id="a"), packet(id="b")]})
    assert [case.id for case in cases] == ["a", "b"]
    assert not left


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ({"id": "f", "relatives": [packet()], "pedigree": {}}, "a family without a proband"),
        ({"id": "c", "members": []}, "a cohort without members"),
        ({"id": "c", "members": [{"id": "x"}]}, r"members\[0\], field record: neither phenotypic"),
    ],
)
def test_a_message_without_patients_says_why(message, why, tmp_path):
    with pytest.raises(TaskError, match=why):
        read(tmp_path, message)


def test_hidden_files_are_skipped_and_archives_are_read(tmp_path):
    folder = tmp_path / "in"
    for name in ("a.json", "deep/b.json.gz", "._a.json", "__MACOSX/a.json", ".git/c.json"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"\x00no json" if name != "a.json" else json.dumps(packet()).encode())

    data = b"\xef\xbb\xbf" + json.dumps(packet(id="q")).encode()
    (folder / "deep/b.json.gz").write_bytes(gzip.compress(data))
    assert [case.id for case in read_phenopackets(folder)] == ["p", "q"]
    for mode in ("w", "w:gz", "w:xz"):
        packed = tmp_path / f"all.tar{mode[1:].replace(':', '.')}"
        with tarfile.open(packed, mode) as archive:
            archive.add(folder, arcname="release")
            extra = tarfile.TarInfo("release/README.txt")
            archive.addfile(extra, io.BytesIO(b""))
        assert [case.id for case in read_phenopackets(packed)] == ["p", "q"]
