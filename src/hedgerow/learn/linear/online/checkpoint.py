"""Checkpoints: the complete state of an online learner in a file, from which training can be resumed exactly."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.atomic_write import open_atomic
from hedgerow.errors import HedgerowError, ModelError
from hedgerow.learn.linear.online.online_linear import OnlineLinear, OnlineLinearRegressor
from hedgerow.learn.linear.online.online_state import OnlineState
from hedgerow.models.files.archive import DTYPES, Archive, seal, unseal
from hedgerow.models.files.manifest import DAMAGE

FORMAT, VERSION = "hedgerow checkpoint", 1


@dataclass
class Checkpoint:
    """A state, and how much of the data has been read: completed passes, rows of this pass, and total passes."""

    state: OnlineState
    learner: str
    settings: dict[str, Any] = field(default_factory=dict)
    passes: int = 0
    rows: int = 0
    of: int = 1

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the checkpoint atomically."""
        arrays: list[NDArray[Any]] = []
        parts = {
            "format": FORMAT,
            "version": VERSION,
            "learner": self.learner,
            "settings": self.settings,
            "passes": self.passes,
            "rows": self.rows,
            "of": self.of,
            "state": _encode_value(self.state.to_dict(), arrays),
        }
        data = seal(json.dumps(parts).encode(), arrays)
        with open_atomic(path) as stream:
            stream.write(data)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Checkpoint:
        """Read a checkpoint; raise an error if the file is damaged or not a checkpoint."""
        name = os.fspath(path)
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            raise ModelError(f"{name} cannot be read: {error.strerror or error}") from None
        try:
            archive = unseal(data)
            parts = json.loads(archive.manifest())
            if not isinstance(parts, Mapping) or parts.get("format") != FORMAT:
                raise ModelError(
                    "is a model, not a checkpoint: it does not contain the state of training; use it with --like"
                )
            if parts.get("version") != VERSION:
                raise ModelError(f"is a checkpoint of version {parts.get('version')!r}; this hedgerow reads {VERSION}")
            state = OnlineState.from_dict(_decode_value(parts["state"], archive))
            checkpoint = cls(state, parts["learner"], parts["settings"], parts["passes"], parts["rows"], parts["of"])
            checkpoint.check()
        except HedgerowError as error:
            raise ModelError(f"{name} {str(error).replace('model file', 'checkpoint')}") from None
        except DAMAGE as error:
            raise ModelError(f"{name} is not a readable checkpoint ({_first_line(error)})") from None
        return checkpoint

    def check(self) -> None:
        """Raise an error if the learner's settings do not match the state, or if the progress is unknown."""
        kind = OnlineLinear if self.state.is_classes else OnlineLinearRegressor
        if self.learner != kind.name:
            raise ModelError(f"is damaged: its state belongs to {kind.name}, but it names {str(self.learner)[:100]!r}")
        try:
            kind().set_params(**self.settings).check_params()
        except (HedgerowError, TypeError) as error:
            raise ModelError(f"is damaged: a setting of its learner is not allowed ({_first_line(error)})") from None
        if not all(type(n) is int and n >= 0 for n in (self.passes, self.rows, self.of)):
            raise ModelError("is damaged: its progress is invalid")


def _first_line(error: Exception) -> str:
    return (str(error).split("\n", 1)[0] or type(error).__name__)[:200]


def _encode_value(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """Return JSON values, arrays replaced by their numbers, types and shapes."""
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": [len(arrays) - 1, value.dtype.name, list(value.shape)]}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {"object": {str(key): _encode_value(inner, arrays) for key, inner in value.items()}}
    if isinstance(value, list | tuple):
        return [_encode_value(inner, arrays) for inner in value]
    return value


def _decode_value(value: Any, archive: Archive) -> Any:
    """Return the value stored by `_encode_value`."""
    if isinstance(value, list):
        return [_decode_value(inner, archive) for inner in value]
    if not isinstance(value, dict):
        return value
    if "object" in value:
        return {key: _decode_value(inner, archive) for key, inner in value["object"].items()}
    number, dtype, shape = value["array"]
    sound = type(number) is int and number >= 0 and dtype in DTYPES and all(type(n) is int and n >= 0 for n in shape)
    if not sound:
        raise ModelError("is damaged: one of its arrays is invalid")
    return archive.array(number, dtype, tuple(shape))
