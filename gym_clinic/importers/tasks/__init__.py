"""Benchmarks -> tasks; the table is `gym_clinic.importers.TASKS`.

A further benchmark is a module here with ``read(path) -> Iterator[Task]``, and a line in the table.
"""

from gym_clinic.importers.tasks.folder import SHARES, SPLITS, Imported, import_tasks
from gym_clinic.importers.tasks.multiple_choice import MultipleChoice, question_task

__all__ = ["SHARES", "SPLITS", "Imported", "MultipleChoice", "import_tasks", "question_task"]
