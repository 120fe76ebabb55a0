"""Capsules, cylinders and boxes around points: the smallest that hold them, and distances to them.

A shape is a dict: kind, volume [m^3], cost (weighted volume), and for a capsule or cylinder the
ends a, b of its axis and its radius r, for a box centre, rotation and half lengths [m]. A capsule
without length is of kind sphere. Used by fit_shapes.py.
"""

import itertools
import math

import numpy as np
from scipy.optimize import minimize
from scipy.spatial import ConvexHull, QhullError

kMargin = 1.5e-4  # [m] added to every size: more than rounding positions to 0.1 mm can take away
# how much larger a capsule, whose distances are smooth, may be than a cylinder or box
kWeights = {"capsule": 1.0, "cylinder": 1.15, "box": 1.15}
kTilt = 0.95  # an axis that is not the body's own must save 5 % to be worth its odd numbers


def hull_points(points):
    """Returns the vertices (n, 3) of the convex hull; all points if they are too flat for one."""
    try:
        return points[ConvexHull(points).vertices]
    except QhullError:
        return points


def smallest_circle(points):
    """Returns centre (2) and radius of the smallest circle around points (n, 2), by growing its
    support of <= 3.
    """

    def candidates(support):
        for p, q in itertools.combinations(support, 2):
            yield (p + q) / 2, np.linalg.norm(p - q) / 2
        for p, q, r in itertools.combinations(support, 3):
            m = 2 * np.array([q - p, r - p])
            if abs(np.linalg.det(m)) > 1e-16:
                c = np.linalg.solve(m, [q @ q - p @ p, r @ r - p @ p])
                yield c, np.linalg.norm(p - c)

    support, centre, radius = [points[0]], points[0], 0.0
    for _ in range(len(points) + 10):
        d = np.linalg.norm(points - centre, axis=1)
        if d.max() <= radius + 1e-10:
            break
        four = support + [points[d.argmax()]]
        holding = [
            c for c in candidates(four) if np.linalg.norm(four - c[0], axis=1).max() <= c[1] + 1e-10
        ]
        centre, radius = min(holding, key=lambda c: c[1])
        support = [p for p in four if np.linalg.norm(p - centre) >= radius - 1e-10][:3]
    return centre, float(np.linalg.norm(points - centre, axis=1).max())


def plane_axes(axis):
    """Returns two unit vectors that complete axis to an orthonormal, right-handed frame."""
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    u = np.cross(helper, axis)
    u /= np.linalg.norm(u)
    return u, np.cross(axis, u)


def capsule_of(points, axis, centre, grow=0.0):
    """Returns the shortest capsule on the line (centre, axis) that holds points; its radius is (1 +
    grow) the least.
    """
    t = (points - centre) @ axis
    rho2 = np.maximum(((points - centre) ** 2).sum(1) - t**2, 0)
    radius = math.sqrt(rho2.max()) * (1 + grow)
    reach = np.sqrt(np.maximum(radius**2 - rho2, 0))
    low, high = (t + reach).min(), (t - reach).max()
    if high < low:
        low = high = (low + high) / 2
    volume = math.pi * radius**2 * (high - low) + 4 / 3 * math.pi * radius**3
    return {
        "kind": "capsule",
        "a": centre + low * axis,
        "b": centre + high * axis,
        "r": radius,
        "volume": volume,
    }


def circle_along(points, axis):
    """Returns a point (3) of the axis of the thinnest cylinder along axis around points, and its
    radius.
    """
    u, v = plane_axes(axis)
    c, radius = smallest_circle(np.column_stack([points @ u, points @ v]))
    return c[0] * u + c[1] * v, radius


def refined_capsule(points, best, axis, centre):
    """Returns a capsule smaller than `best`, by moving, growing and tilting it."""
    u, v = plane_axes(axis)

    def shape(x, tilt):
        direction = axis + (x[3] * u + x[4] * v if tilt else 0)
        direction = direction / np.linalg.norm(direction)
        return capsule_of(points, direction, centre + 0.1 * (x[0] * u + x[1] * v), abs(x[2]))

    for tilt, factor in ((False, 1.0), (True, kTilt)):
        options = {"maxiter": 1500, "xatol": 1e-6, "fatol": 1e-10}
        start = np.full((6, 5), 0.0)
        start[1:] += 0.05 * np.eye(5)
        found = minimize(
            lambda x: shape(x, tilt)["volume"] * 1e3,
            np.zeros(5),
            method="Nelder-Mead",
            options={**options, "initial_simplex": start},
        )
        candidate = shape(found.x, tilt)
        if candidate["volume"] < factor * best["volume"]:
            best = candidate
    return best


def fit_cylinder(points, axis, base, radius):
    t = points @ axis
    return {
        "kind": "cylinder",
        "a": base + t.min() * axis,
        "b": base + t.max() * axis,
        "r": radius,
        "volume": math.pi * radius**2 * np.ptp(t),
    }


def fit_box(points, rotation):
    local = points @ rotation
    low, high = local.min(0), local.max(0)
    return {
        "kind": "box",
        "centre": rotation @ (low + high) / 2,
        "rotation": rotation,
        "half": (high - low) / 2,
        "volume": float(np.prod(high - low)),
    }


def fit_piece(points, kinds, refine=False):
    """Returns the shape of least weighted volume, of the given kinds, that holds points (n, 3)."""
    points = hull_points(points)
    axes = [(axis, 1.0) for axis in np.eye(3)]
    if refine:
        principal = np.linalg.svd(points - points.mean(0), full_matrices=False)[2]
        axes += [(axis, 1 / kTilt) for axis in principal]
    shapes = []

    def add(shape, factor=1.0, line=None):
        shape["cost"] = shape["volume"] * kWeights[shape["kind"]]
        shapes.append((shape["cost"] * factor, len(shapes), shape, line))

    for axis, factor in axes:
        base, radius = circle_along(points, axis)
        if "capsule" in kinds:
            add(capsule_of(points, axis, base), factor, (axis, base))
        if "cylinder" in kinds:
            add(fit_cylinder(points, axis, base, radius), factor)
    if "box" in kinds:
        add(fit_box(points, np.eye(3)))
    lines = sorted(s for s in shapes if s[3] is not None)
    if refine and lines:
        add(refined_capsule(points, lines[0][2], *lines[0][3]))
    return min(shapes)[2]


def rounded(shape):
    """Returns shape with sizes grown by kMargin and rounded up, positions rounded, to 0.1 mm."""
    up = lambda x: np.ceil(np.asarray(x) * 1e4 + kMargin * 1e4 - 1e-6) / 1e4
    if shape["kind"] == "box":
        return {**shape, "centre": np.round(shape["centre"], 4), "half": up(shape["half"])}
    a, b = shape["a"], shape["b"]
    length = np.linalg.norm(b - a)
    if shape["kind"] == "cylinder":
        # a cylinder's flat ends need the margin too
        a, b = a - kMargin * (b - a) / length, b + kMargin * (b - a) / length
    kind = shape["kind"] if length > 1e-4 else "sphere"
    return {
        **shape,
        "kind": kind,
        "a": np.round(a, 4),
        "b": np.round(b, 4),
        "r": float(up(shape["r"])),
    }


def distance(shape, points):
    """Returns the signed distance [m] of points (n, 3) to shape, positive outside."""
    if shape["kind"] == "box":
        d = np.abs((points - shape["centre"]) @ shape["rotation"]) - shape["half"]
        return np.linalg.norm(np.maximum(d, 0), axis=1) + np.minimum(d.max(1), 0)
    a, b, r = shape["a"], shape["b"], shape["r"]
    length = np.linalg.norm(b - a)
    if length < 1e-12:
        return np.linalg.norm(points - a, axis=1) - r
    axis = (b - a) / length
    t = (points - a) @ axis
    rho = np.linalg.norm(points - a - t[:, None] * axis, axis=1)
    beyond = np.maximum(-t, t - length)
    if shape["kind"] == "capsule":
        return np.hypot(rho, np.maximum(beyond, 0)) - r
    d = np.column_stack([rho - r, beyond])
    return np.linalg.norm(np.maximum(d, 0), axis=1) + np.minimum(d.max(1), 0)


def union_volume(shapes, bounds):
    """Returns the volume [m^3] of the union of shapes by fixed random points."""
    low, high = bounds[0] - 0.1, bounds[1] + 0.1
    grid = np.random.default_rng(2).uniform(low, high, (300000, 3))
    return float(
        np.prod(high - low) * np.mean(np.min([distance(s, grid) for s in shapes], axis=0) < 0)
    )
