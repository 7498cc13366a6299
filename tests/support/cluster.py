"""A stand-in for an OpenSearch node, written after its documentation; what it lacks it refuses.

It holds indexes in memory, reads the part of the Query DSL that the adapter writes, and answers
in the form of the documentation. Words are compared as they are, in lower case.
"""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

LONGEST_ID = 512
SHARDS = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}


class RefusedError(Exception):
    def __init__(self, status, kind, reason):
        super().__init__(reason)
        self.status, self.kind = status, kind


def words(text):
    return re.findall(r"\w+", text.lower())


def holds(document, query):
    """Return how many of a query's words a document has, 0 if it does not match."""
    (kind, inside), *more = query.items()
    assert not more
    if kind == "bool":
        return holds_all(document, **inside)
    (field, wanted), *more = inside.items()
    assert not more
    if kind == "term":
        return int(document[field] == wanted)
    assert field == "body"
    # Two values of one field lie too far apart for a phrase across both.
    values = [words(document["title"]), words(document["text"])]
    asked = words(wanted["query"])
    if kind == "match":
        assert wanted.get("operator", "or") == "or"
        return len(set(asked) & {word for value in values for word in value})
    assert kind == "match_phrase"
    size = len(asked)
    starts = ((value, at) for value in values for at in range(len(value)))
    return int(any(value[at : at + size] == asked for value, at in starts))


def holds_all(document, must=(), filter=(), must_not=(), should=(), minimum_should_match=0):
    scores = [holds(document, one) for one in must]
    some = [score for score in (holds(document, one) for one in should) if score]
    if not all(scores) or len(some) < minimum_should_match:
        return 0
    if any(holds(document, one) for one in must_not):
        return 0
    return sum(scores) + sum(some) if all(holds(document, one) for one in filter) else 0


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_one(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        url = urlsplit(self.path)
        self.server.asked.append((self.command, self.path, len(raw)))
        try:
            answer = self.answer(url.path.strip("/").split("/"), raw)
            status = 200
        except RefusedError as refused:
            cause = {"type": refused.kind, "reason": str(refused)}
            status = refused.status
            answer = {"error": {"root_cause": [cause], **cause}, "status": status}
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=UTF-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.handle_one()

    def do_POST(self):
        self.handle_one()

    def do_PUT(self):
        self.handle_one()

    def answer(self, parts, raw):
        indexes, name = self.server.indexes, parts[0]
        if self.command == "PUT" and len(parts) == 1:
            if name in indexes:
                raise RefusedError(
                    400, "resource_already_exists_exception", f"index [{name}] exists"
                )
            indexes[name] = {"made": json.loads(raw), "new": {}, "found": {}}
            return {"acknowledged": True, "shards_acknowledged": True, "index": name}
        if name not in indexes:
            raise RefusedError(404, "index_not_found_exception", f"no such index [{name}]")
        index = indexes[name]
        match self.command, *parts[1:]:
            case ["GET"]:
                return {name: index["made"]}
            case ["POST", "_bulk"]:
                return self.bulk(index, raw)
            case ["POST", "_refresh"]:
                index["found"].update(index["new"])
                return {"_shards": SHARDS}
            case ["POST", "_search"]:
                return self.search(index, json.loads(raw))
        raise RefusedError(400, "illegal_argument_exception", f"no {self.command} {self.path}")

    def bulk(self, index, raw):
        assert raw.endswith(b"\n")
        lines = [json.loads(line) for line in raw.split(b"\n")[:-1]]
        known = index["made"]["mappings"]["properties"]
        items = []
        for action, document in zip(lines[::2], lines[1::2], strict=True):
            done = {**action["index"], "status": 201}
            if self.server.busy:
                cause = {"type": "rejected_execution_exception", "reason": "queue is full"}
                done |= {"status": 429, "error": cause}
            elif len(done["_id"].encode()) > LONGEST_ID or not set(document) <= set(known):
                cause = {"type": "illegal_argument_exception", "reason": "id is too long"}
                done |= {"status": 400, "error": cause}
            else:
                index["new"][done["_id"]] = document
            items.append({"index": done})
        failed = any("error" in item["index"] for item in items)
        return {"took": 3, "errors": failed, "items": items}

    def search(self, index, asked):
        if "aggs" in asked:
            return self.counts(index, **asked)
        assert asked.get("sort", [])[1:] in ([], [{"id": {"order": "asc"}}])
        scored = [(holds(one, asked["query"]), one) for one in index["found"].values()]
        best = sorted((one for one in scored if one[0]), key=lambda one: (-one[0], one[1]["id"]))
        hits = [
            {"_id": one["id"], "_score": float(score), "_source": one}
            for score, one in best[: asked["size"]]
        ]
        found = {"max_score": None, "hits": hits}
        return {"took": 1, "timed_out": False, "_shards": SHARDS, "hits": found}

    def counts(self, index, size, track_total_hits, aggs):
        assert (size, track_total_hits) == (0, False)
        ((name, inside),) = aggs.items()
        documents = index["found"].values()
        buckets = [
            {"doc_count": sum(holds(one, query) > 0 for one in documents)}
            for query in inside["filters"]["filters"]
        ]
        answer = {"took": 1, "timed_out": False, "_shards": SHARDS, "hits": {"hits": []}}
        return answer | {"aggregations": {name: {"buckets": buckets}}}

    def log_message(self, *_):
        pass


class Cluster(ThreadingHTTPServer):
    """A node on a free port, as a context manager."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.indexes, self.asked, self.busy = {}, [], False
        self.url = f"http://127.0.0.1:{self.server_port}"
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self._thread.join()
        self.server_close()
