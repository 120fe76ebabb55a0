"""check_promp.py CASES.json: computes each case again with the package movement_primitives and prints what is farther from
it than 1e-9 of the largest number at hand, then how many numbers agree. Exit 3: the package is not there."""

import json
import sys

try:
    import numpy as np
    from movement_primitives.promp import ProMP
except ImportError:
    sys.exit(3)


def promp_of(c):
    movement = ProMP(c["dimensions"], c["weights"])
    return movement.from_weight_distribution(np.array(c["mean"]), np.array(c["covariance"]))


def basis(c):
    movement = ProMP(1, c["weights"])
    # the last one is cut: the package takes the largest time for 1
    phases = lambda: np.array([*c["phases"], 1.0])
    return {
        "values": movement._rbfs_1d_sequence(phases(), c["overlap"])[:, :-1],
        "slopes": movement._rbfs_derivative_1d_sequence(phases(), c["overlap"])[:, :-1],
    }


def regression(c):
    positions = np.array(c["positions"])
    movement = ProMP(positions.shape[1], c["weights"])
    return {"weights": movement.weights(np.array(c["times"]), positions, lmbda=c["ridge"])}


def over_time(c):
    movement = promp_of(c["promp"])
    # each a copy of its own: the package scales what it is given in place
    phases = lambda: np.array(c["phases"])
    return {
        "position": movement.mean_trajectory(phases()),
        "velocity": movement.mean_velocities(phases()),
        "position_covariance": movement.cov_trajectory(phases()),
        "velocity_covariance": movement.cov_velocities(phases()),
        "variance": movement.var_trajectory(phases()),
    }


def conditioning(c):
    movement = promp_of(c["promp"])
    for point in c["points"]:
        movement = movement.condition_position(
            np.array(point["position"]), np.array(point["covariance"]), t=point["phase"], t_max=1.0)  # fmt: skip
    return {"mean": movement.weight_mean, "covariance": movement.weight_cov}


agree = 0
for number, case in enumerate(json.load(open(sys.argv[1]))):
    for key, theirs in globals()[case["what"]](case).items():
        theirs, ours = np.ravel(theirs), np.ravel(case["ours"][key]).astype(float)
        if len(theirs) == len(ours) and np.max(np.abs(ours - theirs)) <= 1e-9 * np.max(np.abs(theirs)):
            agree += len(ours)
        else:
            print(f"case {number}, {case['what']}: {key} is {ours}, movement_primitives has {theirs}")
print(f"{agree} agree")
