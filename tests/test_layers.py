"""The order of the house: rooms look to their left only, no long cycles, each class name once, no overfull folder."""

import ast
import re
import subprocess
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

import hedgerow

SOURCE = Path(hedgerow.__file__).parent
ROOT = SOURCE.parent.parent
KERNELS = ROOT / "kernels"
FOREIGN = {"pyarrow", "pandas", "polars", "duckdb"}
LONGEST_CYCLE = 3  # modules of one room
MOST_FILES = 25  # of a folder; a header and its source count once, __init__ not at all

# Each room may import those in the lines before it, and itself.
ROOMS = """
_kernels errors
layout
data
models
learn
evaluate
explain
export report
training
plot
scale
cli web checks examples
__main__
"""
# The rooms inside these rooms, and modules beside them, likewise.
INNER_ROOMS = {
    "data": "table rows text design frames bags formats items read write stream_stdin",
    "models": "base rules trees bayes linear clusters associations vectors foreign neighbors many svm bags views files",
    "evaluate": (
        "results metrics splits run_split train_many validate bootstrap tune learning_curve learner_comparison clusters"
    ),
    "report": (
        "schema blocks figures draw render trees regions linear about rules model data associations evaluation "
        "clusters explanations comparison whole notebook"
    ),
}
# Each family of kernels, and those that it may include; all may include their own.
KERNEL_ROOMS = {
    "core": "",
    "discretize": "core",
    "read": "core",
    "text": "core read",
    "trees": "core",
    "rules": "core trees",
    "neighbors": "core",
    "linear": "core neighbors",
    "items": "core",
    "svm": "core",
    "clusters": "core",
}


@cache
def modules():
    """Return the syntax trees of all modules, by dotted name without `hedgerow.`."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text())
    return found


def statements(node):
    """Yield all nodes below one, those that only type checkers see left out."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from statements(child)


@cache
def imports():
    """Return which modules of the package each module imports, also inside of functions."""
    return {name: sorted(set(imported(name, tree)) - {name}) for name, tree in modules().items()}


def imported(name, tree):
    for node in statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name[9:] for alias in node.names if alias.name.startswith("hedgerow."))
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: relative import"
            if (node.module or "").split(".")[0] == "hedgerow":
                home = node.module[9:]
                whole = [f"{home}.{alias.name}".lstrip(".") for alias in node.names]
                yield from (one if one in modules() or one == "_kernels" else home for one in whole)


def check_none(offenders, rule):
    """Fail with all offenders against a rule."""
    assert not offenders, f"{rule}:\n" + "\n".join(sorted(map(str, offenders)))


def test_rooms_look_to_their_left_only():
    rank = {room: place for place, line in enumerate(ROOMS.strip().split("\n")) for room in line.split()}
    offenders = []
    for name, others in imports().items():
        own = name.split(".")[0]
        if not own:  # the package itself, which reads its public names from the stub
            continue
        rooms = {other.split(".")[0] for other in others if other} - {own}
        offenders += [(name, room) for room in rooms if rank[room] >= rank[own]]
    check_none(offenders, "these modules import a room that is not to their left")


def test_inner_rooms_look_to_their_left_only():
    offenders = []
    for outer, order in INNER_ROOMS.items():
        rank = {f"{outer}.{room}": place for place, room in enumerate(order.split())}
        for name, others in imports().items():
            own = rank.get(room_of(name))
            offenders += [(name, other) for other in others if own is not None and rank.get(room_of(other), -1) > own]
    check_none(offenders, "these modules import one of a room that is to their right")


def room_of(name):
    return ".".join(name.split(".")[:2])


def test_every_inner_room_has_its_place_in_the_order():
    for outer, order in INNER_ROOMS.items():
        folders = {path.parent.name for path in (SOURCE / outer).glob("*/__init__.py")}
        assert not folders - set(order.split()), f"folders of {outer} without a place in its order"


def test_kernels_include_what_their_family_may():
    offenders = []
    for path in sorted(KERNELS.rglob("*.[ch]pp")):
        own = path.relative_to(KERNELS).parts[0]
        allowed = {own, *KERNEL_ROOMS} if own == "bind" else {own, *KERNEL_ROOMS[own].split()}
        rooms = re.findall(r'#include "(\w+)/', path.read_text())
        offenders += [(str(path.relative_to(ROOT)), room) for room in rooms if room not in allowed]
    check_none(offenders, "these kernels include another family")


def test_no_import_cycle_is_long():
    offenders = []
    for cycle in strong_components(imports()):
        rooms = {room_of(name) for name in cycle}
        if len(cycle) > LONGEST_CYCLE or len(rooms) > 1:
            offenders.append(cycle[0])
    check_none(offenders, f"these modules begin cycles of more than {LONGEST_CYCLE}, or between rooms")


def strong_components(graph):
    """Return sets of modules that import each other, in a row or all around, sorted (Kosaraju)."""
    order, seen = [], set()
    for start in graph:
        walk(graph, start, seen, order)
    back = defaultdict(list)
    for name, others in graph.items():
        for other in others:
            back[other].append(name)
    components, seen = [], set()
    for start in reversed(order):
        component = []
        walk(back, start, seen, component)
        components += [sorted(component)] if len(component) > 1 else []
    return components


def walk(graph, start, seen, left):
    """Visit what can be reached and was not seen; append each when all behind it is done."""
    if start in seen:
        return
    seen.add(start)
    for other in graph.get(start, ()):
        walk(graph, other, seen, left)
    left.append(start)


def test_no_class_name_stands_twice():
    names = Counter(
        node.name for tree in modules().values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    )
    assert [name for name, times in names.items() if times > 1] == []


def test_no_class_name_of_the_kernels_stands_twice():
    definition = re.compile(r"^ *(?:class|struct) (?:alignas\(\w+\) )?(\w+)(?: final)?(?: : [^;{]*)? \{", re.MULTILINE)
    names = Counter(name for path in sorted(KERNELS.rglob("*.[ch]pp")) for name in definition.findall(path.read_text()))
    assert names, "no class was found"
    assert [name for name, times in names.items() if times > 1] == []


def test_no_folder_is_overfull():
    offenders = []
    for root in ("src", "kernels", "tests", "docs"):
        for folder in [ROOT / root, *(path for path in (ROOT / root).rglob("*") if path.is_dir())]:
            files = {path.stem for path in folder.iterdir() if path.suffix in (".py", ".cpp", ".hpp", ".md")} - {
                "__init__"
            }
            if len(files) > MOST_FILES:
                offenders.append(str(folder.relative_to(ROOT)))
    check_none(offenders, f"these folders hold more than {MOST_FILES} files")


def test_files_begin_with_what_they_are():
    kernels = [
        path for path in KERNELS.rglob("*.[ch]pp") if path.suffix == ".hpp" or not path.with_suffix(".hpp").exists()
    ]
    offenders = [path for path in kernels if not path.read_text().startswith("//")]
    offenders += [SOURCE / name.replace(".", "/") for name, tree in modules().items() if not ast.get_docstring(tree)]
    assert [str(path.relative_to(ROOT)) for path in offenders] == []


def test_reading_orders_name_files_that_exist():
    offenders = []
    for path in SOURCE.rglob("__init__.py"):
        text = ast.get_docstring(ast.parse(path.read_text())) or ""
        folders = (path.parent, path.parent.parent, SOURCE, ROOT)
        names = re.findall(r"(?<![*\w])[\w./]*\w\.(?:py|[ch]pp)\b", text)
        gone = [name for name in names if not any((folder / name).exists() for folder in folders)]
        offenders += [(str(path.parent.relative_to(ROOT)), name) for name in gone]
        if path.parent != SOURCE and not re.search(r"\bStart with\b|\.py\b", text):
            offenders.append((str(path.parent.relative_to(ROOT)), "does not say where to start"))
    assert offenders == []


def test_only_the_data_room_sees_foreign_packages():
    offenders = []
    for name, tree in modules().items():
        packages = set(packages_imported(statements(tree)))
        if name.split(".")[0] != "data" and packages & FOREIGN:
            offenders.append((name, *sorted(packages & FOREIGN)))
        offenders += [(name, other) for other in packages_imported(tree.body) if other in ("sklearn", "rich")]
    assert offenders == []


def packages_imported(nodes):
    for node in nodes:
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
