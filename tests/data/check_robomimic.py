"""check_robomimic.py FILE.hdf5: that the file keeps robomimic's rules for data sets ("Dataset Structure", "Data
Conventions" of its documentation, and what its loaders index); exit 0."""

import json
import sys

import h5py
import numpy as np

file = h5py.File(sys.argv[1])
data = file["data"]
meta = json.loads(data.attrs["env_args"])
assert {"env_name", "type", "env_kwargs"} <= set(meta) and meta["type"] in (1, 2, 3), meta
demos = sorted(data, key=lambda name: int(name[5:]))
assert demos == [f"demo_{i}" for i in range(len(demos))]
assert data.attrs["total"] == sum(data[d].attrs["num_samples"] for d in demos)
masks = {name: [m.decode() for m in file["mask"][name]] for name in file["mask"]}
assert {"train", "valid", "successes", "failures"} <= set(masks)
assert sorted(masks["train"] + masks["valid"]) == sorted(demos)
about = json.loads(data.attrs["handspan"])
assert len(about["action_columns"]) == len(data.attrs["action_scale"]) == len(data.attrs["action_offset"])
for name in demos:
    demo = data[name]
    n = demo.attrs["num_samples"]
    actions = demo["actions"][()]
    assert actions.shape == (n, len(about["action_columns"])) and n >= 2
    assert np.all(np.abs(actions) <= 1.0) and np.all(np.isfinite(actions))
    for key in ("states", "rewards", "dones"):
        assert demo[key].shape[0] == n, key
    assert set(demo["obs"]) == set(demo["next_obs"])
    for key, value in demo["obs"].items():
        assert "." not in key and value.ndim == 2 and value.shape[0] == n, key
        assert np.array_equal(value[1:], demo["next_obs"][key][:-1]), key
        # the answer is not in the question
        width = value.shape[1]
        for first in range(actions.shape[1] - width + 1):
            part = actions[:, first : first + width] * data.attrs["action_scale"][first : first + width]
            part = part + data.attrs["action_offset"][first : first + width]
            assert np.ptp(value[()]) == 0 or not np.allclose(value[()], part, atol=1e-9), key
    outcome = demo.attrs["outcome"]
    assert (outcome == "success") == (name in masks["successes"])
    assert demo["rewards"][-1] == (outcome == "success") and demo["dones"][-1] == 1
