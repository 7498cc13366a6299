"""Write the pages: ``python -m kb.build.pages``."""

from __future__ import annotations

from gym_clinic.files import replace_files
from kb.build.pages import pages

replace_files({page: [text.encode()] for page, text in pages().items()})
