"""Evaluation and reports start quickly: nothing heavy is imported before it is needed."""

import subprocess
import sys


def test_evaluation_and_reports_import_nothing_heavy():
    code = (
        "import sys, hedgerow.evaluate.validate, hedgerow.evaluate.metrics.intervals, hedgerow.report.whole.text, "
        "hedgerow.report.whole.full_report, hedgerow.report.whole.html, hedgerow.report.whole.markdown, "
        "hedgerow.report.evaluation.build, hedgerow.layout.json_values, "
        "hedgerow.report.trees.tree_svg, hedgerow.export.dot\n"
        "print([name for name in ('sklearn', 'scipy', 'pyarrow', 'rich', 'pandas') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
