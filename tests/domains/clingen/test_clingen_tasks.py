"""The embedded tasks: sizes, splits, balance, ids and texts."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter

import pytest
from clingen_rows import FOLDER, SPLITS, Rows, articles, calls_of

from gym_clinic.domains.clingen import build, sop
from gym_clinic.domains.clingen.curation import literature_of
from gym_clinic.domains.clingen.evidence import CLASSES, SUBTYPES
from gym_clinic.domains.clingen.literature.edition import WrittenLiterature
from gym_clinic.domains.clingen.literature.packing import pack
from gym_clinic.domains.clingen.literature.scoring import score
from gym_clinic.domains.clingen.literature.splits import PANEL_SHARE, SIZES, Pair


def test_splits_have_their_sizes_and_keep_panels_and_genes_apart(rows: Rows) -> None:
    for split, size in SIZES.items():
        assert abs(len(rows[split]) - size) <= 0.05 * size
    for name in ("panel", "gene"):
        found = {split: {row["record"][name] for row in rows[split]} for split in SPLITS}
        for one, two in itertools.combinations(SPLITS, 2):
            assert not found[one] & found[two]


def test_no_panel_gives_too_much_of_a_split(rows: Rows) -> None:
    for split in SPLITS:
        ((_, most),) = Counter(row["record"]["panel"] for row in rows[split]).most_common(1)
        assert most <= PANEL_SHARE * len(rows[split])


def test_pairs_are_published_ones(rows: Rows) -> None:
    known = {pair[:7] for pair in build.read_pairs(FOLDER / "curations.jsonl")}
    seen = set()
    for split in SPLITS:
        for row in rows[split]:
            record = row["record"]
            pair = tuple(
                row["gold"]["classification"] if name == "classification" else record[name]
                for name in Pair._fields
            )
            assert pair in known
            seen.add(pair)
            assert row["provenance"] == "synthetic"
    assert len(seen) == sum(len(rows[split]) for split in SPLITS)


def test_every_split_has_every_class_and_test_twelve_of_each(rows: Rows) -> None:
    for split in SPLITS:
        counts = Counter(row["gold"]["classification"] for row in rows[split])
        assert all(counts[label] >= (12 if split == "test" else 4) for label in CLASSES)


def test_ids_are_synthetic_unique_and_uninformative(rows: Rows) -> None:
    ids = [row["id"] for split in SPLITS for row in rows[split]]
    assert all(re.fullmatch(r"clingen-[0-9a-f]{10}", one) for one in ids)
    pmids = [article["pmid"] for _, article in articles(rows)]
    pmcids = [article["pmcid"] for _, article in articles(rows)]
    assert all(re.fullmatch(r"SIM[0-9]{8}", one) for one in pmids)
    assert all(re.fullmatch(r"SIMC[0-9]{8}", one) for one in pmcids)
    every = [*ids, *pmids, *pmcids]
    assert len(set(every)) == len(every)


def test_evidence_is_balanced(rows: Rows) -> None:
    for split in SPLITS:
        items = [item["subtype"] for row in rows[split] for item in row["gold"]["evidence"]]
        assert set(items) == set(SUBTYPES)
        calls = [c for row in rows[split] for found in calls_of(row).values() for c in found]
        for counted in (Counter(SUBTYPES[item].category for item in items), Counter(calls)):
            assert max(counted.values()) <= 0.3 * sum(counted.values())
        assert all(row["gold"]["evidence"] for row in rows[split])


@pytest.mark.population
def test_the_records_give_every_published_class_with_room(
    sample: Rows, written: dict[str, WrittenLiterature]
) -> None:
    for row in itertools.chain.from_iterable(sample.values()):
        gold, found = row["gold"], score(written[row["id"]].literature)
        assert found.sop.classification == gold["classification"]
        assert "decimal_gap" not in found.sop.flags
        pairs = {(item["pmid"], item["subtype"]) for item in gold["evidence"]}
        assert pairs == {(pmid, subtype) for pmid, _, subtype in found.evidence}
        assert len(pairs) == len(found.evidence)
        points = sop.experimental_points([item["subtype"] for item in gold["evidence"]])
        assert points + found.genetic_points == pytest.approx(found.sop.points)


@pytest.mark.population
def test_articles_are_written_again_byte_for_byte(
    sample: Rows, written: dict[str, WrittenLiterature]
) -> None:
    # Some of each are enough: the three splits are written by the same code.
    chosen = {split: rows[:: 9 if split == "train" else 3] for split, rows in sample.items()}
    for row, article in articles(chosen):
        again = written[row["id"]].article(article["pmid"])
        assert (again.title, again.abstract) == (article["title"], article["abstract"])
    for row in itertools.chain.from_iterable(chosen.values()):
        told = written[row["id"]]
        for item in row["gold"]["evidence"]:
            category = SUBTYPES[item["subtype"]].category
            assert told.summary(item["pmid"], category) == item["summary"]
        for item in row["gold"]["genetic"]:
            assert told.genetics(item["pmid"]) == item["summary"]


def test_a_changed_record_changes_the_text(rows: Rows) -> None:
    row = rows["dev"][0]
    before = literature_of(row["record"])
    pmid = next(item["pmid"] for item in row["gold"]["evidence"])
    value = pack(before.literature)
    renamed = json.loads(json.dumps(value).replace(before.literature.gene, "ABCDE9"))
    after = literature_of({**row["record"], "literature": renamed})
    assert before.sections(pmid) == literature_of(row["record"]).sections(pmid)
    assert before.sections(pmid) != after.sections(pmid)


@pytest.mark.population
def test_no_text_is_shared(sample: Rows, written: dict[str, WrittenLiterature]) -> None:
    texts = [written[row["id"]].article(one["pmid"]) for row, one in articles(sample)]
    for found in ([one.full_text for one in texts], [one.abstract for one in texts]):
        assert len(set(found)) == len(found)


@pytest.mark.population
def test_reports_state_no_points(sample: Rows) -> None:
    for row in itertools.chain.from_iterable(sample.values()):
        gold = row["gold"]
        for item in (*gold["evidence"], *gold["genetic"]):
            measured_in_points = "composite" in item["summary"]
            assert measured_in_points or not re.search(r"\d points?\b", item["summary"])


@pytest.mark.population
def test_two_tasks_of_three_fit_in_12_000_tokens_and_all_in_16_000(
    sample: Rows, written: dict[str, WrittenLiterature]
) -> None:
    sizes = []
    for row in itertools.chain.from_iterable(sample.values()):
        texts = [written[row["id"]].article(one["pmid"]) for one in row["record"]["articles"]]
        words = [f"{one.title} {one.abstract} {one.full_text}".split() for one in texts]
        sizes.append(1.4 * sum(map(len, words)))
    assert max(sizes) <= 16_000
    assert sum(size <= 12_000 for size in sizes) >= 2 / 3 * len(sizes)


def test_files_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 40e6
