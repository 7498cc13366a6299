from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
from typing import Any

import pytest
from chat_server import ChatServer

from gym_clinic.consult.chat import ChatClient, Usage

KEY = "sk-secret-0123456789"
ASK = [{"role": "user", "content": "What is the class?"}]


def client(server: ChatServer, **options: Any) -> ChatClient:
    fast: dict[str, Any] = {"backoff": 0.002, "retries": 2, "timeout": 5.0}
    return ChatClient(server.url, "tiny", **{**fast, **options})


@pytest.mark.parametrize("way", [copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))])
def test_copies_are_clients_of_their_own(chat_server: ChatServer, way: Any) -> None:
    chat = client(chat_server, api_key=KEY, extra={"seed": 1})
    chat.complete(ASK)
    twin = way(chat)
    assert twin.usage == Usage()
    twin.complete(ASK)
    assert chat_server.requests[0] == chat_server.requests[1]
    assert chat_server.headers[1]["authorization"] == f"Bearer {KEY}"
    assert (chat.usage.replies, twin.usage.replies) == (1, 1)


def chat_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "gym-clinic-http"}


def test_threads_end_with_the_client(chat_server: ChatServer) -> None:
    before = set(threading.enumerate())
    chat = client(chat_server)
    chat.complete(ASK)
    (thread,) = chat_threads() - before
    chat.close()
    assert not thread.is_alive()
    assert chat.complete(ASK).text == "ok"  # opens anew
    (thread,) = chat_threads() - before
    del chat
    gc.collect()
    thread.join(300)
    assert not thread.is_alive()


def test_exit_with_a_request_under_way(chat_server: ChatServer) -> None:
    chat_server.script = [chat_server.stall()]
    code = f"""
import threading, time
from gym_clinic.consult.chat import ChatClient
chat = ChatClient({chat_server.url!r}, "tiny", timeout=1000)
threading.Thread(target=chat.complete, args=([],), daemon=True).start()
while not chat._endpoint._sent:
    time.sleep(0.01)
print("done")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_opens_its_own_connections(chat_server: ChatServer) -> None:
    code = f"""
import os, sys
from gym_clinic.consult.chat import ChatClient
chat = ChatClient({chat_server.url!r}, "tiny")
chat.complete([])
child = os.fork()
if child == 0:
    os._exit(0 if chat.complete([]).text == "ok" else 1)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(code, chat.complete([]).text, chat.usage.replies)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.stdout == "0 ok 2\n", done.stderr
    assert len(chat_server.requests) == 3
