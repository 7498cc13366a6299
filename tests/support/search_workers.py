"""Functions that worker processes run; a spawned process can import them, unlike a test module."""

from __future__ import annotations

from typing import Any

QUERIES = ["pain", "troponin NOT chest", '"heart failure"', "treatment", "β", "nothing"] * 20


def answers(base: Any) -> list[Any]:
    return [base.search(query) for query in QUERIES]


def send_answers(base: Any, pipe: Any) -> None:
    pipe.send(answers(base))
    pipe.close()


def put_hits(client: Any, results: Any) -> None:
    results.put([one.id for one in client.search("sign3", 1)])
