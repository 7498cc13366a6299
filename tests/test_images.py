from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

import gymnasium as gym
import image_domain
import pytest
from image_domain import IMAGES

from gym_clinic import ClinicEnv, Illustrated, TaskError
from gym_clinic.images import (
    _SHARED_URLS,
    MARK,
    DeferredIllustrated,
    content_parts,
    image_reference,
    plain,
    shared,
    text_of,
)

Image = pytest.importorskip("PIL.Image")


def test_there_is_one_mark_for_each_image() -> None:
    assert Illustrated("a <image> b <image>", ["x.png", Path("y.png")]).images == ("x.png", "y.png")
    with pytest.raises(TypeError, match="the text has 1 <image> marks for 2 images"):
        Illustrated("a <image>", ("x.png", "y.png"))


def test_content_parts_keep_the_order_of_text_and_images() -> None:
    path = IMAGES / "round.png"
    parts = content_parts(f"before {MARK}{MARK} after", [path, Image.open(path)])
    assert [part["type"] for part in parts] == ["text", "image_url", "image_url", "text"]
    head, data = parts[1]["image_url"]["url"].split(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(data) == path.read_bytes()
    assert parts[2]["image_url"]["url"].startswith("data:image/png;base64,")
    assert text_of(parts) == "before <image><image> after"


def test_references_hold_a_hash_and_never_the_bytes() -> None:
    path = IMAGES / "round.png"
    reference = image_reference(path)
    assert reference == {
        "path": str(path),
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    loaded, other = Image.open(path), Image.open(IMAGES / "cross.png")
    assert image_reference(loaded).keys() == {"sha256"}
    assert image_reference(loaded) == image_reference(loaded.copy()) != image_reference(other)


def test_a_missing_image_is_named(tmp_path: Path) -> None:
    for look in (image_reference, lambda path: content_parts(MARK, [path])):
        with pytest.raises(TaskError, match=r"no image .*nowhere\.png"):
            look(tmp_path / "nowhere.png")
    (tmp_path / "notes.txt").write_text("text")
    with pytest.raises(TaskError, match="is not named as an image"):
        content_parts(MARK, [tmp_path / "notes.txt"])


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "lesion.png"
    path.write_bytes((IMAGES / "round.png").read_bytes())
    before = image_reference(path)
    path.write_bytes((IMAGES / "cross.png").read_bytes())
    assert image_reference(path) != before


def lesions(**options: object) -> ClinicEnv:
    env = gym.make("toy/Lesions-v0", **options).unwrapped
    assert isinstance(env, ClinicEnv)
    return env


def test_images_of_ticket_and_tools_reach_the_agent() -> None:
    env = lesions()
    prompt, info = env.reset(seed=0)
    shapes = env.episode.task.record["shapes"]
    assert prompt.count(MARK) == len(info["images"]) == 1
    assert info["images"] == [str(IMAGES / f"{shapes['left']}.png")]
    assert [part["type"] for part in info["messages"][-1]["content"]] == [
        "text", "image_url", "text",
    ]  # fmt: skip
    call = {"id": "a", "name": "view_image", "arguments": {"side": "right"}}
    observation, *_, info = env.step_calls([call, {**call, "id": "b"}])
    right = str(IMAGES / f"{shapes['right']}.png")
    assert info["images"] == [right, right]
    assert observation.count(MARK) == 2
    assert info["messages"][0]["content"][1]["type"] == "image_url"
    assert env.episode.calls[0].images == (right,)
    assert env.episode.turns[0].images == (right, right)
    assert env.episode.images == [str(IMAGES / f"{shapes['left']}.png"), right, right]


def test_a_transcript_shows_all_images_so_far() -> None:
    env = lesions(observation="transcript")
    env.reset(seed=0)
    call = {"name": "view_image", "arguments": {"side": "right"}}
    observation, *_, info = env.step_calls([call])
    assert observation.count(MARK) == len(info["images"]) == 2


def test_an_agent_cannot_insert_an_image_mark() -> None:
    env = lesions(observation="transcript")
    env.reset(seed=0)
    bad = '<tool_call>{"name": "<image>", "arguments": {"<image>": 1}}</tool_call>'
    observation, *_ = env.step(bad + "<image>")
    assert observation.count(MARK) == 1  # the ticket's
    assert plain("no <image> here") == "no [image] here"


def test_text_domains_have_no_images() -> None:
    env = ClinicEnv("tiny_domain:TRIAGE")
    _, info = env.reset(seed=0)
    assert "images" not in info
    *_, info = env.step("hello")
    assert "images" not in info
    assert image_domain.LESIONS.name == "lesions"


def test_the_url_of_a_shared_image_is_made_once_and_follows_its_pixels() -> None:
    image = shared(Image.new("RGB", (8, 8)))
    (first,), (again,) = (content_parts(MARK, [image]) for _ in range(2))
    assert first["image_url"]["url"] is again["image_url"]["url"]
    before = len(_SHARED_URLS)
    image.putpixel((0, 0), (255, 255, 255))
    (drawn,) = content_parts(MARK, [image])
    assert drawn != first
    del image
    assert len(_SHARED_URLS) == before - 1


def test_a_deferred_image_is_made_when_it_is_asked_for() -> None:
    made: list[int] = []

    def make() -> Any:
        made.append(1)
        return Image.new("RGB", (2, 2))

    ticket = DeferredIllustrated(f"a {MARK} b", make)
    assert ticket.text == "a <image> b"
    assert not made
    assert isinstance(ticket, Illustrated)
    assert ticket.images[0].size == (2, 2)
    assert ticket == DeferredIllustrated(f"a {MARK} b", make)
    assert ticket != DeferredIllustrated(f"{MARK} b", make)
    with pytest.raises(TypeError, match="0 <image> marks for 1 image"):
        DeferredIllustrated("a", make)
