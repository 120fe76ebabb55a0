"""placo_tick.py [--dynamics] URDF: what one tick of placo costs with the two-arm problem of bench/peer_process.hpp, and
that header's JSON about it. Run with the Python of .deps/peers.

The default is placo's KinematicsSolver: a QP in joint displacements with position and velocity limits, and neither
dynamics nor torques. --dynamics is its DynamicsSolver: accelerations and torques, with limits of position, velocity
and torque. Neither has limits of acceleration, and both carry a floating base's six unknowns, held fixed. Both are C++
called from Python; "overhead_us" is what two such calls that compute next to nothing cost.
"""

import argparse
import json
import math
import statistics
import sys
import time
from importlib.metadata import version

import numpy as np
import placo

# the problem, as bench/peer_process.hpp has it
STEP = 0.001
RADIUS, FREQUENCY = 0.1, 0.5
WARM_UP, TICKS = 2000, 20000
READY = [0.0, -math.pi / 4, 0.0, -3 * math.pi / 4, 0.0, math.pi / 2, math.pi / 4]
HANDS = ["left.flange", "right.flange"]

HAND_STIFFNESS, POSTURE_STIFFNESS = 400.0, 10.0  # [1/s^2], critically damped
HAND_WEIGHT, POSTURE_WEIGHT = 1.0, 1e-5
BRAKING = 10.0  # [rad/s^2]


def quantile(samples, share):
    """Returns the nearest rank."""
    return sorted(samples)[math.ceil(share * len(samples)) - 1]


def circle(t):
    """Returns displacement [m], velocity [m/s] and acceleration [m/s^2] of a hand in the world at t [s]."""
    w = 2 * math.pi * FREQUENCY
    c, s = math.cos(w * t), math.sin(w * t)
    return (RADIUS * np.array([0, c - 1, s]), RADIUS * w * np.array([0, -s, c]),
            RADIUS * w * w * np.array([0, -c, -s]))


def joints():
    return {f"{side}.joint{i + 1}": angle for side in ("left", "right") for i, angle in enumerate(READY)}


class Kinematics:
    name = "KinematicsSolver"

    def __init__(self, robot, starts):
        self.solver = robot.make_solver()
        self.solver.mask_fbase(True)
        self.solver.dt = STEP
        self.solver.enable_joint_limits(True)
        self.solver.enable_velocity_limits(True)
        self.tasks = [self.solver.add_frame_task(hand, start) for hand, start in zip(HANDS, starts)]
        for hand, task in zip(HANDS, self.tasks):
            task.configure(hand, "soft", HAND_WEIGHT, HAND_WEIGHT)
        posture = self.solver.add_joints_task()
        posture.set_joints(joints())
        posture.configure("posture", "soft", POSTURE_WEIGHT)

    def refer(self, task, start, t):
        # a displacement is solved for: the tick ends where the reference then is
        X_WE = start.copy()
        X_WE[:3, 3] += circle(t + STEP)[0]
        task.T_world_frame = X_WE

    def solve(self):
        return self.solver.solve(True)

    def succeeded(self, solution):
        return bool(np.all(np.isfinite(solution)))


class Dynamics:
    name = "DynamicsSolver"
    # the solver minimises torques too, with a weight of 1e-3 that Python cannot change: against 1e-5 the elbows sink
    # until limits stop them
    posture_weight = 1e-3

    def __init__(self, robot, starts):
        self.solver = placo.DynamicsSolver(robot)
        self.solver.mask_fbase(True)
        self.solver.dt = STEP
        self.solver.enable_joint_limits(True)
        self.solver.enable_velocity_limits(True)
        self.solver.enable_torque_limits(True)
        for joint in joints():
            self.solver.set_qdd_safe(joint, BRAKING)
        self.tasks = [self.solver.add_frame_task(hand, start) for hand, start in zip(HANDS, starts)]
        for hand, task in zip(HANDS, self.tasks):
            task.configure(hand, "soft", HAND_WEIGHT, HAND_WEIGHT)
            for part in (task.position(), task.orientation()):
                part.kp, part.kd = HAND_STIFFNESS, 2 * math.sqrt(HAND_STIFFNESS)
        posture = self.solver.add_joints_task()
        posture.set_joints(joints())
        posture.configure("posture", "soft", self.posture_weight)
        posture.kp, posture.kd = POSTURE_STIFFNESS, 2 * math.sqrt(POSTURE_STIFFNESS)

    def refer(self, task, start, t):
        displacement, velocity, acceleration = circle(t)
        position = task.position()
        position.target_world = start[:3, 3] + displacement
        position.dtarget_world = velocity
        position.ddtarget_world = acceleration

    def solve(self):
        return self.solver.solve(True)

    def succeeded(self, solution):
        return solution.success and bool(np.all(np.isfinite(solution.tau)))


def measure(urdf, tick_type):
    robot = placo.RobotWrapper(urdf, placo.Flags.ignore_collisions)
    for joint, angle in joints().items():
        robot.set_joint(joint, angle)
    robot.update_kinematics()
    starts = [robot.get_T_world_frame(hand) for hand in HANDS]
    tick = tick_type(robot, starts)

    samples, largest_error = [], 0.0
    for k in range(WARM_UP + TICKS):
        t = k * STEP
        for task, start in zip(tick.tasks, starts):
            tick.refer(task, start, t)
        if k >= WARM_UP and k % 100 == 0:
            robot.update_kinematics()
            for hand, start in zip(HANDS, starts):
                error = robot.get_T_world_frame(hand)[:3, 3] - start[:3, 3] - circle(t)[0]
                largest_error = max(largest_error, float(np.linalg.norm(error)))
        begin = time.perf_counter_ns()
        robot.update_kinematics()
        solution = tick.solve()
        end = time.perf_counter_ns()
        if not tick.succeeded(solution):
            raise RuntimeError(f"tick {k}: the solver found no solution")
        if k >= WARM_UP:
            samples.append((end - begin) / 1e3)

    empty = []
    for _ in range(TICKS):
        begin = time.perf_counter_ns()
        tick.solver.tasks_count()
        tick.solver.tasks_count()
        empty.append((time.perf_counter_ns() - begin) / 1e3)

    return {"median_us": quantile(samples, 0.5), "p99_us": quantile(samples, 0.99), "n": len(samples),
            "name": f"placo {version('placo')}, {tick.name}", "tracking_mm": 1e3 * largest_error,
            "overhead_us": statistics.median(empty)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dynamics", action="store_true")
    parser.add_argument("urdf")
    arguments = parser.parse_args()
    try:
        result = measure(arguments.urdf, Dynamics if arguments.dynamics else Kinematics)
    except Exception as error:  # whatever it is, whoever ran this is to read it in one line
        sys.exit(f"placo_tick: {error}")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
