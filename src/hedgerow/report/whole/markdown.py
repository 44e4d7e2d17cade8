"""Reports as Markdown that GitHub, GitLab and notebooks show: headings, tables, the model in a block of code."""

from __future__ import annotations

import re

from hedgerow.report.render.markdown import blocks_markdown, plain, section_markdown
from hedgerow.report.schema import AnyReport
from hedgerow.report.whole.sections import file_name, parts_of, sections_of, title_of
from hedgerow.report.whole.summary import summary


def to_markdown(report: AnyReport) -> str:
    r"""Return any report as Markdown.

    Examples
    --------
    >>> from hedgerow import OneR, examples, model_report
    >>> print(to_markdown(model_report(OneR().train(examples.loan()))).splitlines()[0])
    # Class, predicted by one\_r
    """
    parts = parts_of(report)
    lines = [f"# {plain(title_of(report, parts))}", ""]
    lines += [f"Data: {plain(file_name(report['source']))}", ""] if "source" in report else []
    first = summary(report, parts)
    lines += blocks_markdown(first.blocks) if first else []
    for section in sections_of(parts):
        lines += ["", *section_markdown(section)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") + "\n"
