"""Files as people have them: packed or not, in any Unicode encoding, with any line ends."""

from gym_clinic.reading.packed import PACKED, open_bytes, plain_name, plain_or_packed
from gym_clinic.reading.text import is_wide, numbered_lines, open_text, read_text, text_of

__all__ = [
    "PACKED",
    "is_wide",
    "numbered_lines",
    "open_bytes",
    "open_text",
    "plain_name",
    "plain_or_packed",
    "read_text",
    "text_of",
]
