"""What a trainer reads and writes of a step, without Ray: verl's store of the fields of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import transfer_queue as tq
from tensordict.tensorclass import NonTensorStack
from verl.utils import tensordict_utils as tu


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
        found = {}
        for name in select_fields:
            if name not in self.columns:
                continue  # verl asks for fields that a run may lack
            rows = [self.columns[name][key] for key in keys]
            if isinstance(rows[0], torch.Tensor):
                found[name] = torch.nested.as_nested_tensor(rows, layout=torch.jagged)
            else:
                found[name] = NonTensorStack(*rows)
        return tu.get_tensordict(found)

    def kv_batch_put(self, keys: list[str], partition_id: str, fields: Any) -> Any:
        for name, values in fields.items():
            rows = values.unbind() if isinstance(values, torch.Tensor) else list(values)
            self.columns[name] = dict(zip(keys, rows, strict=True))
        return tq.KVBatchMeta(partition_id=partition_id, keys=keys, tags=self.tags)

    tags: list[dict[str, Any]] = []
