"""The command line: `hedgerow VERB DATA [options]`. It uses only the public API and does no arithmetic.

Start with `main` below, then train.py and predict.py (a verb per file), options.py (shared options) and output.py.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from io import StringIO
from typing import Any

import click

from hedgerow.cli.output import print_safely
from hedgerow.errors import HedgerowError, UsageError

# Verb -> one line of help. Each has a module of its own, imported only when the verb is used.
VERBS = {
    "describe": "Describe a table: kinds, levels, missing values, suspicious columns.",
    "train": "Train a model, print it, test it by cross-validation, and save it.",
    "show": "Print a saved model.",
    "rules": "Print a model's rules with their statistics: filtered, sorted, and tested as rule cards.",
    "associate": "Find item sets and association rules in baskets or tables, and recommend items.",
    "cluster": "Find clusters of similar rows, describe each cluster, and evaluate the clustering.",
    "test": "Test a saved model on a table.",
    "report": "Write a report on a model and its performance on a table: pictures, metrics, warnings.",
    "crossval": "Test a learner by cross-validation, without saving a model.",
    "compare": "Compare learners on one or more data sets, using the same folds for all.",
    "curve": "Show how a learner's performance depends on the number of rows or on a parameter.",
    "online": "Train row by row on a file or a pipe, report progress, and predict along the way.",
    "explain": "Explain predictions of a model: the words, tests, rules or votes behind them.",
    "plot": "Draw the decision regions of a classifier over two numeric columns.",
    "predict": "Predict the rows of a table of any length with a saved model.",
    "learners": "List the learners, or the parameters of one.",
    "convert": "Convert a table to another format.",
}


OTHER_VERBS = {
    "fit": "train", "learn": "train", "build": "train", "score": "test", "evaluate": "test", "eval": "test",
    "validate": "test", "cv": "crossval", "cross-validate": "crossval", "cross_validate": "crossval",
    "crossvalidate": "crossval", "apply": "predict", "classify": "predict", "infer": "predict", "print": "show",
    "view": "show", "cat": "show", "summary": "describe", "info": "describe", "head": "describe", "mine": "associate",
    "rule": "rules", "models": "learners", "algorithms": "learners", "list": "learners", "benchmark": "compare",
    "export": "convert", "why": "explain", "draw": "plot", "stream": "online",
}  # fmt: skip


OTHER_OPTIONS = {  # of other programs
    "--trees": "--n-estimators", "--ntree": "--n-estimators", "--n-trees": "--n-estimators",
    "--members": "--n-estimators", "--neighbors": "--n-neighbors", "--clusters": "--n-clusters",
    "--depth": "--max-depth", "--maxdepth": "--max-depth", "--minleaf": "--min-samples-leaf --min-leaf",
    "--min-samples": "--min-samples-leaf --min-leaf", "--seed": "--random-state --seed",
    "--random-seed": "--random-state --seed",
    "--algorithm": "--learner", "--model": "--learner", "--classifier": "--learner", "--method": "--learner",
    "--class": "--target", "--label": "--target", "--y": "--target", "-t": "--target", "--response": "--target",
    "--cv": "--folds", "--k-fold": "--folds", "--kfold": "--folds", "--sep": "--delimiter",
    "--separator": "--delimiter",
    "--drop": "--ignore", "--exclude": "--ignore", "--skip": "--ignore", "--id": "--keep-columns --ignore",
    "--na": "--missing", "--na-values": "--missing", "--out": "--output", "--save": "--output", "--alpha": "--strength",
    "--class-weight": "--balanced --costs", "--verbose": "--full", "--columns": "--keep-columns", "--proba": "--top",
}  # fmt: skip


class Verbs(click.Group):
    """The verbs, loaded one at a time."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a verb; stop quietly when the reader of its output has closed the pipe, as `head` does."""
        try:
            done = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _give_up_output()
            raise SystemExit(0) from None
        return done

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the verb that the first argument names; an unknown one raises an error with what may be meant."""
        name = args[0] if args else ""
        if name in VERBS or name.startswith("-"):
            return super().resolve_command(ctx, args)
        raise UsageError(_unknown_verb(name))

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the verbs in the order in which they are used."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one verb's module and return its command."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f"hedgerow.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the verbs without importing them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="hedgerow", prog_name="hedgerow")
def hedgerow() -> None:
    """Readable machine learning for tables: from a CSV file to a readable, tested model in a file.

    \b
      hedgerow describe loans.csv
      hedgerow train loans.csv --learner one_r -o loans.hedge
      hedgerow predict loans.hedge new.csv

    The target is the last column unless --target names another; "-" is standard input or output.
    Exit status: 0 success, 1 an error in the data or the model, 2 an error in the command.
    """  # noqa: D301


def _unknown_verb(name: str) -> str:
    """Return the error for a first argument that is not a verb: a file, another program's verb, or a slip."""
    if os.path.exists(name):
        if name.endswith(".hedge"):
            return f"{name} is a file, and the verb comes first, as in hedgerow show {name}"
        what = "folder" if os.path.isdir(name) else "file"
        return f"{name} is a {what}, and the verb comes first, as in hedgerow train {name} or hedgerow describe {name}"
    other = OTHER_VERBS.get(name.lower())
    near = [other] if other else get_close_matches(name.lower(), VERBS, n=1)
    hint = f"did you mean hedgerow {near[0]}?" if near else f"the verbs are {', '.join(VERBS)}"
    return f"there is no verb {name!r}; {hint}"


def _unknown_option(error: click.NoSuchOption) -> str:
    """Return the error for an unknown option: the option of this command that is meant, or a similar one."""
    known = [] if error.ctx is None else [name for one in error.ctx.command.get_params(error.ctx) for name in one.opts]
    name = error.option_name.lower()
    verb = "hedgerow" if error.ctx is None else error.ctx.command_path
    meant = [one for one in OTHER_OPTIONS.get(name.replace("_", "-"), "").split() if one in known]
    folded = name.replace("_", "-")
    owners = [] if meant or folded in known else _learners_with(folded)
    if owners:
        return f"{verb} has no option {error.option_name!r} for this learner; it is an option of {', '.join(owners)}"
    meant = meant or ([folded] if folded in known else get_close_matches(folded, [*known, "--help"], n=2))
    hint = f"did you mean {' or '.join(meant)}?" if meant else f"{verb} --help lists the options"
    return f"{verb} has no option {error.option_name!r}; {hint}"


def _learners_with(option: str) -> list[str]:
    """Return some learners of which this is an option."""
    from hedgerow.learn.registry import learners

    key = option.removeprefix("--").replace("-", "_")
    return [name for name, info in learners().items() if key in info.params and not info.params[key].in_python][:4]


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every error is one sentence on standard error."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # leave in order, so that no half-written file stays
    try:
        status = hedgerow.main(arguments, prog_name="hedgerow", standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.exceptions.Abort:
        _fail("stopped", 130)
    except KeyboardInterrupt:
        # After an interrupt that passed through exec, as where a dataclass is made while a module is imported, Python
        # ends itself by the signal whatever the status, unless something is evaluated after it.
        eval("None")  # noqa: S307
        _fail("stopped", 130)
    except click.NoSuchOption as error:
        _fail(_unknown_option(error), 2)
    except click.ClickException as error:
        said = StringIO()
        error.show(said)
        print_safely(said.getvalue().rstrip("\n"))
        sys.exit(2)
    except UsageError as error:
        _fail(str(error), 2)
    except HedgerowError as error:
        _fail(str(error), 1)
    except OSError as error:
        if error.filename is None:  # the writers of files name them, so that it is what is printed
            _give_up_output()
        _fail(f"{error.filename or 'standard output'}: {error.strerror or error}", 1)
    except MemoryError:
        _fail(
            "there is not enough memory for these data; some learners can stream them (see the guide)",
            1,
        )


def _give_up_output() -> None:
    """Stop all output, including what has not been flushed."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(sentence: str, status: int) -> None:
    print_safely(f"hedgerow: {sentence}")
    sys.exit(status)
