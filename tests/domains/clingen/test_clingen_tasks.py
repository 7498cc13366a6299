"""The embedded tasks: sizes, splits, balance, ids and texts."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict

import pytest
from clingen_rows import FOLDER, Rows, articles, calls_of, front

from gym_clinic.domains.clingen import build, sop
from gym_clinic.domains.clingen.evidence import CLASSES, SUBTYPES
from gym_clinic.domains.clingen.simulator import SimulatedArticle
from gym_clinic.domains.clingen.simulator.drafts import CATEGORY_OF
from gym_clinic.domains.clingen.simulator.splits import PANELS, SIZES, Pair


def test_splits_have_their_sizes_panels_and_genes_apart(rows: Rows) -> None:
    assert {split: len(rows[split]) for split in SIZES} == SIZES
    panels = {split: {row["record"]["panel"] for row in rows[split]} for split in SIZES}
    assert {split: len(names) for split, names in panels.items()} == PANELS
    genes = {split: {row["record"]["gene"] for row in rows[split]} for split in SIZES}
    used = {
        split: genes[split]
        | {
            gene
            for _, article in articles(rows, split)
            for finding in article["draft"]["findings"]
            for gene in finding[4:]
            if gene
        }
        for split in SIZES
    }
    for one, two in itertools.combinations(SIZES, 2):
        assert not panels[one] & panels[two]
        assert not used[one] & used[two]
    assert all(used[split] <= genes[split] for split in SIZES)


def test_pairs_are_published_ones(rows: Rows) -> None:
    known = {pair[:7] for pair in build.read_pairs(FOLDER / "curations.jsonl")}
    seen = set()
    for split in SIZES:
        for row in rows[split]:
            record = row["record"]
            pair = tuple(
                row["gold"]["classification"] if name == "classification" else record[name]
                for name in Pair._fields
            )
            assert pair in known
            seen.add(pair)
            assert row["provenance"] == "synthetic"
    assert len(seen) == sum(SIZES.values())


def test_every_split_has_the_natural_mix_of_classes(rows: Rows) -> None:
    for split in SIZES:
        counts = Counter(row["gold"]["classification"] for row in rows[split])
        assert all(counts[label] >= 5 for label in CLASSES)
        constant = sum(CLASSES.index(label) / 4 * n for label, n in counts.items()) / SIZES[split]
        assert constant == pytest.approx(0.79, abs=0.02)  # what "Definitive" always earns


def test_ids_are_synthetic_unique_and_uninformative(rows: Rows) -> None:
    ids = [row["id"] for split in SIZES for row in rows[split]]
    assert all(re.fullmatch(r"clingen-[0-9a-f]{10}", one) for one in ids)
    pmids = [article["pmid"] for _, article in articles(rows)]
    pmcids = [article["pmcid"] for _, article in articles(rows)]
    assert all(re.fullmatch(r"SIM[0-9]{8}", one) for one in pmids)
    assert all(re.fullmatch(r"SIMC[0-9]{8}", one) for one in pmcids)
    every = [*ids, *pmids, *pmcids]
    assert len(set(every)) == len(every)


def test_evidence_is_balanced(rows: Rows) -> None:
    for split in SIZES:
        items = [item["subtype"] for row in rows[split] for item in row["gold"]["evidence"]]
        assert set(items) == set(SUBTYPES)
        calls = [c for row in rows[split] for found in calls_of(row).values() for c in found]
        for counted in (Counter(SUBTYPES[item].category for item in items), Counter(calls)):
            assert max(counted.values()) <= 0.25 * sum(counted.values())
            shares = {key: number / sum(counted.values()) for key, number in counted.items()}
            print(f"{split}: largest category {max(shares.values()):.3f}")
        number = len(list(articles(rows, split)))
        print(f"{split}: {len(calls) / number:.2f} gold calls an article")
        assert 1.2 <= len(calls) / number <= 2.0
        assert all(row["gold"]["evidence"] for row in rows[split])


def test_the_decisive_sentence_is_often_in_the_full_text_alone(rows: Rows) -> None:
    for split in SIZES:
        hidden = total = shown_hints = other_hints = 0
        for _, article in articles(rows, split):
            told: dict[str, bool] = defaultdict(bool)
            for subtype, status, mode, *_ in article["draft"]["findings"]:
                if status == "shown":
                    told[CATEGORY_OF[subtype]] |= mode == "explicit"
                shown_hints += mode == "hint" and status == "shown"
                other_hints += mode == "hint" and status != "shown"
            total += len(told)
            hidden += sum(not explicit for explicit in told.values())
        print(f"{split}: {hidden / total:.3f} of the gold calls decided in the full text alone")
        assert hidden / total >= 0.35
        assert 0.8 <= shown_hints / other_hints <= 1.25  # a hint promises nothing


def test_vocabularies_of_simulator_and_domain_agree() -> None:
    assert {key: subtype.category for key, subtype in SUBTYPES.items()} == CATEGORY_OF


def test_the_sop_gives_every_published_class(rows: Rows) -> None:
    for split in SIZES:
        for row in rows[split]:
            gold, articles = row["gold"], row["record"]["articles"]
            latest = max(article["year"] for article in articles)
            years = latest - min((g["first_reported"] for g in gold["genetic"]), default=latest)
            for reading in ("text", "matrix"):
                result = sop.classify(
                    [item["subtype"] for item in gold["evidence"]],
                    genetic_points=sum(g["points"] for g in gold["genetic"]),
                    publications=sum(g["publications"] for g in gold["genetic"]),
                    years_since_first=years,
                    replication=reading,
                )
                assert result.classification == gold["classification"]
                assert not {"decimal_gap", "replication_text_and_matrix_disagree"} & {*result.flags}
            with_evidence = {item["pmid"] for item in gold["evidence"]}
            assert all(g["pmid"] in with_evidence and g["points"] > 0 for g in gold["genetic"])


@pytest.mark.population
def test_articles_are_written_again_byte_for_byte(
    sample: Rows, written: dict[str, SimulatedArticle]
) -> None:
    notes = {
        (item["pmid"], item["subtype"]): item["summary"]
        for split in SIZES
        for row in sample[split]
        for item in row["gold"]["evidence"]
    }
    for _, article in articles(sample):
        again = written[article["pmid"]]
        assert (again.title, again.abstract) == (article["title"], article["abstract"])
        for subtype, summary in again.summaries.items():
            assert notes.pop((article["pmid"], subtype)) == summary
    assert not notes


@pytest.mark.population
def test_no_text_is_shared(sample: Rows, written: dict[str, SimulatedArticle]) -> None:
    texts = [article.full_text for article in written.values()]
    abstracts = [article.abstract for article in written.values()]
    assert len(set(texts)) == len(texts)
    assert len(set(abstracts)) == len(abstracts)

    def sentences(split: str) -> list[str]:
        found = [
            sentence
            for _, article in articles(sample, split)
            for _, text in written[article["pmid"]].sections
            for sentence in re.split(r"(?<=[.?]) ", text)
        ]
        return [sentence for sentence in found if len(sentence.split()) >= 12]

    train = set(sentences("train"))
    for split in ("dev", "test"):
        mine = sentences(split)
        assert sum(sentence in train for sentence in mine) / len(mine) < 0.05


@pytest.mark.population
def test_the_human_genetics_is_in_the_full_text_only(
    sample: Rows, written: dict[str, SimulatedArticle]
) -> None:
    for row, article in articles(sample, "test"):
        assert not re.search(r"unrelated proband|null variant|\bpoints?\b.*genetic", front(article))
        told = "unrelated proband" in written[article["pmid"]].full_text
        assert told == any(g["pmid"] == article["pmid"] for g in row["gold"]["genetic"])


def test_files_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 20e6


def test_short_demonstrations_exist(rows: Rows) -> None:
    short = [
        row
        for row in rows["train"]
        if len(row["record"]["articles"]) <= 2
        and all(article["draft"]["short"] for article in row["record"]["articles"])
    ]
    assert len(short) >= 50
