"""The algorithms: where the trainer of each lies."""

from __future__ import annotations

from collections.abc import Mapping

TRAINERS: Mapping[str, str] = {
    "clinic": "verl_recipes.trainer.trainer",
    "ttopd": "verl_recipes.ttopd.trainer",
}
"""``trainer.v1.trainer_mode`` of a method -> the module that registers its trainer with verl.

An algorithm of your own: a folder beside ``ttopd``, a line here, a file in ``config/method``.
"""
