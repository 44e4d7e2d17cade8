"""Pictures as files: .svg as it is, .png and .pdf by a converter, if one is installed."""

from __future__ import annotations

import io
import shutil
from importlib import import_module
from importlib.util import find_spec
from os import PathLike, fspath
from pathlib import Path

from hedgerow.data.table.atomic_write import open_atomic
from hedgerow.errors import UsageError
from hedgerow.report.draw.svg import size_of

CONVERTED = {".png", ".pdf"}
SHARPNESS = 2.0  # pixels of a .png for one of the picture
MOST_PIXELS = 32_000  # of a side of a .png: what converters can do
INCH = 96.0  # pixels of the picture
INSTALL = "install rsvg-convert (librsvg), or the Python package cairosvg or matplotlib; .svg needs none of them"


def save_picture(picture: str, path: str | PathLike[str]) -> None:
    """Write an SVG picture to a file; .svg, .png or .pdf sets the format."""
    ending = Path(path).suffix.lower()
    if ending not in (".svg", *CONVERTED):
        raise UsageError(f"{fspath(path)}: the name of a picture must end in .svg, .png or .pdf")
    if ending in CONVERTED and converter() is None:
        raise UsageError(f"{fspath(path)}: to write {ending} files, {INSTALL}")
    write_plot(convert_picture(picture, fspath(path)), fspath(path))


def convert_picture(picture: str, path: str) -> bytes:
    """Return an SVG picture in the format given by the file's name."""
    ending = Path(path).suffix.lower()
    return svg_to_format(picture, ending) if ending in CONVERTED else picture.encode()


def write_plot(picture: bytes, path: str) -> None:
    """Write a picture atomically."""
    with open_atomic(path) as stream:
        stream.write(picture)


def converter() -> str | None:
    """Return a converter from SVG to other formats, if one is installed; matplotlib is the last resort."""
    text = shutil.which("rsvg-convert")
    if text:
        return text
    try:
        import_module("cairosvg")
    except (ImportError, OSError):  # the latter if it lacks its own library
        return "matplotlib" if find_spec("matplotlib") else None
    return "cairosvg"


def svg_to_format(picture: str, ending: str) -> bytes:
    """Return SVG as PNG or PDF."""
    import subprocess

    zoom = min(SHARPNESS, MOST_PIXELS / max(size_of(picture))) if ending == ".png" else 1.0
    if zoom < SHARPNESS / 4:
        raise UsageError("the picture is too large for a .png; write .svg or .pdf (a tree can also be pruned)")
    tool = converter()
    if tool == "cairosvg":
        convert = getattr(import_module("cairosvg"), f"svg2{ending[1:]}")
        content: bytes = convert(bytestring=picture.encode(), scale=zoom)
        return content
    if tool == "matplotlib":
        return _by_matplotlib(picture, ending, zoom)
    words = [str(tool), "--unlimited", "--format", ending[1:], "--zoom", f"{zoom:.4f}"]
    done = subprocess.run(words, input=picture.encode(), capture_output=True, check=False)  # noqa: S603 # our own words
    if done.returncode:
        raise UsageError(f"{tool} could not convert the picture: {done.stderr.decode(errors='replace').strip()[:300]}")
    return done.stdout


def _by_matplotlib(picture: str, ending: str, zoom: float) -> bytes:
    from matplotlib.figure import Figure

    from hedgerow.report.draw.axes import draw_on_axes

    width, height = size_of(picture)
    figure = Figure(figsize=(width / INCH, height / INCH), dpi=INCH)
    draw_on_axes(picture, figure.add_axes((0, 0, 1, 1)))
    content = io.BytesIO()
    figure.savefig(content, format=ending[1:], dpi=INCH * zoom)
    return content.getvalue()
