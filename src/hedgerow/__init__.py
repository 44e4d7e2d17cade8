"""Readable machine learning for tables and text.

A learner turns a table into a model; a model is a small frozen value that predicts exactly what it prints.

>>> import hedgerow
>>> table = hedgerow.examples.loan()
>>> print(hedgerow.OneR().train(table))
if Own_House = false then Class = No (9/3)  # support 40 %, confidence 66.7 %
if Own_House = true then Class = Yes (6/0)  # support 40 %, confidence 100 %
otherwise Class = Yes
"""

from __future__ import annotations

import re
from importlib import import_module

__version__ = "0.2.0"

_IMPORT = re.compile(r"^from (hedgerow[\w.]*) import (\w+) as \2$", re.MULTILINE)
_homes: dict[str, str] = {}  # public name -> the module or package that has it, read from the stub


def public_names() -> dict[str, str]:
    """Return the public names and their homes, as `__init__.pyi` lists them."""
    if not _homes:
        with open(__file__.removesuffix(".py") + ".pyi", encoding="utf-8") as stub:
            _homes.update({name: home for home, name in _IMPORT.findall(stub.read())})
    return _homes


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: a command line should start at once."""
    if name == "__all__":
        return list(public_names())
    if name.startswith("_") or name not in public_names():
        raise AttributeError(f"module 'hedgerow' has no attribute {name!r}")
    home = _homes[name]
    module = import_module(home)
    value = getattr(module, name) if home != __name__ and hasattr(module, name) else import_module(f"{home}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*public_names(), "__version__"])
