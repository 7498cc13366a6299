"""What verl calls after it has saved: old checkpoints go, the last two and the best stay."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from verl.trainer.ppo.checkpoint_callback import CheckpointCallback

from verl_recipes.trainer import checkpoints


class LastAndBest(CheckpointCallback):
    """Removes old checkpoints; ``trainer.checkpoint_callback_class`` names it, null keeps all."""

    def on_save(self, trainer: Any, global_step: int, checkpoint_dir: str, **_: Any) -> None:
        """Remove what :func:`checkpoints.to_remove` names, on every node."""
        best = trainer.best and trainer.best[0]
        for old in checkpoints.to_remove(Path(checkpoint_dir).parent, global_step, best):
            trainer.actor_rollout_wg.remove_checkpoint(str(old))  # nodes may have a disk each
            shutil.rmtree(old, ignore_errors=True)
