"""Apps that Python loads, steps and moves."""

import threading
import time
import unittest

import handspan
import numpy as np
from handspan.poses import quaternion_of, rotation_of, turned
from support import GRAB, ROOT, STREAMS, Case, folder, program


def ready(session: handspan.Session) -> None:
    """Ticks until the hands of the grab may be moved."""
    while session["mode.both"] != "teleoperation":
        session.tick(50)
        assert session.time < 10, session["mode.both"]


class SessionTest(Case):
    @classmethod
    def setUpClass(cls):
        cls.app = handspan.App(GRAB, streams=STREAMS)

    def test_steps_tick_by_tick(self):
        session = self.app.session()
        self.assertEqual((session.ticks, session.time), (0, 0.0))
        for _ in range(3):
            session.tick()
        session.run(0.0125)
        # to the nearest tick
        self.assertIn(session.ticks, (15, 16))
        self.assertAlmostEqual(session.time, session.ticks * session.base_period)

    def test_a_channel_is_a_number_a_word_or_an_array_and_a_view_changes_with_ticks(self):
        session = self.app.session()
        session.tick(10)
        self.assertEqual(session["mode.both"], "initial")
        self.assertIsInstance(session["reference.left_hand.holding"], bool)
        q, view = session["left.arm.q"], session.view("left.arm.q")
        self.assertEqual((q.shape, q.dtype), ((7,), np.float64))
        self.assertEqual(q.tolist(), view.tolist())
        self.assertFalse(view.flags.writeable)
        before = session["measured.left_hand.pose"]
        pose = session.view("measured.left_hand.pose")
        session.run(1.0)
        self.assertGreater(np.abs(before - session["measured.left_hand.pose"]).max(), 1e-3)
        self.assertEqual(pose.tolist(), session["measured.left_hand.pose"].tolist())
        self.assertEqual(session.channels["left.arm.q"].unit, "rad")
        both = session.stack(["left.arm.q", "mode.both"])
        self.assertEqual(both[:7].tolist(), session["left.arm.q"].tolist())
        self.assertEqual(session.channels["mode.both"].choices[int(both[7])], session["mode.both"])
        # it lives as long as somebody looks at it
        del session
        self.assertEqual(pose.shape, (7,))

    def test_a_hand_goes_where_python_sets_it_and_the_log_runs_again(self):
        file = folder() / "moved.mcap"
        with self.app.session(record=file) as session:
            ready(session)
            self.assertIn("nothing has come", session.holds["left_hand"])
            start = session["measured.left_hand.pose"]
            goal = start + [0, 0.05, 0.1, 0, 0, 0, 0]
            # the app holds both while one of them has nothing to follow
            session.set_reference("left_hand", goal)
            session.run(0.1)
            self.assertIn("holds together with right_hand", session.holds["left_hand"])
            session.set_reference("right_hand", session["measured.right_hand.pose"])
            session.run(2.0)
            self.assertLess(np.linalg.norm(session["measured.left_hand.pose"][:3] - goal[:3]), 0.01)
            self.assertIsNone(session.holds["left_hand"])
            # a matrix and a row with a time are the same pose
            matrix = np.eye(4)
            matrix[:3, 3], matrix[:3, :3] = start[:3], rotation_of(start[3:])
            session.set_reference("left_hand", matrix)
            session.run(1.5)
            self.assertLess(np.linalg.norm(session["measured.left_hand.pose"][:3] - start[:3]), 0.01)
            session.set_reference("left_hand", [[0.5 * k, *(start + [0, 0, 0.02 * k, 0, 0, 0, 0])] for k in range(3)])
            session.run(1.5)
            self.assertLess(abs(session["measured.left_hand.pose"][2] - start[2] - 0.04), 0.01)
            end = session["left.arm.q"]
        verified = program("replay", file, "--verify")
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        self.assertIn("the same bits", verified.stdout)
        log = handspan.Log(file)
        self.assertLess(np.abs(log["left.arm.q"].values[-1] - end).max(), 1e-3)
        self.assertEqual(len([e for e in log.events if e.kind == "fault"]), 0)

    def test_the_same_seed_gives_the_same_bits_and_a_snapshot_goes_on_to_them(self):
        one, other = self.app.session(), self.app.session()
        one.tick(300)
        snapshot = one.snapshot()
        one.tick(200)
        other.tick(500)
        self.assertEqual(one["left.arm.q"].tobytes(), other["left.arm.q"].tobytes())
        other.restore(snapshot)
        self.assertEqual(other.ticks, 300)
        other.tick(200)
        self.assertEqual(one["left.arm.q"].tobytes(), other["left.arm.q"].tobytes())

    def test_live_parameters_are_read_and_set(self):
        session = self.app.session(parameters={"task.left_hand.stiffness": 90})
        # it goes there along a ramp
        session.run(0.6)
        self.assertAlmostEqual(session.parameters["task.left_hand.stiffness"], 90)
        session.set_parameter("task.left_hand.stiffness", 110)
        session.run(0.6)
        self.assertAlmostEqual(session.parameters["task.left_hand.stiffness"], 110)

    def test_other_threads_run_while_ticks_do_and_may_not_use_the_session(self):
        session = self.app.session()
        counted, refused, done = [], [], threading.Event()

        def others():
            while not done.is_set():
                counted.append(1)
                try:
                    session["mode.both"]
                except RuntimeError as error:
                    refused.append(str(error))
                time.sleep(0.001)

        thread = threading.Thread(target=others)
        thread.start()
        try:
            session.tick(1500)
        finally:
            done.set()
            thread.join()
        self.assertGreater(len(counted), 3)
        self.assertTrue(any("ticks in another thread" in text for text in refused), refused[:1])

    def test_control_c_ends_a_long_tick_between_two_of_them(self):
        import signal

        session = self.app.session()
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            with self.assertRaises(KeyboardInterrupt):
                session.tick(10_000_000)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler)
        at = session.ticks
        self.assertGreater(at, 0)
        session.tick(5)
        self.assertEqual(session.ticks, at + 5)

    def test_a_picture_is_drawn(self):
        file = folder() / "scene.png"
        self.app.session().picture(file, size=(160, 90))
        self.assertEqual(file.read_bytes()[:4], b"\x89PNG")


class RefusedTest(Case):
    @classmethod
    def setUpClass(cls):
        cls.session = handspan.App(GRAB, streams=STREAMS).session()

    def test_an_app_that_is_not_there(self):
        with self.refused("apps/grap.yaml", "the file does not exist", "correct its name"):
            handspan.App("apps/grap.yaml")

    def test_an_app_with_a_wrong_key_is_a_config_error_with_its_place(self):
        file = folder() / "wrong.yaml"
        file.write_text(f"name: wrong\nscene: {ROOT}/scenes/hold.yaml\nduratoin: 3 s\n")
        with self.assertRaises(handspan.ConfigError) as raised:
            handspan.App(file)
        self.assertIn("wrong.yaml:3: unknown key 'duratoin'; did you mean 'duration'?", str(raised.exception))

    def test_a_parameter_or_a_stream_that_leads_nowhere(self):
        with self.refused("scene.objects.bax.mass", "box"):
            handspan.App(GRAB, parameters={"scene.objects.bax.mass": 0.6})
        with self.refused("left_persn", "did you mean", "left_person"):
            handspan.App(GRAB, streams=["left_persn"])
        with self.refused("seed is -1"):
            handspan.App(GRAB, seed=-1)

    def test_channels_that_are_not_there(self):
        with self.refused("left.arm.p", "did you mean 'left.arm.q'"):
            self.session["left.arm.p"]
        with self.refused("mode.both", "type choice"):
            self.session.view("mode.both")

    def test_references_that_are_not_there_or_that_python_does_not_move(self):
        pose = [0, 0, 0, 0, 0, 0, 1]
        with self.refused("there is no reference 'left_hnd'", "did you mean 'left_hand'"):
            self.session.set_reference("left_hnd", pose)
        plain = handspan.App(GRAB).session()
        with self.refused("left_hand", "of kind pose", "streams="):
            plain.set_reference("left_hand", pose)
        with self.refused("'right_person'", "left_hand", "left_person"):
            self.session.set_reference("left_hand", pose, source="right_person")

    def test_arrays_of_a_wrong_shape_or_with_wrong_numbers(self):
        def refused(pose, *words):
            with self.refused("reference left_hand", *words):
                self.session.set_reference("left_hand", pose)

        nan, row = float("nan"), [0, 0, 0, 0, 0, 0, 0, 1]
        refused([0, 0, 0], "shape (3,)", "(7)")
        refused(np.zeros((2, 7)), "shape (2, 7)")
        refused("here", "no array of numbers")
        refused([0, 0, nan, 0, 0, 0, 1], "pose[2] is nan", "must be finite")
        refused([row, [1, 0, 0, 0, 0, 0, 0, float("inf")]], "pose[1, 7] is inf")
        refused([0, 0, 0, 0, 0, 0, 0], "quaternion of pose[0] is zero", "0 0 0 1")
        refused([row, row], "time of pose[1] is 0.0 s", "times rise")
        refused(np.zeros((33, 8)) + np.arange(33)[:, None] + 1, "33 poses", "at most 32")
        refused(2 * np.eye(4), "the matrix is no pose", "rotation")
        refused(np.diag([1, 1, -1, 1]), "the matrix is no pose")

    def test_more_inputs_than_a_tick_takes(self):
        session = handspan.App(GRAB, streams=STREAMS).session()
        with self.refused("left_person", "too many inputs", "tick() between them"):
            for _ in range(100):
                session.set_reference("left_hand", [0.6, 0.5, 0.5, 0, 0, 0, 1])

    def test_parameters_ticks_marks_and_times(self):
        with self.refused("task.left_hand.stifness", "did you mean"):
            self.session.set_parameter("task.left_hand.stifness", 1)
        with self.refused("task.left_hand.stiffness is -1", "it must be"):
            self.session.set_parameter("task.left_hand.stiffness", -1)
        with self.refused("task.left_hand.stiffness is nan"):
            self.session.set_parameter("task.left_hand.stiffness", float("nan"))
        with self.refused("tick(-1)"):
            self.session.tick(-1)
        with self.refused("run(nan)"):
            self.session.run(float("nan"))
        with self.refused("episode('won')", "success"):
            self.session.episode("won")
        with self.refused("view 'bottom'"):
            self.session.picture(folder() / "x.png", view="bottom")

    def test_a_recording_over_a_file_of_somebody_else(self):
        file = folder() / "mine.txt"
        file.write_text("mine")
        with self.refused("mine.txt", "did not write", "name another file"):
            handspan.App(GRAB).session(record=file)

    def test_a_snapshot_of_something_else_and_a_closed_session(self):
        with self.refused(""):
            handspan.App(GRAB).session().restore(b"nothing")
        session = handspan.App(GRAB).session()
        session.close()
        session.close()
        with self.refused("the session is closed"):
            session.tick()


class PosesTest(unittest.TestCase):
    def test_a_rotation_matrix_and_its_quaternion_are_the_same_turn(self):
        random = np.random.default_rng(7)
        for _ in range(200):
            q = random.normal(size=4)
            q /= np.linalg.norm(q)
            q = q if q[3] >= 0 else -q
            matrix = rotation_of(q)
            self.assertLess(np.abs(matrix @ matrix.T - np.eye(3)).max(), 1e-14)
            self.assertLess(np.abs(quaternion_of(matrix) - q).max(), 1e-14)

    def test_a_quarter_turn_about_z_takes_x_to_y(self):
        q = turned([0, 0, 0, 1], [0, 0, np.pi / 2])
        self.assertLess(np.abs(rotation_of(q) @ [1, 0, 0] - [0, 1, 0]).max(), 1e-15)
        # and then one about the world's x takes that y to z
        self.assertLess(np.abs(rotation_of(turned(q, [np.pi / 2, 0, 0])) @ [1, 0, 0] - [0, 0, 1]).max(), 1e-15)


if __name__ == "__main__":
    unittest.main()
