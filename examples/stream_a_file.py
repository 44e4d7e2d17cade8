"""Train on a file and predict it without loading it into memory."""

import tempfile
from pathlib import Path

import numpy as np

import hedgerow

ROWS = 50_000


def make_file(path):
    """Write a file of bread orders, in which dark bread sells better on cold days."""
    random = np.random.default_rng(3)
    with path.open("w") as file:
        file.write("day,celsius,bread\n")
        for _ in range(ROWS):
            celsius = random.normal(12, 8)
            dark = random.random() < 1 / (1 + np.exp((celsius - 12) / 4))
            file.write(f"{random.choice(['work', 'free'])},{celsius:.1f},{'dark' if dark else 'light'}\n")


with tempfile.TemporaryDirectory() as folder:
    data, saved, output = (Path(folder) / name for name in ("orders.csv", "orders.hedge", "predicted.csv"))
    make_file(data)
    source = hedgerow.open_source(data)
    model = hedgerow.NaiveBayes().train(source)
    print(f"Trained on {model.about.rows:,} rows in batches:\n\n{model}\n")
    model.save(saved)
    print(f"The model file has {saved.stat().st_size:,} bytes, the data {data.stat().st_size:,}.\n")
    largest = 0
    with hedgerow.Writer(output) as writer:
        for batch in source.batches(rows=4096):
            writer.add(hedgerow.predictions(model, batch))
            largest = max(largest, len(batch))
    lines = output.read_text().split("\n")
    print(f"Predicted {len(lines) - 2:,} rows, at most {largest:,} at a time:\n")
    print("\n".join(lines[:4]))
