#!/usr/bin/env python3
"""Fits collision shapes to the meshes of a robot folder, and measures how well the shapes cover
the meshes.

    tools/fit_shapes.py robots/fr3 --meshes DIR            fit, print <geom> lines and figures
    tools/fit_shapes.py robots/fr3 --meshes DIR --check    measure the shapes in model.xml; exit 1
        if a surface sample lies more than --allow [m] outside

Reads robots/NAME/meshes.yaml: for each body the mesh's file, its pose in the body's frame, how
many shapes to use and which kinds. DIR is the folder that `root` in that file is relative to.
Needs numpy, scipy, PyYAML, trimesh and pycollada (and mujoco for --check), in an environment of
your own: nothing else in the project needs them.

Method, the same on every run: the mesh's triangles are divided until no edge is longer than kEdge
and cut into as many pieces as shapes are wanted, by planes normal to the body's axes and by the
nearer of two crossing lines. Each piece gets the smallest convex shape that holds all vertices of
its triangles, so it holds the triangles: the whole surface is covered, not only samples of it.
Then each shape in turn drops the triangles that another one holds and is fitted again. Of the best
few cuts the union of least volume is taken. Lengths are rounded up to 0.1 mm after adding kMargin,
so that rounding uncovers nothing.
"""

import argparse
import itertools
import json
import math
import pathlib
import sys

import numpy as np
import trimesh
import yaml
from fit_geometry import distance, fit_piece, rounded, union_volume
from scipy.spatial.transform import Rotation

kEdge = 0.005  # [m] longest edge of a triangle that is assigned to pieces
kCell = 0.005  # [m] spacing of the points of the coarse search
kSamples = 20000  # surface points per link for the figures
kCuts = 9  # offsets tried along an axis
kTrims = 6  # rounds in which each shape drops what the others hold already
kBeam = 4  # plans kept from one cut to the next


def link_mesh(folder, entry):
    """Returns the mesh of one link in its body's frame [m]."""
    mesh = trimesh.load(folder / entry["mesh"], force="mesh")
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_quat(entry.get("quaternion", [0, 0, 0, 1])).as_matrix()
    pose[:3, 3] = entry.get("position", [0, 0, 0])
    mesh.apply_transform(pose)
    return mesh


def thin(points, cell):
    """Returns one point a cubic cell, for the coarse search."""
    _, index = np.unique(np.floor(points / cell).astype(int), axis=0, return_index=True)
    return points[np.sort(index)]


def splits(points):
    """Yields ways to cut points in two: functions from points (n, 3) to a mask (n). Planes normal
    to an axis, and the nearer of two axis-parallel lines that meet, which is how two housings of a
    joint cross.
    """
    low, high = points.min(0), points.max(0)
    for axis in range(3):
        for offset in np.linspace(low[axis], high[axis], kCuts + 2)[1:-1]:
            yield lambda p, axis=axis, offset=offset: p[:, axis] < offset
    inset = (high - low).min() / 2
    places = [
        sorted({round(v, 4) for v in (0.0, (lo + hi) / 2, lo + inset, hi - inset) if lo < v < hi})
        for lo, hi in zip(low, high)
    ]
    for shared in range(3):
        i, j = [k for k in range(3) if k != shared]
        for x, y in itertools.product(places[i], places[j]):
            # both lines lie in the plane `shared` = const: one along i, the other along j
            yield lambda p, i=i, j=j, x=x, y=y: np.abs(p[:, j] - y) < np.abs(p[:, i] - x)


def fit_pair(points, mask, kinds):
    """Returns two shapes that hold the two parts of points; one drops what the other holds."""
    parts = [points[mask], points[~mask]]
    first = [fit_piece(p, kinds) for p in parts]
    found = [first]
    for i in range(2):
        rest = parts[1 - i][distance(first[i], parts[1 - i]) > 0]
        if len(rest) >= 5:
            found.append([first[i], fit_piece(rest, kinds)])
    return min(sum(s["cost"] for s in pair) for pair in found)


def labels(points, plan):
    """Returns the piece (n) of every point after the cuts (piece, mask function) of plan; piece k
    is made by cut k.
    """
    label = np.zeros(len(points), int)
    for k, (which, split) in enumerate(plan):
        label[(label == which) & split(points)] = k + 1
    return label


def fit_link(mesh, count, kinds):
    """Returns `count` shapes that together hold the whole surface of mesh."""
    vertices, faces = trimesh.remesh.subdivide_to_size(mesh.vertices, mesh.faces, kEdge)
    centres = vertices[faces].mean(axis=1)
    coarse = thin(vertices, kCell)

    plans = [(fit_piece(coarse, kinds)["cost"], [])]
    for _ in range(count - 1):
        longer = []
        for _, plan in plans:
            label = labels(coarse, plan)
            pieces = [coarse[label == k] for k in range(len(plan) + 1)]
            costs = [fit_piece(p, kinds)["cost"] for p in pieces]
            for which, piece in enumerate(pieces):
                for split in splits(piece):
                    mask = split(piece)
                    if 5 <= mask.sum() <= len(piece) - 5:
                        cost = sum(costs) - costs[which] + fit_pair(piece, mask, kinds)
                        longer.append((cost, plan + [(which, split)]))
        plans = sorted(longer, key=lambda p: p[0])[:kBeam]

    # the few best plans are carried out in full and compared by the volume of their unions
    results = []
    for _, plan in plans:
        label = labels(centres, plan)
        pieces = [vertices[np.unique(faces[label == k])] for k in range(count)]
        if min(len(p) for p in pieces) >= 4:
            shapes = [fit_piece(p, kinds, refine=True) for p in pieces]
            for order in (1, -1):
                results.append([rounded(s) for s in trim(shapes, vertices, faces, kinds, order)])
    return min(results, key=lambda shapes: union_volume(shapes, mesh.bounds))


def trim(shapes, vertices, faces, kinds, order):
    """Returns shapes made smaller in turn: each need only hold the triangles that no other one
    holds wholly. The smallest goes first with order 1, the largest with -1.
    """
    shapes = list(shapes)
    holds = lambda shape: (distance(shape, vertices) <= 1e-9)[faces].all(axis=1)
    for _ in range(kTrims):
        before = sum(s["cost"] for s in shapes)
        for i in sorted(range(len(shapes)), key=lambda k: order * shapes[k]["cost"]):
            others = np.any(
                [holds(s) for j, s in enumerate(shapes) if j != i] or [np.zeros(len(faces), bool)],
                axis=0,
            )
            rest = vertices[np.unique(faces[~others])]
            if len(rest) < 4:
                continue
            smaller = fit_piece(rest, kinds, refine=True)
            if smaller["cost"] < shapes[i]["cost"]:
                shapes[i] = smaller
        if sum(s["cost"] for s in shapes) > 0.998 * before:
            break
    return shapes


def figures(mesh, shapes):
    """Returns how the union of shapes covers mesh: fractions inside, largest protrusion [m], volume
    ratios.
    """
    samples, _ = trimesh.sample.sample_surface(mesh, kSamples, seed=1)
    union = lambda points: np.min([distance(s, points) for s in shapes], axis=0)
    d_vertices, d_samples = union(mesh.vertices), union(samples)
    return {
        "vertices_inside": float(np.mean(d_vertices <= 1e-9)),
        "samples_inside": float(np.mean(d_samples <= 1e-9)),
        "protrusion": float(max(d_vertices.max(), d_samples.max(), 0)),
        "volume_to_hull": union_volume(shapes, mesh.bounds) / float(mesh.convex_hull.volume),
    }


def geom_line(name, shape, material, rgba):
    """Returns the shape as a MuJoCo <geom> element."""
    numbers = lambda x: " ".join(f"{v:.10g}" for v in np.atleast_1d(np.asarray(x) + 0.0))
    if shape["kind"] == "box":
        place = f'size="{numbers(shape["half"])}" pos="{numbers(shape["centre"])}"'
    elif shape["kind"] == "sphere":
        place = f'size="{numbers(shape["r"])}" pos="{numbers(shape["a"])}"'
    else:
        place = f'size="{numbers(shape["r"])}" fromto="{numbers(shape["a"])} {numbers(shape["b"])}"'
    return (
        f'<geom name="{name}" type="{shape["kind"]}" {place} group="3" contype="1" conaffinity="1" '
        f'material="{material}" rgba="{rgba}"/>'
    )


def model_shapes(model, body):
    """Returns the shapes of one body of a compiled MuJoCo model."""
    import mujoco

    kinds = {
        mujoco.mjtGeom.mjGEOM_SPHERE: "sphere",
        mujoco.mjtGeom.mjGEOM_CAPSULE: "capsule",
        mujoco.mjtGeom.mjGEOM_CYLINDER: "cylinder",
        mujoco.mjtGeom.mjGEOM_BOX: "box",
    }
    shapes = []
    index = model.body(body).id
    for g in range(
        model.body_geomadr[index], model.body_geomadr[index] + model.body_geomnum[index]
    ):
        kind = kinds[mujoco.mjtGeom(model.geom_type[g])]
        rotation = Rotation.from_quat(np.roll(model.geom_quat[g], -1)).as_matrix()
        pos, size = model.geom_pos[g], model.geom_size[g]
        if kind == "box":
            shapes.append({"kind": kind, "centre": pos, "rotation": rotation, "half": size})
        else:
            half = 0 if kind == "sphere" else size[1]
            shapes.append(
                {
                    "kind": kind,
                    "a": pos - half * rotation[:, 2],
                    "b": pos + half * rotation[:, 2],
                    "r": size[0],
                }
            )
    return shapes


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=pathlib.Path, help="robot folder with meshes.yaml")
    parser.add_argument(
        "--meshes", type=pathlib.Path, required=True, help="folder that the meshes' root is in"
    )
    parser.add_argument("--check", action="store_true", help="measure model.xml instead of fitting")
    parser.add_argument(
        "--allow", type=float, default=0.001, help="largest protrusion for --check [m]"
    )
    parser.add_argument("--json", type=pathlib.Path, help="write lines and figures here too")
    args = parser.parse_args()

    spec = yaml.safe_load((args.folder / "meshes.yaml").read_text())
    model = None
    if args.check:
        import mujoco

        model = mujoco.MjModel.from_xml_path(str(args.folder / "model.xml"))
    result, worst = {}, 0.0
    print(
        f"{'body':10} {'shapes':>6} {'vertices in':>12} {'samples in':>11} "
        f"{'protrusion':>11} {'volume/hull':>11}"
    )
    for body, entry in spec["links"].items():
        mesh = link_mesh(args.meshes / spec["root"], entry)
        if model is not None:
            shapes = model_shapes(model, body)
        else:
            shapes = fit_link(mesh, entry["shapes"], entry["kinds"])
        f = figures(mesh, shapes)
        worst = max(worst, f["protrusion"])
        lines = [
            geom_line(f"{body}_{i + 1}", s, spec["material"], entry["rgba"])
            for i, s in enumerate(shapes)
        ]
        result[body] = {"geoms": lines, **f}
        print(
            f"{body:10} {len(shapes):6} {f['vertices_inside']:12.6f} {f['samples_inside']:11.6f} "
            f"{1e3 * f['protrusion']:8.3f} mm {f['volume_to_hull']:11.3f}",
            flush=True,
        )
        if model is None:
            print("\n".join("    " + line for line in lines), flush=True)
    if args.json:
        args.json.write_text(json.dumps(result, indent=1))
    return 1 if args.check and worst > args.allow else 0


if __name__ == "__main__":
    sys.exit(main())
