"""check_lerobot.py FOLDER EPISODES FRAMES FPS: that the folder keeps the rules of LeRobot's data sets v3.0; exit 0."""

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet

root = Path(sys.argv[1])
episodes_asked, frames, fps = (int(x) for x in sys.argv[2:5])
info = json.loads((root / "meta/info.json").read_text())
assert info["codebase_version"] == "v3.0" and info["fps"] == fps
assert info["total_episodes"] == episodes_asked and info["total_frames"] == frames
assert info["splits"] == {"train": f"0:{episodes_asked}"}
features = info["features"]
for name in ("timestamp", "frame_index", "episode_index", "index", "task_index", "action", "observation.state"):
    assert name in features, name
data = parquet.read_table(root / info["data_path"].format(chunk_index=0, file_index=0))
assert set(data.column_names) == set(features)
assert data.num_rows == frames
columns = {name: np.array(data[name].to_pylist(), dtype=float) for name in data.column_names}
for name, feature in features.items():
    shape, kind = feature["shape"], str(data.schema.field(name).type)
    assert columns[name].shape == ((frames,) if feature["names"] is None else (frames, *shape)), name
    assert feature["names"] is None or len(feature["names"]) == shape[0] == len(set(feature["names"])), name
    expected = {"float32": "float", "int64": "int64", "bool": "bool"}[feature["dtype"]]
    if feature["names"] is not None:
        expected = f"fixed_size_list<{'item' if 'item' in kind else 'element'}: float>[{shape[0]}]"
    assert kind == expected, (name, kind, expected)
assert np.array_equal(columns["index"], np.arange(frames))

tasks = parquet.read_table(root / "meta/tasks.parquet")
index = json.loads(tasks.schema.metadata[b"pandas"])["index_columns"]
assert index == ["task"], index
words = dict(zip(tasks["task_index"].to_pylist(), tasks["task"].to_pylist()))
assert len(words) == info["total_tasks"]

episodes = parquet.read_table(root / "meta/episodes/chunk-000/file-000.parquet").to_pylist()
assert [e["episode_index"] for e in episodes] == list(range(episodes_asked))
for e in episodes:
    first, last = e["dataset_from_index"], e["dataset_to_index"]
    assert last - first == e["length"] > 1
    assert np.all(columns["episode_index"][first:last] == e["episode_index"])
    assert np.array_equal(columns["frame_index"][first:last], np.arange(e["length"]))
    assert np.allclose(columns["timestamp"][first:last], np.arange(e["length"]) / fps, atol=1e-4)
    assert [words[t] for t in np.unique(columns["task_index"][first:last])] == e["tasks"]
    assert columns["next.done"][last - 1] and not columns["next.done"][first : last - 1].any()
    for name in features:
        assert np.allclose(np.atleast_1d(columns[name][first:last].mean(axis=0)), e[f"stats/{name}/mean"], atol=1e-5), name
        assert e[f"stats/{name}/count"] == [e["length"]]
stats = json.loads((root / "meta/stats.json").read_text())
for name in features:
    for key, value in (("min", columns[name].min(axis=0)), ("max", columns[name].max(axis=0)), ("std", columns[name].std(axis=0))):
        assert np.allclose(np.atleast_1d(value), stats[name][key], atol=1e-5), (name, key)
