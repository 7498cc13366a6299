"""What every simulated patient is drawn by: person, findings of a disease, and a second problem."""

from __future__ import annotations
