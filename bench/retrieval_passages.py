"""Passages: search and build of a knowledge base against the FTS5 peer, on the same corpus."""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import time
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gym_clinic.retrieval.passages import tantivy_index
from gym_clinic.retrieval.passages.database import touch
from gym_clinic.retrieval.passages.knowledge import KnowledgeBase
from gym_clinic.retrieval.passages.query import AnyOf, Phrase, parse_query

KINDS = ("or", "heavy")
LIMIT = 10
WARM_UP = 20
K1, B = 1.2, 0.75


def bench(shared: Path, work: Path, passages: int, queries: int, engine: str) -> None:
    """Print build and search, ours and the peer's."""
    corpus = work / f"corpus-{passages}.tsv"
    chunks = corpus.with_suffix(".jsonl")
    if not chunks.exists():
        run([sys.executable, shared / "make_corpus.py", "--n", passages, "--out", corpus])
        (work / "queries.json").rename(corpus.with_suffix(".queries.json"))
        write_chunks(corpus, chunks)
    asked = json.loads(corpus.with_suffix(".queries.json").read_text(encoding="utf-8"))
    base, peer = work / "base.db", work / "peer.sqlite"
    print(f"{passages:,} passages, engine {engine}")
    bench_build(shared, corpus, chunks, base, peer, engine)
    answers = bench_search(shared, base, peer, {kind: asked[kind][:queries] for kind in KINDS})
    bench_overlap(corpus, engine, answers)


def write_chunks(corpus: Path, chunks: Path) -> None:
    """Write the corpus in the form that the importer reads."""
    with chunks.open("w", encoding="utf-8") as out:
        for id, source, title, content, category, _ in rows(corpus):
            out.write(json.dumps({"id": id, "title": title, "content": content,
                                  "source": source, "category": category}) + "\n")  # fmt: skip


def rows(corpus: Path) -> Iterator[list[str]]:
    """Read the corpus."""
    with corpus.open(encoding="utf-8") as lines:
        for line in lines:
            yield line.rstrip("\n").split("\t")


def run(command: Sequence[object]) -> tuple[float, float, float]:
    """Run a command; return its CPU seconds, seconds and peak memory in MiB."""
    start = time.perf_counter()
    child = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {child.returncode}")
    seconds = time.perf_counter() - start
    return usage.ru_utime + usage.ru_stime, seconds, usage.ru_maxrss / 1024


def bench_build(
    shared: Path, corpus: Path, chunks: Path, base: Path, peer: Path, engine: str
) -> None:
    """Print what building costs: from JSON Lines ours, from the table the peer's."""
    built = "import sys; from fts5_peer import Fts5Peer; Fts5Peer.build(*sys.argv[1:])"
    script = f"import sys; sys.path.insert(0, {str(shared)!r}); {built}"
    theirs = run([sys.executable, "-c", script, corpus, peer])
    cli = [sys.executable, "-m", "gym_clinic.cli", "kb", "build"]
    ours = run([*cli, chunks, "--out", base, "--engine", engine])
    for who, (cpu, seconds, memory) in (("peer", theirs), ("ours", ours)):
        print(f"build ({who}): CPU {cpu:.1f} s, {seconds:.1f} s, peak memory {memory:.0f} MiB")
    index = KnowledgeBase(base, warm=False).manifest.index
    files = [base, *(base.parent / index).iterdir()] if index else [base]
    size, peers = sum(file.stat().st_size for file in files), peer.stat().st_size
    print(f"build: CPU ratio {ours[0] / theirs[0]:.2f}; {size >> 20} MiB, peer {peers >> 20} MiB")


def _search_ours(base: Path) -> Any:
    knowledge = KnowledgeBase(base)
    return lambda query: [passage.id for passage in knowledge.search(query, LIMIT)]


def _search_peer(shared: Path, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("fts5_peer", shared / "fts5_peer.py")
    if spec is None or spec.loader is None:
        sys.exit(f"cannot load {shared / 'fts5_peer.py'}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    touch(path)
    peer = module.Fts5Peer(path)
    return lambda query: [row[0] for row in peer.search(query, LIMIT)]


def serve(pipe: Any, opener: Any, *places: Path) -> None:
    """Answer queries in a process of one's own; send the answer and its seconds."""
    start = time.perf_counter()
    search = opener(*places)
    pipe.send(time.perf_counter() - start)
    for query in iter(pipe.recv, None):
        start = time.perf_counter()
        found = search(query)
        pipe.send((found, time.perf_counter() - start))


Answers = dict[str, list[tuple[str, list[str], list[str]]]]


def bench_search(shared: Path, base: Path, peer: Path, queries: dict[str, list[str]]) -> Answers:
    """Print top 10 with snippets, interleaved, one process each, pages warm."""
    context = multiprocessing.get_context("spawn")
    pipes, workers = [], []
    for opener, places in ((_search_peer, (shared, peer)), (_search_ours, (base,))):
        mine, theirs = context.Pipe()
        workers.append(context.Process(target=serve, args=(theirs, opener, *places), daemon=True))
        workers[-1].start()
        pipes.append(mine)
    opened = [pipe.recv() for pipe in pipes]
    print(f"open, every page touched: ours {opened[1]:.2f} s, peer {opened[0]:.2f} s")

    def ask(query: str) -> list[tuple[list[str], float]]:
        for pipe in pipes:  # one after the other: they must not share the processor
            pipe.send(query)
            pipe.poll(None)
        return [pipe.recv() for pipe in pipes]

    first = ask(next(iter(queries.values()))[0])
    print(f"first search: ours {first[1][1] * 1e3:.2f} ms, peer {first[0][1] * 1e3:.2f} ms")
    answers: Answers = {}
    for kind, texts in queries.items():
        for query in texts[:WARM_UP]:
            ask(query)
        seconds: list[tuple[float, float]] = []
        answers[kind] = []
        for query in texts:
            (theirs, slow), (ours, fast) = ask(query)
            seconds.append((slow, fast))
            answers[kind].append((query, ours, theirs))
        for name, share in (("p50", 50), ("p99", 99)):
            slow, fast = np.percentile(seconds, share, axis=0) * 1e3
            print(f"search ({kind}) {name}: ours {fast:.2f} ms, peer {slow:.1f} ms, "
                  f"ratio {slow / fast:.1f}")  # fmt: skip
    for pipe, worker in zip(pipes, workers, strict=True):
        pipe.send(None)
        worker.join()
    return answers


def bench_overlap(corpus: Path, engine: str, answers: Answers) -> None:
    """Print how many of the ten are those of exact BM25, and those of the peer."""
    exact = exact_bm25(corpus, [query for one in answers.values() for query, _, _ in one])
    for kind, found in answers.items():
        ours = [shared_part(mine, exact[query]) for query, mine, _ in found]
        peer = [shared_part(mine, theirs) for _, mine, theirs in found]
        print(f"top {LIMIT} ({kind}): overlap with exact BM25 {statistics.mean(ours):.3f}, "
              f"with the peer {statistics.mean(peer):.3f}")  # fmt: skip
    if engine == "fts5":
        print("exact BM25 is over the terms of tantivy; those of FTS5 are stemmed otherwise")


def shared_part(found: list[str], right: list[str]) -> float:
    """Return which part of what is right was found."""
    return len(set(found) & set(right)) / len(right) if right else float(not found)


def exact_bm25(corpus: Path, queries: Sequence[str]) -> dict[str, list[str]]:
    """Score every passage for every query, with the true lengths; return the ten best ids."""
    analyze = tantivy_index.analyzer().analyze
    wanted = {query: terms(query, analyze) for query in queries}
    vocabulary = {term for some in wanted.values() for term in some}
    postings: dict[str, array[int]] = defaultdict(lambda: array("i"))  # passage, times, passage …
    ids, lengths = [], []
    for number, (id, _, title, text, *_) in enumerate(rows(corpus)):
        tokens = analyze(title) + analyze(text)
        ids.append(id)
        lengths.append(len(tokens))
        for term, times in Counter(token for token in tokens if token in vocabulary).items():
            postings[term].extend((number, times))
    length = np.array(lengths)
    norm = K1 * (1 - B + B * length / length.mean())
    names = np.array(ids)
    best = {}
    for query, some in wanted.items():
        scores = np.zeros(len(ids))
        for term in some:
            if term in postings:
                at, times = np.frombuffer(postings[term], dtype=np.intc).reshape(-1, 2).T
                inverse = np.log(1 + (len(ids) - len(at) + 0.5) / (len(at) + 0.5))
                scores[at] += inverse * times * (K1 + 1) / (times + norm[at])
        # Ties break by id, as in a base.
        top = np.flatnonzero(scores >= max(np.partition(scores, -LIMIT)[-LIMIT], 1e-12))
        best[query] = names[top[np.lexsort((names[top], -scores[top]))][:LIMIT]].tolist()
    return best


def terms(query: str, analyze: Any) -> list[str]:
    """Return the terms of a natural-language query."""
    tree = parse_query(query)
    parts = tree.parts if isinstance(tree, AnyOf) else [tree]
    words = [word for part in parts if isinstance(part, Phrase) for word in part.words]
    return [term for word in words for term in analyze(word)]
