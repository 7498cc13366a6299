"""Imports every small domain of the tests, so that the registry holds their ids."""

from __future__ import annotations

import image_domain
import inline_domain
import tiny_domain
import walk_domain

IDS = {**tiny_domain.IDS, **walk_domain.IDS, **image_domain.IDS, **inline_domain.IDS}
