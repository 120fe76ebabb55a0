"""read_table.py A.parquet A.csv: the two tables have the same columns and values; exit 0."""

import csv
import sys

import pyarrow.parquet as parquet

table = parquet.read_table(sys.argv[1])
with open(sys.argv[2], newline="") as file:
    rows = list(csv.reader(file))
assert table.column_names == rows[0], set(table.column_names) ^ set(rows[0])
assert table.num_rows == len(rows) - 1 > 10
for name, column in zip(rows[0], zip(*rows[1:])):
    for value, text in zip(table[name].to_pylist(), column):
        if isinstance(value, str):
            assert value == text, (name, value, text)
        else:
            assert float(value) == float(text), (name, value, text)
