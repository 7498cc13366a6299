"""A small network reads the images: what it must read of modality and presence, in short form.

The whole, on 2,000 images and with all kinds of questions, is ``bench/images.py``.
"""

from __future__ import annotations

from statistics import fmean

import pytest

from gym_clinic.domains.mmedagent.questions import ImageQuestion, draw_question


@pytest.mark.population
def test_a_small_network_reads_modality_and_presence(request: pytest.FixtureRequest) -> None:
    torch = pytest.importorskip("torch")
    images = pytest.importorskip("images")  # bench/images.py
    whole = bool(request.config.getoption("--whole"))
    count, epochs = (2000, 20) if whole else (160, 8)

    def drawn(split: str, size: int) -> list[ImageQuestion]:
        return [draw_question(f"short {seed}", split) for seed in range(size)]

    torch.set_num_threads(1)
    train, test = drawn("train", count), drawn("test", count // 4)
    network = images.train(train, images.pictures(train), epochs)
    rows = images.measure(network, test, images.pictures(test))
    gains = {kind: fmean(right - chance for right, chance, _ in rows[kind]) for kind in rows}
    assert gains["modality"] > 0.3, gains
    if whole:
        assert gains["presence"] > 0.3, gains
