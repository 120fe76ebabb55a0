"""write_others.py KIND OUT X Y Z QX QY QZ QW: two demonstrations as other programs write them (h5py's robomimic file, pyarrow's
LeRobot v3.0 folder, a CSV table), of a tool that sets out from that pose [m, xyzw] in the world W. Their poses are those of a tool T
that is 0.1 m behind ours, in a frame D that is elsewhere in W; `motion` is the truth, in W."""

import csv
import json
import sys
from pathlib import Path

import numpy as np

ROWS, RATE = 60, 20


def turn(axis, angle):
    axis = np.asarray(axis, dtype=float)
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def matrix(q):
    x, y, z, w = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])


def quaternion(R):
    w = 0.5 * np.sqrt(max(0.0, 1 + np.trace(R)))
    if w > 0.1:
        return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], 4 * w * w]) / (4 * w)
    values, vectors = np.linalg.eigh(0.5 * (R + R.T))
    axis = vectors[:, np.argmax(values)]
    half = 0.5 * np.arccos(np.clip(0.5 * (np.trace(R) - 1), -1, 1))
    return np.concatenate([np.sin(half) * axis, [np.cos(half)]])


def rotation_vector(R):
    q = quaternion(R)
    q = q if q[3] >= 0 else -q
    n = np.linalg.norm(q[:3])
    return np.zeros(3) if n < 1e-12 else q[:3] / n * 2 * np.arctan2(n, q[3])


def demonstrations(p0, R0):
    """Positions and matrices of T in D, of both: 8 cm to the side and 5 cm up, the second one half as far."""
    R_WD, p_WD = turn([0, 0, 1], np.pi / 2), np.array([0.1, 0.2, 0.3])
    for share in (1.0, 0.5):
        s = share * 0.5 * (1 - np.cos(np.pi * np.linspace(0, 1, ROWS)))
        p_WE = p0 + np.outer(s, [0.0, 0.08, 0.05])
        R_WE = [turn([0, 0, 1], 0.2 * each) @ R0 for each in s]
        R_DT = [R_WD.T @ R for R in R_WE]
        p_DT = [R_WD.T @ (p - R @ np.array([0, 0, 0.1]) - p_WD) for p, R in zip(p_WE, R_WE)]
        yield np.array(p_DT), np.array(R_DT)


def robomimic(out, demos):
    import h5py

    with h5py.File(out, "w") as file:
        data = file.create_group("data")
        data.attrs["env_args"] = json.dumps({"env_name": "Lift", "type": 1, "env_kwargs": {"control_freq": RATE}})
        data.attrs["total"] = 2 * ROWS
        for d, (p, R) in enumerate(demos):
            demo = data.create_group(f"demo_{d}")
            demo.attrs["num_samples"] = ROWS
            demo.create_dataset("actions", data=np.zeros((ROWS, 7)))
            demo.create_dataset("dones", data=np.arange(ROWS) == ROWS - 1)
            demo.create_dataset("obs/robot0_eef_pos", data=p, compression="gzip", chunks=(7, 3))
            demo.create_dataset("obs/robot0_eef_quat", data=np.array([quaternion(each) for each in R]))
            demo.create_dataset("obs/agentview_image", data=np.zeros((ROWS, 4, 4, 3), dtype=np.uint8))
        file.create_dataset("mask/train", data=np.array([b"demo_1"], dtype="S8"))


def lerobot(out, demos):
    import pyarrow as pa
    import pyarrow.parquet as parquet

    names = ["x", "y", "z", "rx", "ry", "rz"]
    feature = {"dtype": "float32", "shape": [6], "names": {"axes": names}}
    counts = {name: {"dtype": kind, "shape": [1], "names": None} for name, kind in (
        ("timestamp", "float32"), ("frame_index", "int64"), ("episode_index", "int64"), ("index", "int64"), ("task_index", "int64"))}
    video = {"dtype": "video", "shape": [480, 640, 3], "names": ["height", "width", "channels"]}
    info = {"codebase_version": "v3.0", "robot_type": "so100", "total_episodes": 2, "total_frames": 2 * ROWS, "total_tasks": 1,
            "chunks_size": 1000, "fps": RATE, "splits": {"train": "0:2"},
            "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet", "video_path": None,
            "features": {"observation.state": feature, "action": feature, "observation.images.front": video, **counts}}
    (out / "meta/episodes/chunk-000").mkdir(parents=True)
    (out / "data/chunk-000").mkdir(parents=True)
    (out / "meta/info.json").write_text(json.dumps(info))
    for d, (p, R) in enumerate(demos):  # a file each
        rows = np.hstack([1000 * p, np.rad2deg([rotation_vector(each) for each in R])]).astype(np.float32)
        vectors = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), 6) if d == 0 else pa.array(list(rows))
        whole = np.arange(ROWS)
        parquet.write_table(pa.table({
            "observation.state": vectors, "action": vectors, "timestamp": pa.array((whole / RATE).astype(np.float32)),
            "frame_index": whole, "episode_index": np.full(ROWS, d), "index": d * ROWS + whole, "task_index": np.zeros(ROWS, dtype=int),
        }), out / f"data/chunk-000/file-{d:03d}.parquet")
    parquet.write_table(pa.table({
        "episode_index": [0, 1], "tasks": [["push it"], ["push it"]], "length": [ROWS, ROWS], "data/chunk_index": [0, 0],
        "data/file_index": [0, 1], "dataset_from_index": [0, ROWS], "dataset_to_index": [ROWS, 2 * ROWS],
    }), out / "meta/episodes/chunk-000/file-000.parquet")


def table(out, demos):
    with out.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["demo", "t [ms]", "x [mm]", "y [mm]", "z [mm]", *(f"r{i}{j}" for i in "123" for j in "123"), "remark"])
        for d, (p, R) in enumerate(demos):
            for k in range(ROWS):
                writer.writerow([f"d{d}", 1000 * k / RATE, *(repr(float(v)) for v in 1000 * p[k]), *(repr(float(v)) for v in R[k].ravel()), "a; b"])


if __name__ == "__main__":
    kind, out, pose = sys.argv[1], Path(sys.argv[2]), np.array([float(x) for x in sys.argv[3:10]])
    demos = list(demonstrations(pose[:3], matrix(pose[3:])))
    {"robomimic": robomimic, "lerobot": lerobot, "csv": table}[kind](out, demos)
