"""What a trainer reads and writes of a step, without Ray: verl's store of the fields of rows."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import torch


class Fields:
    """Stands in for verl's store of fields; ``kv_batch_get`` and ``kv_batch_put`` are its own.

    Args:
        keys: Of the rows.
        columns: Field -> a value for each row; tensors are rows of differing lengths.
    """

    def __init__(self, keys: Sequence[str], **columns: Sequence[Any]) -> None:
        self.keys = list(keys)
        self.columns = {name: dict(zip(keys, rows, strict=True)) for name, rows in columns.items()}

    def kv_batch_get(self, keys: list[str], partition_id: str, select_fields: list[str]) -> Any:
        chosen = {
            name: self.columns[name] for name in select_fields if name in self.columns
        }  # verl asks for fields that a run may lack
        rows = [{name: values[key] for name, values in chosen.items()} for key in keys]
        tensordicts = importlib.import_module("verl.utils.tensordict_utils")
        return tensordicts.list_of_dict_to_tensordict(rows)

    def kv_batch_put(self, keys: list[str], partition_id: str, fields: Any) -> Any:
        for name, values in fields.items():
            rows = values.unbind() if isinstance(values, torch.Tensor) else list(values)
            self.columns[name] = dict(zip(keys, rows, strict=True))
        meta = importlib.import_module("transfer_queue").KVBatchMeta
        return meta(partition_id=partition_id, keys=keys, tags=self.tags)

    tags: list[dict[str, Any]] = []
