"""Looking up disease names: what it costs beside rank-bm25, and how the threshold was chosen.

Run: ``python bench/names.py`` (prints medians and ratios; asserts nothing). Both sides answer the
same queries in turn; names and queries are made up from a seed. ``--thresholds`` measures over the
names of the embedded fact tables how many queries each threshold lets through: names with a typo,
in another word order, with a word more or less; names of diseases that are not in the index (every
second one is held out); and names of phenotypes.
"""

from __future__ import annotations

import argparse
import random
import statistics
import string
import time
from collections.abc import Callable, Sequence

import numpy as np

from gym_clinic.facts import load
from gym_clinic.facts.naming import same_name, words
from gym_clinic.retrieval.patients.guidelines import THRESHOLD
from gym_clinic.retrieval.patients.name_index import K1, B, NameIndex

COMMON = {
    "syndrome": 0.45, "disease": 0.2, "type": 0.25, "autosomal": 0.15, "recessive": 0.1,
    "dominant": 0.1, "congenital": 0.15, "familial": 0.1, "deficiency": 0.15, "with": 0.1,
    "acute": 0.05, "chronic": 0.05, "hereditary": 0.08, "of": 0.15, "unspecified": 0.1,
}  # fmt: skip
SYLLABLES = [a + b for a in "bcdfglmnprstv" for b in ("a", "e", "i", "o", "u", "an", "or", "is")]
SHARES = (0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7)

Change = Callable[[str, random.Random], str]


def same(name: str, _: random.Random) -> str:
    return name


def reordered(name: str, chance: random.Random) -> str:
    found = list(words(name))
    chance.shuffle(found)
    return " ".join(found)


def misspelt(name: str, chance: random.Random) -> str:
    place = chance.randrange(len(name))
    letter = chance.choice(string.ascii_lowercase)
    before, at, after = name[:place], name[place], name[place + 1 :]
    return before + chance.choice(("", letter, at + letter, after[:1] + at)) + after


def shortened(name: str, chance: random.Random) -> str:
    found = list(words(name))
    if len(found) > 1:
        found.pop(chance.randrange(len(found)))
    return " ".join(found)


def lengthened(name: str, chance: random.Random) -> str:
    return f"{chance.choice(('suspected', 'severe', 'possible', 'recurrent'))} {name}"


CHANGES: dict[str, Change] = {
    "as it stands": same,
    "another order": reordered,
    "a typo": misspelt,
    "a word less": shortened,
    "a word more": lengthened,
}


def make_names(count: int, seed: int) -> list[str]:
    """Return made-up names: some words that many names share, and some that few do."""
    chance = random.Random(f"{seed}:names")
    rare = ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 5))) for _ in range(count // 2)]
    names = []
    for _ in range(count):
        own = chance.choices(rare, k=chance.choice((1, 1, 2, 2, 3)))
        shared = [word for word, share in COMMON.items() if chance.random() < share]
        number = [str(chance.randint(1, 40))] if "type" in shared else []
        names.append(" ".join([*own, *shared, *number]))
    return names


def compare(count: int = 16_371, queries: int = 200, seed: int = 0) -> None:
    """Print what a query costs here and there, interleaved."""
    from rank_bm25 import BM25Okapi

    names = make_names(count, seed)
    chance = random.Random(f"{seed}:queries")
    changes = list(CHANGES.values())
    asked = [chance.choice(changes)(chance.choice(names), chance) for _ in range(queries)]
    index = NameIndex((f"{number:06}", name) for number, name in enumerate(names))
    peer = BM25Okapi([list(words(name)) for name in names], k1=K1, b=B)
    sides: dict[str, Callable[[str], object]] = {
        "rank-bm25, best": lambda query: int(np.argmax(peer.get_scores(list(words(query))))),
        "best": index.best,
        "top 10": index.search,
    }
    took: dict[str, list[float]] = {side: [] for side in sides}
    for query in asked:
        for side, look in sides.items():
            start = time.perf_counter()
            look(query)
            took[side].append(time.perf_counter() - start)
    median = {side: statistics.median(times) for side, times in took.items()}
    for side, seconds in median.items():
        ratio = median["rank-bm25, best"] / seconds
        print(f"{side} of {count:,} names: p50 {1e6 * seconds:,.0f} µs, ratio {ratio:,.1f}")
    held = {word: int(sum(word in one for one in peer.doc_freqs)) for word in peer.idf}
    peer.idf = {word: np.log((count - n + 0.5) / (n + 0.5) + 1) for word, n in held.items()}
    off = max(
        float(np.abs(peer.get_scores(list(words(query)))[found] - scores).max(initial=0))
        for query in asked[:20]
        for found, scores in [index.candidates(query)]
    )
    print(f"scores beside rank-bm25 with the IDF of the paper: apart by at most {off:.1e}")


def thresholds(seed: int) -> None:
    """Print what each threshold lets through, over the names of the embedded tables."""
    facts = load()
    chance = random.Random(f"{seed}:thresholds")
    whole = NameIndex(
        (one.id, name) for one in facts.diseases.values() for name in (one.name, *one.synonyms)
    )
    kept = NameIndex(
        (one.id, name)
        for number, one in enumerate(facts.diseases.values())
        for name in (one.name, *one.synonyms)
        if number % 2
    )
    print("share:".ljust(40) + "".join(f"{share:>8}" for share in SHARES))
    for what, change in CHANGES.items():
        asked = [(one.id, change(one.name, chance)) for one in facts.diseases.values()]
        hits = [(key, whole.best(name)) for key, name in asked]
        right = [hit.share for key, hit in hits if hit is not None and hit.record == key]
        wrong = [hit.share for key, hit in hits if hit is not None and hit.record != key]
        show(f"{what}: the right disease", right, len(asked))
        show(f"{what}: another", wrong, len(asked))
    out = [one.name for number, one in enumerate(facts.diseases.values()) if not number % 2]
    show("a disease that is not there", shares(kept, out), len(out))
    findings = [
        one.name
        for one in facts.phenotypes.values()
        if not any(same_name(one.name, other.name) for other in facts.diseases.values())
    ]
    show("a phenotype", shares(whole, findings), len(findings))
    print(f"default: {THRESHOLD}")


def shares(index: NameIndex, names: Sequence[str]) -> list[float]:
    return [hit.share for name in names if (hit := index.best(name)) is not None]


def show(what: str, found: Sequence[float], of: int) -> None:
    """Print the part of the queries that each threshold lets through."""
    cells = (sum(share >= least for share in found) / of for least in SHARES)
    print(what.ljust(40) + "".join(f"{cell:8.3f}" for cell in cells))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--names", type=int, default=16_371, help="default: %(default)s")
    parser.add_argument("--queries", type=int, default=200, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    parser.add_argument("--thresholds", action="store_true", help="measure thresholds instead")
    args = parser.parse_args()
    if args.thresholds:
        thresholds(args.seed)
    else:
        compare(args.names, args.queries, args.seed)


if __name__ == "__main__":
    main()
