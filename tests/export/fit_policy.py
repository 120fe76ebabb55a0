"""fit_policy.py SET.hdf5 POLICY.json EPOCHS: a small policy fitted to demonstrations, by NumPy alone.

A multi-layer perceptron maps an observation to the next CHUNK actions (as ACT does, without its transformer): least
squares on the scaled actions of the data set, by Adam, with noise on the observations. The weights go to a JSON file.
"""

import json
import sys

import h5py
import numpy as np

CHUNK = 20
HIDDEN = (256, 256)
KEYS = ("measured_left_hand_pose", "measured_right_hand_pose", "object_box_pose", "left_wrist_wrench", "right_wrist_wrench")
FORCE = 20.0  # [N, N m]: beyond it a touch is a touch

source, target, epochs = sys.argv[1], sys.argv[2], int(sys.argv[3])
rng = np.random.default_rng(1)


def observation(group):
    # where things are and what touches; their turns hardly change, and a policy would read much into that
    parts = [np.tanh(group[k][()] / FORCE) if k.endswith("wrench") else group[k][:, :3] for k in KEYS]
    return np.concatenate(parts, axis=1)


inputs, outputs = [], []
with h5py.File(source) as file:
    data = file["data"]
    good = {name.decode() for name in file["mask/successes"]}
    names = [name.decode() for name in file["mask/train"] if name.decode() in good]
    about = json.loads(data.attrs["handspan"])
    offset, scale = data.attrs["action_offset"], data.attrs["action_scale"]
    for name in names:
        x, y = observation(data[name]["obs"]), data[name]["actions"][()]
        # the last action holds
        rows = np.minimum(np.arange(len(y))[:, None] + np.arange(CHUNK), len(y) - 1)
        inputs.append(x)
        outputs.append(y[rows].reshape(len(y), -1))
x, y = np.concatenate(inputs), np.concatenate(outputs)
mean, std = x.mean(axis=0), np.maximum(x.std(axis=0), 0.02)
x = (x - mean) / std

sizes = (x.shape[1], *HIDDEN, y.shape[1])
weights = [rng.normal(0, np.sqrt(2 / a), (a, b)) for a, b in zip(sizes, sizes[1:])]
biases = [np.zeros(b) for b in sizes[1:]]
moments = [[np.zeros_like(p), np.zeros_like(p)] for p in weights + biases]
batch, step, losses = 256, 0, []
total = epochs * (len(x) // batch + 1)
for epoch in range(epochs):
    order, loss = rng.permutation(len(x)), 0.0
    for first in range(0, len(x), batch):
        rows = order[first : first + batch]
        layers = [x[rows] + rng.normal(0, 0.1, (len(rows), x.shape[1]))]
        for w, b in zip(weights, biases):
            z = layers[-1] @ w + b
            layers.append(z if w is weights[-1] else np.maximum(z, 0))
        error = layers[-1] - y[rows]
        loss += float((error**2).sum())
        gradient, gradients = 2 * error / error.size, [None] * (2 * len(weights))
        for i in reversed(range(len(weights))):
            gradients[i] = layers[i].T @ gradient
            gradients[len(weights) + i] = gradient.sum(axis=0)
            if i:
                gradient = (gradient @ weights[i].T) * (layers[i] > 0)
        step += 1
        rate = 2e-3 * 0.5 * (1 + np.cos(np.pi * step / total)) + 1e-6
        for p, g, m in zip(weights + biases, gradients, moments):
            m[0] += 0.1 * (g - m[0])
            m[1] += 0.001 * (g * g - m[1])
            p -= rate * (m[0] / (1 - 0.9**step)) / (np.sqrt(m[1] / (1 - 0.999**step)) + 1e-8)
    losses.append(loss / y.size)
print(f"{len(names)} demonstrations, {len(x)} rows, squared error {losses[0]:.4g} -> {losses[-1]:.4g}")
assert losses[-1] < 0.5 * losses[0], "nothing was learned"
policy = {
    "keys": KEYS,
    "columns": about["action_columns"],
    "rate": about["rate"],
    "chunk": CHUNK,
    "force": FORCE,
    "mean": mean.tolist(),
    "std": std.tolist(),
    "offset": offset.tolist(),
    "scale": scale.tolist(),
    "layers": [{"weight": w.T.tolist(), "bias": b.tolist()} for w, b in zip(weights, biases)],
}
with open(target, "w") as file:
    json.dump(policy, file)
