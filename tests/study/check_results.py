"""check_results.py results.parquet results.csv: the same columns, rows and bits; prints the units."""

import csv
import math
import sys

import pyarrow.parquet as parquet

table = parquet.read_table(sys.argv[1])
with open(sys.argv[2], newline="") as file:
    rows = list(csv.reader(file))
assert table.column_names == rows[0], (table.column_names, rows[0])
assert table.num_rows == len(rows) - 1 > 0
for name, column in zip(rows[0], zip(*rows[1:])):
    for value, text in zip(table[name].to_pylist(), column):
        if isinstance(value, str):
            assert value == text, (name, value, text)
        elif text == "":
            assert math.isnan(value), (name, value)
        else:
            assert float(value) == float(text), (name, value, text)
units = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
print(", ".join(f"{key}={value}" for key, value in sorted(units.items()) if key.startswith("unit ")))
