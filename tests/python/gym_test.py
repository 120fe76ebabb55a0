"""An app as an environment of Gymnasium."""

import unittest
import warnings

import handspan
import numpy as np
from support import GRAB, STREAMS, Case

try:
    from gymnasium.utils.env_checker import check_env
    from handspan.gym import Env
except ImportError as error:
    raise unittest.SkipTest(f"Gymnasium is not there ({error}); tools/setup --python") from None

OBSERVATIONS = ["measured.left_hand.pose", "measured.right_hand.pose", "object.box.pose", "mode.both"]


def ready(session: handspan.Session) -> None:
    while session["mode.both"] != "teleoperation":
        session.tick(50)


class EnvTest(Case):
    @classmethod
    def setUpClass(cls):
        cls.env = Env(
            handspan.App(GRAB, streams=STREAMS),
            observations=OBSERVATIONS,
            actions=["left_hand", "right_hand"],
            rate=20,
            duration=1.0,
            start=ready,
            reward=lambda session: -float(np.linalg.norm(session["measured.left_hand.pose"][:3])),
        )

    def test_gymnasium_finds_nothing_wrong_with_it(self):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            check_env(self.env, skip_render_check=True)
        wrong = [str(w.message) for w in said if "infinity" not in str(w.message) and "normalized" not in str(w.message)]
        self.assertEqual(wrong, [])

    def test_a_step_moves_the_hand_as_far_as_it_says_and_a_reset_takes_it_back(self):
        first, _ = self.env.reset()
        self.assertEqual(first.shape, (22,))
        up = np.zeros(12)
        up[2] = 0.5
        for k in range(20):
            after, reward, terminated, truncated, info = self.env.step(up)
            self.assertEqual((terminated, truncated), (False, k == 19))
        # twenty steps of 1 cm, which the arm follows a little later
        self.assertGreater(after[2] - first[2], 0.15)
        self.assertLess(after[2] - first[2], 0.21)
        self.assertLess(np.abs(after[7:10] - first[7:10]).max(), 0.01)
        self.assertAlmostEqual(reward, -np.linalg.norm(after[:3]))
        self.assertIsNone(info["holds"]["left_hand"])
        again, _ = self.env.reset()
        self.assertEqual(first.tobytes(), again.tobytes())

    def test_absolute_actions_are_poses(self):
        env = Env(handspan.App(GRAB, streams=STREAMS), observations=OBSERVATIONS, actions=["left_hand", "right_hand"],
                  absolute=True, start=ready)  # fmt: skip
        first, _ = env.reset()
        for _ in range(30):
            after, *_ = env.step(np.concatenate([first[:7] + [0, 0, 0.05, 0, 0, 0, 0], first[7:14]]))
        self.assertLess(abs(after[2] - first[2] - 0.05), 0.005)

    def test_what_is_wrong_is_refused(self):
        app = handspan.App(GRAB, streams=STREAMS)

        def env(**changed):
            return Env(app, **({"observations": OBSERVATIONS, "actions": ["left_hand"]} | changed))

        with self.refused("there is no channel 'object.bax.pose'", "did you mean"):
            env(observations=["object.bax.pose"])
        with self.refused("there is no reference 'left'"):
            env(actions=["left"])
        with self.refused("actions", "at least one"):
            env(actions=[])
        with self.refused("rate is 300", "whole number of ticks"):
            env(rate=300)
        self.env.reset()
        with self.refused("action has the shape (3,)", "(12,)"):
            self.env.step(np.zeros(3))
        with self.refused("action[1] is nan"):
            self.env.step(np.array([0, np.nan] + [0] * 10))


if __name__ == "__main__":
    unittest.main()
