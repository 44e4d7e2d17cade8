"""Options that several verbs share, and learner options made from the learners' declared parameters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar

import click
from click.core import ParameterSource

from hedgerow.cli.output import print_safely
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.source import ReadOptions, Source
from hedgerow.data.table.table import Table
from hedgerow.data.text.mail import check_parts
from hedgerow.errors import DataError, UsageError
from hedgerow.layout.quotes import quote_for_shell
from hedgerow.learn.base import Learner
from hedgerow.learn.parameter_names import former_names, suggest
from hedgerow.learn.params import Param

Decorated = Callable[..., Any]

KIND_OPTIONS = [
    click.option("--target", metavar="NAME", help="The column to predict (default: the last)."),
    click.option("--nominal", metavar="NAME", multiple=True, help="Treat this column as nominal."),
    click.option("--numeric", metavar="NAME", multiple=True, help="Treat this column as numeric."),
    click.option("--text", metavar="NAME", multiple=True, help="Treat this column as text."),
    click.option("--ignore", metavar="NAME", multiple=True, help="Do not use this column in training."),
    click.option("--keep", metavar="NAME", multiple=True, help="Use this column although it looks like an identifier."),
]
LAYOUT_OPTIONS = [
    click.option("--missing", metavar="WORD", multiple=True, help="A word that means a missing value."),
    click.option("--delimiter", metavar="CHAR", help="The character that separates values (default: detected)."),
    click.option(
        "--quote",
        metavar="CHAR",
        help='The character that encloses values (default: "); none: quotes are plain characters.',
    ),
    click.option("--header/--no-header", default=None, help="Whether the first line holds the column names."),
    click.option("--decimal", metavar="CHAR", help="The decimal point: . or , (default: detected for each column)."),
    click.option(
        "--dates",
        metavar="ORDER",
        type=click.Choice(["dmy", "mdy", "ymd"]),
        help="The order of day, month and year in dates such as 03/04/2024 (default: detected for each column).",
    ),
    click.option("--sheet", metavar="NAME", help="The sheet of a workbook, by name or number (default: the largest)."),
    click.option("--table", metavar="NAME", help="The table of an SQLite database (default: the only one)."),
    click.option("--encoding", metavar="NAME", default="utf-8", help="The encoding of the text."),
    click.option(
        "--format", "file_format", metavar="NAME", help="The format of the file, if its name does not determine it."
    ),
    click.option(
        "--strip",
        metavar="PARTS",
        help="Parts to remove from mails: headers,quotes,signatures, all or none (default: as when the model was "
        "trained).",
    ),
    click.option("--bag", metavar="NAME", help="Group rows with the same value of this column into one bag."),
    click.option(
        "--positive",
        metavar="CLASS",
        help="The class that a bag has if at least one of its rows has it (default: all rows must agree).",
    ),
]

READING = (
    "target", "nominal", "numeric", "text", "ignore", "keep",
    "missing", "delimiter", "header", "decimal", "dates", "sheet", "table", "quote", "encoding", "file_format", "strip",
    "bag", "positive",
)  # fmt: skip

JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
SAFE_CELLS_OPTION = click.option(
    "--safe-cells",
    is_flag=True,
    help="In CSV, put an apostrophe before words that begin with =, +, - or @, which spreadsheets would read as "
    "formulas.",
)
QUIET_OPTION = click.option("--quiet", "-q", is_flag=True, help="Print no progress and no notes.")


def data_options(command: Decorated) -> Decorated:
    """Add the options on how to read data; the command gets them as one `reading` argument."""
    return _add_options(command, [*KIND_OPTIONS, *LAYOUT_OPTIONS])


def table_options(command: Decorated) -> Decorated:
    """Add the options on how to read data without a target."""
    return _add_options(command, [*KIND_OPTIONS[1:], *LAYOUT_OPTIONS])


def layout_options(command: Decorated) -> Decorated:
    """Add the options on how to read data whose kinds and target are known from a model."""
    return _add_options(command, LAYOUT_OPTIONS)


def _add_options(command: Decorated, options: Sequence[Decorated]) -> Decorated:
    def add_and_wrap(*args: Any, **given: Any) -> Any:
        reading = {name: given.pop(name, ()) for name in READING}
        reading["target"] = reading["target"] or None
        return command(*args, reading=reading, **given)

    add_and_wrap.__name__, add_and_wrap.__doc__ = command.__name__, command.__doc__
    add_and_wrap.__click_params__ = getattr(command, "__click_params__", [])  # type: ignore[attr-defined]
    for option in reversed(options):
        add_and_wrap = option(add_and_wrap)
    return add_and_wrap


def read_options(reading: dict[str, Any], **changed: Any) -> ReadOptions:
    """Return the settings of the data options."""
    kinds: dict[str, Kind] = {}
    for kind in (Kind.NOMINAL, Kind.NUMERIC, Kind.TEXT):
        for name in reading[str(kind)]:
            if name in kinds:
                raise UsageError(f"column {name!r} cannot be both {kinds[name]} and {kind}")
            kinds[name] = kind
    delimiter = reading["delimiter"]
    settings: dict[str, Any] = {
        "target": reading["target"],
        "kinds": kinds,
        "ignore": reading["ignore"],
        "keep": reading["keep"],
        "missing": reading["missing"],
        "delimiter": {"tab": "\t", "\\t": "\t", "blank": " "}.get(delimiter, delimiter),
        "header": reading["header"],
        "encoding": reading["encoding"],
        "decimal": reading["decimal"] or None,
        "dates": reading["dates"] or None,
        "sheet": reading["sheet"] or None,
        "table": reading["table"] or None,
        "quote": reading["quote"],
        "strip": None if reading["strip"] is None else check_parts(reading["strip"]),
        "bag": reading["bag"] or None,
        "positive": reading["positive"] or None,
    }
    return ReadOptions(**{**settings, **changed})


def open_data(data: str, reading: dict[str, Any], **changed: Any) -> Source:
    """Open the data that an argument names."""
    from hedgerow.data.read import make_source

    return make_source(data, read_options(reading, **changed), reading["file_format"])


def read_data(
    data: str, reading: dict[str, Any], quiet: bool = False, *, to_learn: bool = True
) -> tuple[Table, list[str]]:
    """Read the data that an argument names; also return notes about them.

    Training data without a target, such as a folder of files, are an error.
    """
    from hedgerow.cli.output import read_all

    source = open_data(data, reading)
    if to_learn:
        check_learnable(source)
    return read_all(source, quiet), list(source.notes)


def check_learnable(source: Source) -> None:
    """Raise an error for documents without a class; other data have a default target."""
    from hedgerow.data.formats.documents.documents import DocumentSource
    from hedgerow.data.text.strip_mail import StrippedSource

    inner = source.inner if isinstance(source, StrippedSource) else source
    if isinstance(inner, DocumentSource) and source.schema.target is None:
        raise DataError(
            f"{source.name} holds texts without a class, so there is nothing to learn; name a folder whose folders "
            "are the classes, or a table with a column of classes"
        )


def print_note(note: str, quiet: bool = False) -> None:
    """Print a note on standard error."""
    if not quiet:
        print_safely(f"note: {note}")


def was_given(name: str) -> bool:
    """Return whether the user gave an option of the running verb, even with its default value."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


LEARNER_PARAMS = "hedgerow.learner_params"
DEFAULT_LEARNER = "simplest"
STREAMED_LEARNER = "naive_bayes"  # the default where all rows cannot be had at once


class LearnerCommand(click.Command):
    """A command with `--learner NAME`, which also takes that learner's own parameters as options.

    If one of these names another learner, as `--base NAME` does, the other's parameters are options too, after the name
    of the first: `--base-min-leaf`. A command with one fixed learner, `fixed`, has its parameters without
    `--learner`.
    """

    fixed: ClassVar[str] = ""
    usual: ClassVar[str] = DEFAULT_LEARNER

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Add the named learner's options before parsing; the command gets `settings`, a dict of them."""
        from hedgerow.learn.registry import find_learner

        kind = find_learner(self._learner(args))
        own = _all_params(kind, args)
        ctx.meta[LEARNER_PARAMS] = own
        known = {name for option in self.get_params(ctx) for name in option.opts}
        try:
            rest = super().parse_args(ctx, _with_current_options(args, own, known))
        except click.NoSuchOption as error:
            meant = _meant_option(kind.name, error.option_name, own)
            if not meant:
                raise
            raise UsageError(f"{ctx.command_path} has no option {error.option_name!r}; did you mean {meant}?") from None
        parameters = {key: _together(ctx.params.pop(_click_key(key))) for key in own}
        ctx.params["settings"] = {
            key: self._parse_value(own[key], value) for key, value in parameters.items() if value is not None
        }
        return rest

    def learner_keys(self, ctx: click.Context) -> set[str]:
        """Return the names under which click stores the values of the learner's options."""
        return {_click_key(key) for key in self._learner_params(ctx)}

    def _learner_params(self, ctx: click.Context) -> dict[str, Param]:
        params: dict[str, Param] = ctx.meta.get(LEARNER_PARAMS, {})
        return params

    def _learner(self, args: Sequence[str]) -> str:
        return self.fixed or _option_value(args, "--learner", "-l") or self.usual

    def _parse_value(self, param: Param, value: Any) -> Any:
        """Return the value of a learner's option; if it is invalid, suggest the option that may have been meant."""
        result = param.parse(value) if isinstance(value, str) else value
        try:
            param.check(result)
        except UsageError as error:
            name = _option_name(param.name)
            other = [option.opts[0] for option in self.params if name in option.opts and option.opts[0] != name]
            hint = f"; for the option of the command, write {other[0]}" if other else ""
            raise UsageError(f"{error}{hint}") from None
        return result

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's own options and the learner's; a name that both have is the learner's."""
        own = [_option(param) for param in self._learner_params(ctx).values()]
        taken = {name for option in own for name in option.opts}
        return [*(_drop_option_names(option, taken) for option in super().get_params(ctx)), *own]


def learner_from(name: str | None, settings: dict[str, Any], table: Table) -> Learner:
    """Return the learner that the options specify; by default the simplest good one for the kind of target."""
    from hedgerow.learn.registry import find_learner
    from hedgerow.training.train import default_learner, predicts_number

    if name is None:
        column = table.schema.target_column
        if column.kind in (Kind.TEXT, Kind.BAG):
            usable = [c for c in table.schema.columns if c.kind in (Kind.NOMINAL, Kind.NUMERIC) and not c.ignored]
            usable.sort(key=lambda c: c.kind is not Kind.NOMINAL)
            such_as = "".join(f", as in --target {quote_for_shell(other.name)}" for other in usable[:1])
            raise DataError(
                f"the target {column.name!r} is {column.kind}; name the column to predict with --target{such_as}"
            )
        name = default_learner(table)
        if "costs" in settings and predicts_number(table):
            raise UsageError(f"--costs decides among classes, but the target {column.name!r} is a number")
    kind = find_learner(name)
    if kind.target_is_classes is None:
        other = (
            "its rules are found with hedgerow associate"
            if name == "apriori"
            else "`hedgerow learners` lists those that do"
        )
        if kind.estimator_type == "clusterer":
            other = f"its clusters are found with hedgerow cluster DATA --learner {name}"
        raise UsageError(f"{name!r} is not a learner that predicts; {other}")
    return make_learner(kind, settings)


def make_learner(kind: type[Learner], settings: dict[str, Any]) -> Learner:
    """Return a learner with these settings; `base__min_leaf` belongs to its base learner."""
    learner = kind().set_params(**settings)
    learner.check_params()
    return learner


def _all_params(kind: type[Learner], args: Sequence[str], outer: str = "") -> dict[str, Param]:
    """Return a learner's parameters, and those of the learners that its parameters name, as `base__min_leaf`."""
    from hedgerow.learn.registry import find_learner

    result: dict[str, Param] = {}
    for param in kind.params.values():
        if param.in_python:
            continue
        key = f"{outer}{param.name}"
        former = tuple(f"{outer}{name}" for name in former_names(kind.name, param.name))
        result[key] = replace(param, name=key, former=former)
        if param.kind == "learner":
            inner = find_learner(_option_value(args, _option_name(key)) or param.default)
            result |= _all_params(inner, args, f"{key}__")
    return result


def _with_current_options(args: Sequence[str], params: dict[str, Param], known: Collection[str]) -> list[str]:
    """Return arguments in which options have the names that they have today, for those used to earlier ones."""
    current: dict[str, str] = {}
    for key, param in params.items():
        for name, now in ((_option_name(former), _option_name(key)) for former in param.former):
            if name not in known:
                current |= {name: now, f"--no-{name[2:]}": f"--no-{now[2:]}"}
    split = (word.partition("=") for word in args)
    return [f"{current.get(name, name)}{sign}{value}" for name, sign, value in split]


def _meant_option(learner: str, option: str, params: dict[str, Param]) -> str:
    """Return the option of a learner that an unknown one means; empty if none is likely."""
    name = option.removeprefix("--").removeprefix("no-").replace("-", "_")
    own = {key.replace("__", "_"): key for key in params}
    for part in ("", *(f"{key}_" for key, param in own.items() if params[param].kind == "learner")):
        inner = [key.removeprefix(part) for key in own if key.startswith(part)]
        near = suggest(learner, name.removeprefix(part), inner) if name.startswith(part) else ""
        if near:
            return _option_name(own[f"{part}{near}"])
    return ""


def _option(param: Param) -> click.Option:
    name = _option_name(param.name)
    text = f"{param.help} ({param.range_text()}; default: {param.default})"
    if param.kind == "flag":
        return click.Option([f"{name}/--no-{name.removeprefix('--')}", _click_key(param.name)], default=None, help=text)
    names = {"rules": "FILE", "columns": "NAMES", "items": "NAMES", "words": "FILE|LANGUAGE"}
    metavar, many = names.get(param.kind, param.kind.upper()), param.kind in ("columns", "items")
    return click.Option([name, _click_key(param.name)], metavar=metavar, help=text, multiple=many)


def _together(value: Any) -> Any:
    """Return names that were given by one option, or by repeating it; None if there are none."""
    if not isinstance(value, tuple):
        return value
    return None if not value else value[0] if len(value) == 1 else ",".join(value)


def _drop_option_names(option: click.Parameter, taken: set[str]) -> click.Parameter:
    """Return an option without names that are already used, if it has others: `--tune-rule` need not be `--rule`."""
    left = [name for name in option.opts if name not in taken]
    if not left or len(left) == len(option.opts):
        return option
    changed = copy(option)
    changed.opts = left
    return changed


def _option_name(key: str) -> str:
    return "--" + key.replace("__", "-").replace("_", "-")


def _click_key(key: str) -> str:
    """Return the name under which click stores the value of a learner's option, separate from those of the verb."""
    return f"learner_{key}"


def _option_value(args: Sequence[str], *names: str) -> str | None:
    for place, word in enumerate(args):
        for name in names:
            if word == name and place + 1 < len(args):
                return args[place + 1]
            if name.startswith("--") and word.startswith(f"{name}="):
                return word.split("=", 1)[1]
            if not name.startswith("--") and word.startswith(name) and word != name:  # -lc45
                return word[len(name) :]
    return None
