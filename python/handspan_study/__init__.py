"""Runs of handspan's studies on the workers of a dask scheduler (docs/studies.md)."""
