"""The list of all fuzz targets."""

from __future__ import annotations

from fuzz import frames, learners, model_files, readers, saved_files, texts
from fuzz.target import Target


def all_targets() -> list[Target]:
    """Return all targets, in the order in which they are run."""
    groups = (readers, texts, frames, saved_files, model_files, learners)
    return [target for group in groups for target in group.targets()]
