"""Poses as arrays: positions [m] and quaternions x y z w, and what is wrong with what somebody gives."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._handspan import InputError

MOST_ROWS = 32  # of one input
_SHAPES = "it must be (7), x y z and the quaternion x y z w; (4, 4); or (n, 8), each row a time and such a pose"


def quaternion_of(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """The quaternion x y z w of a rotation matrix (3, 3), w >= 0.

    S. W. Shepperd, "Quaternion from rotation matrix", 1978: by the largest of the four elements.
    """
    m = rotation
    squares = np.array([
        1 + m[0, 0] - m[1, 1] - m[2, 2],
        1 - m[0, 0] + m[1, 1] - m[2, 2],
        1 - m[0, 0] - m[1, 1] + m[2, 2],
        1 + m[0, 0] + m[1, 1] + m[2, 2],
    ])  # fmt: skip
    largest = int(np.argmax(squares))
    x, y, z = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    xy, xz, yz = m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
    s = squares[largest]
    q = np.array([(s, xy, xz, x), (xy, s, yz, y), (xz, yz, s, z), (x, y, z, s)][largest])
    q = q / np.linalg.norm(q)
    return -q if q[3] < 0 else q


def rotation_of(quaternion: ArrayLike) -> NDArray[np.float64]:
    """The rotation matrix (3, 3) of a quaternion x y z w of any length but zero."""
    x, y, z, w = np.asarray(quaternion, float) / np.linalg.norm(quaternion)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def turned(quaternion: ArrayLike, vector: ArrayLike) -> NDArray[np.float64]:
    """exp(vector) * quaternion: turned further by a rotation vector [rad] in the world's axes."""
    v = np.asarray(vector, float)
    half = 0.5 * float(np.linalg.norm(v))
    a, c = 0.5 * v * np.sinc(half / np.pi), np.cos(half)
    q = np.asarray(quaternion, float)
    return np.append(c * q[:3] + q[3] * a + np.cross(a, q[:3]), c * q[3] - a @ q[:3])


def pose_rows(name: str, pose: ArrayLike) -> NDArray[np.float64]:
    """(n, 8): of each pose its time [s] and x y z, quaternion x y z w. Raises InputError naming `name`."""
    place = f"reference {name}"
    try:
        given = np.asarray(pose, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{place}: the pose is no array of numbers ({error}); {_SHAPES}") from None
    if given.shape == (7,):
        rows = np.concatenate([[0.0], given])[None, :]
    elif given.shape == (4, 4):
        finite(place, given)
        rotation = given[:3, :3]
        off = float(np.abs(rotation.T @ rotation - np.eye(3)).max())
        if off > 1e-6 or np.linalg.det(rotation) < 0 or np.abs(given[3] - [0, 0, 0, 1]).max() > 1e-9:
            raise InputError(
                f"{place}: the matrix is no pose; its upper left part must be a rotation (it is {off:.2g} from one) and "
                "its last row 0 0 0 1"
            )
        rows = np.concatenate([[0.0], given[:3, 3], quaternion_of(rotation)])[None, :]
    elif given.ndim == 2 and given.shape[1] == 8 and given.shape[0] > 0:
        rows = given
    else:
        raise InputError(f"{place}: the pose has the shape {given.shape}; {_SHAPES}")
    finite(place, given)
    if len(rows) > MOST_ROWS:
        raise InputError(f"{place}: there are {len(rows)} poses; at most {MOST_ROWS} at once")
    for i in np.flatnonzero(np.linalg.norm(rows[:, 4:], axis=1) < 1e-6):
        raise InputError(f"{place}: the quaternion of pose[{i}] is zero; without a turn it is 0 0 0 1")
    for i in np.flatnonzero(np.diff(rows[:, 0]) <= 0):
        raise InputError(f"{place}: the time of pose[{i + 1}] is {rows[i + 1, 0]} s, not after {rows[i, 0]} s; times rise")
    return np.ascontiguousarray(rows)


def finite(place: str, values: NDArray[np.float64]) -> None:
    """Raises InputError with the index of the first number that is not finite."""
    for index in np.argwhere(~np.isfinite(values)):
        where = ", ".join(map(str, index))
        raise InputError(f"{place}: pose[{where}] is {values[tuple(index)]}; it must be finite")
