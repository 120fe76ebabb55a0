"""How fast an app is stepped tick by tick, and logs are read: ./run python bench/python/speed.py [--json FILE]

Processor time, so that other programs on the machine count little; figures go with docs/figures.md.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

import handspan

SIMULATED = 4.0  # [s]


def stepping() -> dict[str, float]:
    """Simulated seconds a second of processor time: one call a tick, and all ticks in one call."""
    figures = {}
    for name, calls in (("one call a tick", None), ("one call", 1)):
        session = handspan.App("apps/grab.yaml").session()
        session.run(2.5)  # until the person moves the hands
        n = round(SIMULATED / session.base_period)
        start = time.thread_time()
        if calls is None:
            for _ in range(n):
                session.tick()
        else:
            session.tick(n)
        figures[f"grab, {name}"] = SIMULATED / (time.thread_time() - start)
    return figures


def decompressed(file: Path) -> int:
    """Bytes in a log's chunks, by its index."""
    from mcap.reader import make_reader

    with open(file, "rb") as stream:
        summary = make_reader(stream).get_summary()
    return sum(chunk.uncompressed_size for chunk in summary.chunk_indexes)


def reading() -> dict[str, float]:
    """MB of decompressed log a second of processor time."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "grab.mcap"
        with handspan.App("apps/grab.yaml").session(record=file, full=True) as session:
            session.run(3.0)
        megabytes = decompressed(file) / 1e6
        start = time.thread_time()
        channels = handspan.Log(file).read()
        every = time.thread_time() - start
        start = time.thread_time()
        handspan.Log(file)["left.arm.q"]
        one = time.thread_time() - start
    values = sum(channel.values.nbytes for channel in channels.values()) / 1e6
    return {"log [MB]": megabytes, "its values [MB]": values, "all channels [MB/s]": megabytes / every,
            "one channel [MB/s]": megabytes / one}  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path)
    file = parser.parse_args().json
    figures = stepping() | reading()
    for name, figure in figures.items():
        print(f"{name:32} {figure:8.1f}")
    if file:
        file.write_text(json.dumps({"handspan": "speed of the Python package", **figures}, indent=1))
