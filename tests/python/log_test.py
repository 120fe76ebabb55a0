"""Logs as arrays and tables, and what is wrong with them."""

import csv
import unittest

import handspan
import numpy as np
from support import Case, folder, grab_log, program


class LogTest(Case):
    @classmethod
    def setUpClass(cls):
        cls.log = handspan.Log(grab_log())

    def test_it_says_what_it_is_of(self):
        self.assertEqual(self.log.about["app"], "grab")
        self.assertEqual((self.log.first_tick, self.log.damage), (0, ""))
        self.assertAlmostEqual(self.log.duration, 0.5, places=6)
        self.assertEqual(handspan.check_log(grab_log()), "")
        self.assertIn("authority", {event.kind for event in self.log.events})

    def test_arrays_are_what_the_command_exports(self):
        out = folder() / "csv"
        exported = program("export", grab_log(), "--to", "csv", "--out", out)
        self.assertEqual(exported.returncode, 0, exported.stderr)
        for name in ("left.arm.q", "left.arm.tau", "control.left.v", "reference.left_hand.pose", "left.wrist.wrench"):
            with self.subTest(name):
                channel = self.log[name]
                with open(out / f"{name}.csv") as file:
                    head, *rows = list(csv.reader(file))
                first = next(i for i, text in enumerate(head) if text.startswith(channel.columns[0]))
                values = np.array([[float(x) for x in row[first : first + len(channel.columns)]] for row in rows])
                self.assertEqual(channel.values.shape, values.shape)
                self.assertLess(np.abs(channel.values - values).max(), 1e-9)
                times = np.array([float(row[head.index("time [s]")]) for row in rows])
                self.assertLess(np.abs(channel.time - times).max(), 1e-9)

    def test_arrays_are_what_another_reader_of_ros_messages_has(self):
        try:
            from mcap_ros2.reader import read_ros2_messages
        except ImportError as error:
            self.skipTest(f"{error}; tools/setup --test")
        topics = {"/left/arm/joint_states": [], "/control/left/joint_states": [], "/left/wrist/wrench": [],
                  "/reference/left_hand/pose": [], "/task/left_hand/error": []}  # fmt: skip
        for message in read_ros2_messages(str(grab_log()), topics=list(topics)):
            rows = topics[message.channel.topic]
            # key frames repeat what was recorded at that tick already
            if not rows or rows[-1][0] != message.log_time_ns:
                rows.append((message.log_time_ns, message.ros_msg))
        xyz = lambda v: [v.x, v.y, v.z]  # noqa: E731
        for topic, name, values in [
            ("/left/arm/joint_states", "left.arm.q", lambda m: m.position),
            ("/left/arm/joint_states", "left.arm.v", lambda m: m.velocity),
            ("/left/arm/joint_states", "left.arm.tau", lambda m: m.effort),
            ("/control/left/joint_states", "control.left.v", lambda m: m.velocity),
            ("/left/wrist/wrench", "left.wrist.wrench", lambda m: xyz(m.wrench.force) + xyz(m.wrench.torque)),
            ("/reference/left_hand/pose", "reference.left_hand.pose",
             lambda m: xyz(m.pose.position) + xyz(m.pose.orientation) + [m.pose.orientation.w]),
            ("/task/left_hand/error", "task.left_hand.error", lambda m: m.values),
        ]:  # fmt: skip
            with self.subTest(name):
                channel = self.log[name]
                self.assertEqual(channel.values.tolist(), [list(values(m)) for _, m in topics[topic]])
                self.assertLess(np.abs(channel.time - [t * 1e-9 for t, _ in topics[topic]]).max(), 1e-9)

    def test_a_channel_has_times_values_units_and_words(self):
        time, q = self.log["left.arm.q"]
        self.assertEqual(q.shape, (len(time), 7))
        self.assertTrue((np.diff(time) > 0).all())
        mode = self.log["mode.both"]
        self.assertEqual(mode.words[0], "initial")
        self.assertEqual(mode.words[-1], "setup")
        self.assertEqual(mode.values.dtype, np.int64)
        holding = self.log["reference.left_hand.holding"]
        self.assertEqual((holding.values.dtype, holding.values.ndim), (bool, 1))
        # without a copy: the array is the reader's memory
        self.assertIsNotNone(self.log["left.arm.q"].values.base)
        change = mode.time[np.flatnonzero(np.diff(mode.values))[0] + 1]
        self.assertEqual(mode.choices[mode.at(change)], "setup")
        self.assertEqual(mode.choices[mode.at(change - 1e-6)], "initial")

    def test_several_are_read_at_once_by_pattern(self):
        read = self.log.read(["left.arm.?", "left.arm.tau", "mode.both"])
        self.assertEqual(sorted(read), ["left.arm.q", "left.arm.tau", "left.arm.v", "mode.both"])
        self.assertEqual(read["left.arm.q"].values.tobytes(), self.log["left.arm.q"].values.tobytes())
        every = self.log.read()
        self.assertEqual(sorted(every), sorted(self.log.channels))
        self.assertEqual({n: c.values.shape[1] if c.values.ndim == 2 else 1 for n, c in every.items()},
                         {n: info.size for n, info in self.log.channels.items()})  # fmt: skip
        self.assertEqual(self.log.read([]), {})

    def test_a_table_holds_what_does_not_change(self):
        table = self.log.dataframe(["left.arm.q", "mode.both"], rate=100)
        self.assertEqual(len(table), 50)
        self.assertAlmostEqual(table.index[1] - table.index[0], 0.01)
        self.assertEqual(len(table.columns), 8)
        self.assertEqual(str(table["mode.both"].iloc[-1]), "setup")
        column = table[f"left.arm.q.{self.log['left.arm.q'].columns[2]}"]
        self.assertEqual(column.to_numpy().tolist(), self.log["left.arm.q"].at(table.index)[:, 2].tolist())
        whole = self.log.dataframe(["left.arm.q", "mode.both"])
        self.assertEqual(len(whole), len(np.union1d(self.log["left.arm.q"].ticks, self.log["mode.both"].ticks)))
        self.assertFalse(whole.iloc[1:].isna().any().any())

    def test_episodes_are_parts_of_it(self):
        file = folder() / "episodes.mcap"
        with handspan.App("apps/hold.yaml").session(record=file) as session:
            session.run(0.1)
            session.episode("start", "hold it")
            session.run(0.2)
            session.episode("success")
            session.run(0.1)
        log = handspan.Log(file)
        self.assertEqual([(e.task, e.outcome) for e in log.episodes], [("hold it", "success")])
        table = log.dataframe("left.arm.q", rate=50, episode=1)
        self.assertAlmostEqual(table.index[0], 0.1, places=2)
        self.assertEqual(len(table), 11)
        with self.refused("no episode 2", "it has 1"):
            log.dataframe(episode=2)


class RefusedTest(Case):
    def test_what_is_not_there_or_no_log(self):
        with self.refused("away.mcap"):
            handspan.Log(folder() / "away.mcap")
        file = folder() / "text.mcap"
        file.write_text("no log at all")
        with self.refused("text.mcap", "MCAP"):
            handspan.Log(file)

    def test_channels_patterns_and_rates(self):
        log = handspan.Log(grab_log())
        with self.refused("grab.mcap", "there is no channel 'left.arm.qq'", "did you mean 'left.arm.q'"):
            log["left.arm.qq"]
        with self.refused("no channel matches 'middle.*'"):
            log.read("middle.*")
        with self.refused("rate is 0 Hz", "it must be above 0"):
            log.dataframe("left.arm.q", rate=0)
        with self.refused("rate is 1000000.0 Hz", "at most"):
            log.dataframe("left.arm.q", rate=1e6)
        with self.refused("left.arm.q: there is no value at -1.0 s"):
            log["left.arm.q"].at([-1.0])
        with self.refused("left.arm.q", "has no words"):
            log["left.arm.q"].words

    def test_one_that_is_cut_has_what_came_before_and_says_so(self):
        whole = grab_log().read_bytes()
        file = folder() / "cut.mcap"
        file.write_bytes(whole[: len(whole) * 2 // 3])
        log = handspan.Log(file)
        self.assertIn("byte", log.damage)
        self.assertIn("lost", handspan.check_log(file))
        self.assertGreater(len(whole), 2 * len(log.read()))

    def test_a_wrong_byte_is_found_where_it_is_read(self):
        whole = grab_log().read_bytes()
        file = folder() / "wrong_byte.mcap"
        refused = 0
        for part in range(2, 9):
            wrong = bytearray(whole)
            wrong[len(whole) * part // 10] ^= 0xFF
            file.write_bytes(wrong)
            self.assertIn("byte", handspan.check_log(file), part)
            try:
                handspan.Log(file).read()
            except handspan.InputError as error:
                refused += 1
                self.assertIn("wrong_byte.mcap", str(error))
                self.assertIn("byte", str(error))
        # the others are in what no channel is in: the app's files, key frames
        self.assertGreater(refused, 0)

    def test_one_of_another_version(self):
        whole = grab_log().read_bytes()
        version = handspan.Log(grab_log()).about["format"].encode()
        file = folder() / "version.mcap"
        # its metadata has no checksum then, as that of older logs
        other = whole.replace(b"format\x01\x00\x00\x00" + version, b"format\x01\x00\x00\x00" + b"7")
        file.write_bytes(other.replace(b"checksum", b"checksux"))
        with self.refused("version.mcap: its format is '7'; this handspan reads format"):
            handspan.Log(file)


if __name__ == "__main__":
    unittest.main()
