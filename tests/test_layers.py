"""Imports form layers, and each layer may only look to its left."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import hedgerow

ROOT = Path(hedgerow.__file__).parent
LAYERS = [
    {"_kernels", "errors"},
    {"data"},
    {"models"},
    {"learn"},
    {"evaluate"},
    {"explain"},
    {"export", "report"},
    {"scale"},
    {"cli", "web", "checks", "examples"},
    {"__main__"},
]
RANK = {room: rank for rank, rooms in enumerate(LAYERS) for room in rooms}


def rooms_imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [node.module or ""]
            if node.module == "hedgerow":
                names = [f"hedgerow.{alias.name}" for alias in node.names]
        yield from (name.split(".")[1] for name in names if name.startswith("hedgerow."))


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_looks_to_its_right(path):
    own = path.relative_to(ROOT).parts[0].removesuffix(".py")
    if own == "__init__":
        return
    for room in rooms_imported(path):
        assert room in RANK, f"{room} stands in no layer"
        assert room == own or RANK[room] < RANK[own], f"{own} must not import {room}"


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_data_room_and_the_contract_see_foreign_packages(path):
    room = path.relative_to(ROOT).parts[0]
    if room != "data":
        assert not set(packages_imported(path)) & {"pyarrow", "pandas", "polars", "duckdb"}
    top_level = [line for line in path.read_text().split("\n") if line.startswith(("import ", "from "))]
    assert not any("sklearn" in line or "rich" in line for line in top_level)


def packages_imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0]


HEAVY = ("sklearn", "scipy", "pandas", "pyarrow", "matplotlib", "rich", "subprocess")


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (["--help"], []),
        (["describe", "t.csv"], []),
        (["train", "t.csv", "-o", "m2.hedge"], []),
        (["show", "m.hedge"], []),
        (["test", "m.hedge", "t.csv"], []),
        (["predict", "m.hedge", "t.csv", "-o", "p.csv"], ["pyarrow"]),  # which writes tables
        (["crossval", "t.csv"], []),
        (["learners"], []),
        (["online", "t.vw", "-o", "m3.hedge"], []),
        (["online", "t.vw", "--predictions", "-"], []),
        (["online", "t.csv"], []),
    ],
    ids=lambda given: given[0] if given and given[0] != "pyarrow" else None,
)
def test_the_command_line_loads_nothing_heavy(tmp_path, arguments, needed):
    """Programs of others are imported where they are needed, so that commands start at once."""
    (tmp_path / "t.csv").write_text(hedgerow.examples.loan_csv())
    (tmp_path / "t.vw").write_text("1 | red\n-1 | blue\n| red\n")
    hedgerow.OneR().train(hedgerow.examples.loan()).save(tmp_path / "m.hedge")
    script = (
        "import sys, atexit\n"
        f"atexit.register(lambda: sys.stderr.write('LOADED ' + ' '.join(set(sys.modules) & set({HEAVY!r}))))\n"
        "from hedgerow.cli import main\n"
        f"main({arguments!r})\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.split("LOADED")[1].split() == needed


def test_help_does_not_even_load_numpy():
    script = "import sys, hedgerow.cli\nassert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
