from __future__ import annotations

import pytest
from fake_queue import Queue


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> Queue:
    tq = pytest.importorskip("transfer_queue")
    found = Queue()
    for name in ("kv_list", "kv_batch_get", "kv_clear"):
        monkeypatch.setattr(tq, name, getattr(found, name))
    return found
