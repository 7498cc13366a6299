"""A small network reads the kind of image, in short form; ``bench/images.py`` measures the rest."""

from __future__ import annotations

from statistics import fmean

import pytest

from gym_clinic.domains.mmedagent.questions import ImageQuestion, draw_question
from gym_clinic.simulate.split import Split


@pytest.mark.population
def test_a_small_network_reads_the_modality() -> None:
    torch = pytest.importorskip("torch")
    images = pytest.importorskip("images")  # bench/images.py

    def drawn(split: Split, size: int) -> list[ImageQuestion]:
        return [draw_question(f"short {seed}", split) for seed in range(size)]

    torch.set_num_threads(1)
    train, test = drawn("train", 160), drawn("test", 40)
    pixels, seen = images.pictures(train), images.pictures(test)
    network = images.train(train, pixels, 8)
    rows = images.measure(network, test, seen)
    assert fmean(right - chance for right, chance, _ in rows["modality"]) > 0.3
    # Images that belong to other questions teach nothing: what the test above must not pass.
    mixed = images.measure(network, test, seen.roll(1, 0))
    assert fmean(right - chance for right, chance, _ in mixed["modality"]) < 0.3
