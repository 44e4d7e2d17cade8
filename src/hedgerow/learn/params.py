"""Parameters, declared once: from this come validation, signatures, command-line options and the reference."""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from difflib import get_close_matches
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hedgerow.errors import UsageError
from hedgerow.learn.parameter_names import hint


@dataclass(frozen=True)
class Param:
    """One parameter of a learner: its type, range, default, and a line of help."""

    kind: str  # a word that `range_text` knows
    default: Any
    help: str
    low: float | None = None
    high: float | None = None
    open_low: bool = False
    none: bool = False
    choices: tuple[str, ...] = ()
    example: str = ""
    in_python: bool = False  # no option on the command line, which has its own way
    numbers: bool = False  # of a learner: whether it predicts numbers, not classes
    infinite: bool = False  # of a number: whether it may be infinite
    own: bool = False  # of a choice: whether it may be a function instead, in Python
    name: str = field(default="", compare=False)
    former: tuple[str, ...] = field(default=(), compare=False)  # names that the command line also understands

    def check(self, value: Any) -> None:
        """Raise an error if `value` is not allowed."""
        if value is None and self.none:
            return
        if self.kind == "learner":
            self._check_learner(value)
        elif not self._allows(value):
            near = get_close_matches(str(value), self.choices, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise UsageError(f"{self.name}={value!r} is not allowed: it must be {self.range_text()}{hint}")

    def _check_learner(self, value: Any) -> None:
        """Raise an error unless `value` is, or names, a learner whose own parameters are in their ranges."""
        from hedgerow.learn.registry import resolve_learner

        if isinstance(value, type):
            raise UsageError(f"{self.name}={value.__name__} is a class; give an instance of it: {value.__name__}()")
        foreign = callable(getattr(value, "fit", None)) and callable(getattr(value, "predict", None))  # to be adapted
        if not isinstance(value, str) and not callable(getattr(value, "train", None)) and not foreign:
            raise UsageError(f"{self.name}={value!r} is not allowed: it must be {self.range_text()}")
        learner = resolve_learner(value)
        if foreign and not callable(getattr(learner, "train", None)):
            from hedgerow.learn.adapt import adapt

            learner = adapt(learner)
        if getattr(learner, "target_is_classes", not self.numbers) is not (not self.numbers):
            wanted = "numbers" if self.numbers else "classes"
            raise UsageError(f"{self.name}={value!r} is not allowed: it must predict {wanted}")
        try:
            getattr(learner, "check_params", lambda: None)()
        except UsageError as error:
            raise UsageError(f"{self.name}__{error}") from None

    def _allows(self, value: Any) -> bool:
        match self.kind:
            case "flag":
                return isinstance(value, bool) or (hasattr(value, "dtype") and value.dtype == bool)
            case "choice":
                return (isinstance(value, str) and value in self.choices) or (self.own and callable(value))
            case "choices":
                names = parse_names(value) if isinstance(value, str) or _are_words(value) else ["?"]
                return len(set(names)) == len(names) and set(names) <= set(self.choices)
            case "mapping":
                return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)
            case "by_class":
                return isinstance(value, Mapping) or (isinstance(value, str) and value in self.choices)
            case "costs":
                return isinstance(value, Mapping | Sequence | np.ndarray) and not isinstance(value, str)
            case "rules":
                return isinstance(value, str | PathLike) or hasattr(value, "rules")
            case "columns" | "items":
                return isinstance(value, str) or _are_words(value)
            case "name":
                return isinstance(value, str)
            case "size" | "duration":
                return to_amount(self.kind, value) is not None
            case "words":
                return isinstance(value, str | PathLike | AbstractSet) or _are_words(value)
            case "rows":
                return (
                    isinstance(value, PathLike | Sequence | Mapping)
                    or hasattr(value, "shape")
                    or hasattr(value, "n_rows")
                )
            case "seed":
                return isinstance(value, Integral) or hasattr(value, "integers") or hasattr(value, "randint")
        number = Integral if self.kind == "integer" else Real
        return isinstance(value, number) and not isinstance(value, bool) and self._in_range(value)

    def _in_range(self, value: Any) -> bool:
        if not isinstance(value, Integral) and not math.isfinite(value):
            return self.infinite and value == math.inf
        above = self.low is None or (value > self.low if self.open_low else value >= self.low)
        return above and (self.high is None or value <= self.high)

    def range_text(self) -> str:
        """Return the allowed values in words."""
        words = {
            "real": "a number",
            "integer": "a whole number",
            "flag": "true or false",
            "mapping": f"pairs such as {self.example} or JSON",
            "by_class": " or ".join([*self.choices, f"pairs such as {self.example} or JSON"]),
            "costs": "pairs such as Yes:No=5, JSON, a .json file, or a square matrix",
            "seed": "a whole number or a random generator",
            "learner": "a regressor or its name" if self.numbers else "a classifier or its name",
            "rules": "rules, or their printed text, or a file with it",
            "columns": "column names separated by commas, or a list",
            "items": "names separated by commas, or a list",
            "name": "a name",
            "rows": "rows as a list, an array or a frame, or the path of a file",
            "size": "a size above 0, in bytes or such as 500M or 2G",
            "duration": "a duration above 0, in seconds or such as 500ms, 60s, 5m or 1h",
            "words": "words separated by commas, a file with one word per line, or the name of a language",
            "choices": "some of " + ", ".join(self.choices),
            "choice": "one of " + ", ".join(self.choices) + (", or a function" if self.own else ""),
        }[self.kind]
        if self.low is not None:
            words += f" {'above' if self.open_low else 'of at least'} {self.low:g}"
        if self.high is not None:
            words += f" and at most {self.high:g}" if self.low is not None else f" of at most {self.high:g}"
        words += " or inf" if self.infinite else ""
        return words + (" or none" if self.none else "")

    def parse(self, text: str) -> Any:
        """Turn a word from the command line into a value; `check` checks it later."""
        if self.kind == "costs" and text.lower().endswith(".json"):
            return _from_file(self.name, text)
        if self.kind == "rules" and text.lower() not in ("none", ""):
            return FileText.of(text)
        try:
            if self.none and text.lower() in ("none", ""):
                return None
            match self.kind:
                case "real":
                    return float(text)
                case "integer" | "seed":
                    return int(text)
                case "flag":
                    return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[text.lower()]
                case "columns" | "items" | "rows" if text.startswith("["):
                    return json.loads(text)
                case "mapping" | "by_class" | "costs" if text.startswith(("{", "[")):
                    return json.loads(text)
                case "by_class" if text in self.choices:
                    return text
                case "mapping" | "by_class" | "costs":
                    return dict(pair.rsplit("=", 1) for pair in text.split(","))
        except (ValueError, KeyError):
            raise UsageError(f"{self.name} cannot be {text!r}: it must be {self.range_text()}") from None
        return text


def _from_file(name: str, path: str) -> Any:
    """Return what a file of JSON holds."""
    try:
        return json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{name}: {path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name}: {path} cannot be read as JSON ({error})") from None


# These return Any so that a declaration reads `min_leaf: float = real(2, ...)` and type checkers see a float.


def real(
    default: float | None,
    help: str,  # noqa: A002
    *,
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    none: bool = False,
    infinite: bool = False,
) -> Any:
    """Declare a number; `above` is a lower bound that is itself not allowed."""
    bound = low if above is None else above
    return Param("real", default, help, low=bound, high=high, open_low=above is not None, none=none, infinite=infinite)


def integer(
    default: int | None,
    help: str,  # noqa: A002
    *,
    low: int | None = None,
    high: int | None = None,
    none: bool = False,
) -> Any:
    """Declare a whole number."""
    return Param("integer", default, help, low=low, high=high, none=none)


def choice(default: str | None, help: str, *choices: str, none: bool = False) -> Any:  # noqa: A002
    """Declare one of several words."""
    return Param("choice", default, help, choices=choices, none=none)


def choices(default: str, help: str, *choices: str) -> Any:  # noqa: A002
    """Declare some of several words, with commas between them or as a list; `parse_names` takes them apart."""
    return Param("choices", default, help, choices=choices, none=True)


def choice_or_function(default: str, help: str, *choices: str) -> Any:  # noqa: A002
    """Declare one of several words, or a function of the user's own, which only Python can give."""
    return Param("choice", default, help, choices=choices, own=True)


def flag(default: bool, help: str, *, in_python: bool = False) -> Any:  # noqa: A002
    """Declare a yes or no; `in_python` only, if the command line has another way to say it."""
    return Param("flag", default, help, in_python=in_python)


def mapping(help: str, example: str = "age=kernel,size=bins") -> Any:  # noqa: A002
    """Declare values by column name, none by default; `example` is what an error shows."""
    return Param("mapping", None, help, none=True, example=example)


def by_class_param(help: str, example: str, *choices: str) -> Any:  # noqa: A002
    """Declare values by class, none by default, or a word; classes may be numbers, as `y` may hold them."""
    return Param("by_class", None, help, none=True, example=example, choices=choices)


def costs(help: str) -> Any:  # noqa: A002
    """Declare misclassification costs, none by default; `models.base.costs.cost_matrix` takes its forms."""
    return Param("costs", None, help, none=True)


def seed() -> Any:
    """Declare `random_state`: a fixed seed by default, so that the same data give the same model."""
    return Param("seed", 1, "seed of the random number generator", none=True)


def learner(default: str, help: str) -> Any:  # noqa: A002
    """Declare a classifier that this learner learns with: one of its own or of scikit-learn's kind, or its name.

    A name is looked up when it is used.
    """
    return Param("learner", default, help)


def regressor(default: str, help: str) -> Any:  # noqa: A002
    """Declare a regressor that this learner learns with: one of its own or of scikit-learn's kind, or its name."""
    return Param("learner", default, help, numbers=True)


def kept_rules_param(help: str) -> Any:  # noqa: A002
    """Declare rules to start from: a model, its print, or a file with that; the command line takes a file."""
    return Param("rules", None, help, none=True)


def column_names(help: str) -> Any:  # noqa: A002
    """Declare some columns by their names, none by default."""
    return Param("columns", None, help, none=True)


def item_names(help: str) -> Any:  # noqa: A002
    """Declare some items, or columns that stand for all of theirs, none by default; `parse_names` takes them apart."""
    return Param("items", None, help, none=True)


def start_rows(help: str) -> Any:  # noqa: A002
    """Declare some rows to start from, none by default: a list, an array, a frame, or the path of a file."""
    return Param("rows", None, help, none=True)


def column_name(help: str) -> Any:  # noqa: A002
    """Declare a column by its name, none by default."""
    return Param("name", None, help, none=True)


def size(help: str, default: str | None = None) -> Any:  # noqa: A002
    """Declare an amount of memory, none by default; `to_amount` gives its bytes."""
    return Param("size", default, help, none=default is None)


def duration(help: str) -> Any:  # noqa: A002
    """Declare a span of time, none by default; `to_amount` gives its seconds."""
    return Param("duration", None, help, none=True)


_UNITS: dict[str, dict[str, float]] = {
    "size": {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40},
    "duration": {"": 1, "ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3600},
}


def to_amount(kind: str, value: Any) -> float | None:
    """Return the bytes of a size or the seconds of a duration, given as a number or in words; None if it is neither.

    >>> to_amount("size", "2G"), to_amount("size", "1.5 MiB"), to_amount("duration", "5m"), to_amount("duration", "-1")
    (2147483648.0, 1572864.0, 300.0, None)
    """
    if isinstance(value, str):
        match = re.fullmatch(r"([0-9]*\.?[0-9]+)\s*([a-z]*)", value.strip().lower())
        unit = "" if match is None else match[2]
        if kind == "size" and len(unit) > 1:
            unit = re.sub(r"i?b$", "", unit)
        if match is None or unit not in _UNITS[kind]:
            return None
        value = float(match[1]) * _UNITS[kind][unit]
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) < math.inf:
        return None
    return float(value)


def parse_names(value: Any) -> list[str]:
    """Return names that were given as a list, or as a text with commas; a name in double quotes may hold commas.

    >>> parse_names('Outlook, "a, b"="c, d",Play=Yes'), parse_names(["x", "y"]), parse_names(None)
    (['Outlook', '"a, b"="c, d"', 'Play=Yes'], ['x', 'y'], [])
    """
    if value is None:
        return []
    if not isinstance(value, str):
        return [str(name) for name in value]
    names = re.findall(r'(?:"(?:[^"\\]|\\.)*"|[^,"])+', value)
    return [name.strip() for name in names if name.strip()]


def words_param(help: str) -> Any:  # noqa: A002
    """Declare words, none by default: themselves, a file, or a language whose list is meant."""
    return Param("words", None, help, none=True)


def _are_words(value: Any) -> bool:
    return isinstance(value, Sequence | np.ndarray) and all(isinstance(word, str) for word in value)


class FileText(str):
    """The text of a file, which errors name."""

    __slots__ = ("file",)
    file: str

    @classmethod
    def of(cls, path: str | PathLike[str]) -> FileText:
        """Return the text of a file of rules; of a model file it is the print of the model's rules."""
        try:
            content = Path(path).read_bytes()
            text = cls(_read_printed_rules(path) if b"\0" in content[:4096] else content.decode("utf-8-sig"))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{str(path)!r} cannot be read: {getattr(error, 'strerror', None) or error}") from None
        text.file = str(path)
        return text


def _read_printed_rules(path: str | PathLike[str]) -> str:
    """Return the print of the rules in a model file."""
    from hedgerow.models.files.model_file import load

    model = load(path)
    if not model.rule_order:
        raise UsageError(f"{path}: {model.no_rules()}")
    return str(model.as_rules())


class _Unset:
    """An attribute that is not there until it is set."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> Any:
        raise AttributeError(f"{owner.__name__!r} object has no attribute {self.name!r}; fit sets it")


def fitted_attribute(*, init: Literal[False] = False) -> Any:  # noqa: ARG001
    """Declare an attribute that `fit` sets, so that type checkers do not take it for a parameter."""
    return _Unset()


def collect(namespace: Mapping[str, Any], inherited: Mapping[str, Param]) -> dict[str, Param]:
    """Return the parameters declared in a class body, after those of its bases."""
    result = dict(inherited)
    for name, value in namespace.items():
        if isinstance(value, Param):
            result[name] = Param(**{**value.__dict__, "name": name})
    return result


def add_parameters(docstring: str | None, params: Mapping[str, Param]) -> str | None:
    """Return the docstring of a learner with a section on its parameters at the end."""
    if docstring is None or not params or PARAMETERS in inspect.cleandoc(docstring):
        return docstring
    lines = [PARAMETERS.strip(), "----------"]
    for name, param in params.items():
        lines += [f"{name} : {param.range_text()}, default={param.default!r}", f"    {param.help}"]
    indent = re.search(r"\n( *)[^\n]*\Z", docstring)
    space = "    " if "\n" in docstring and indent is not None else ""
    return docstring.rstrip() + "\n\n" + "\n".join(f"{space}{line}" for line in lines) + f"\n{space}"


PARAMETERS = "\nParameters\n"


def make_init(params: Mapping[str, Param]) -> Callable[..., None]:
    """Return an `__init__` that takes the parameters by keyword and stores them untouched."""
    signature = inspect.Signature(
        [
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            *(
                inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=param.default)
                for name, param in params.items()
            ),
        ]
    )

    def __init__(self: Any, *unnamed: Any, **given: Any) -> None:  # noqa: N807
        if unnamed:
            named = f"{type(self).__name__}({next(iter(params), 'name')}=...)"
            raise TypeError(f"{type(self).__name__} takes its parameters by name, as in {named}")
        unknown = [name for name in given if name not in params]
        if unknown:
            advice = hint(type(self).name, unknown[0], params)
            raise TypeError(f"{type(self).__name__} has no parameter {unknown[0]!r}; {advice}")
        for name, param in params.items():
            setattr(self, name, given.get(name, param.default))

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__
