"""What the documents say of Python, run as it stands there."""

import contextlib
import io
import json
import os
import re
import unittest
from pathlib import Path

import handspan
from support import ROOT, Case, folder, program


def examples(document: str) -> list[str]:
    """The blocks of Python of a document, in their order."""
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / document).read_text(), re.MULTILINE | re.DOTALL)


def run(text: str, name: str, names: dict[str, object] | None = None) -> tuple[str, dict[str, object]]:
    """Runs code in a folder of its own, where no app lies. What it printed, and its variables."""
    names = {} if names is None else names
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(text, name, "exec"), names)  # noqa: S102
    return said.getvalue(), names


class DocsTest(Case):
    def setUp(self):
        self.back = Path.cwd()
        os.chdir(folder())

    def tearDown(self):
        os.chdir(self.back)

    def test_the_readme_lifts_a_box(self):
        (example,) = examples("README.md")
        self.assertLessEqual(len(example.splitlines()), 20)
        said, _ = run(example, "README.md")
        high = float(re.search(r"the box is ([\d.]+) m high", said)[1])
        pressed = float(re.search(r"presses with (\d+) N", said)[1])
        self.assertTrue(0.45 < high < 0.52, said)
        self.assertTrue(20 < pressed < 80, said)
        verified = program("replay", folder() / "grab.mcap", "--verify")
        self.assertIn("the same bits", verified.stdout + verified.stderr)

    def test_the_examples_of_the_page_run(self):
        logs, gym, wrong = examples("docs/python.md")
        said, names = run(logs, "docs/python.md, logs")
        self.assertIn("grab 4.0", said)
        self.assertEqual(names["q"].shape, (len(names["time"]), 7))
        self.assertEqual(len(names["table"]), 400)
        said, names = run(gym, "docs/python.md, gym")
        self.assertEqual(names["observation"].shape, (21,))
        said, _ = run(wrong, "docs/python.md, wrong")
        self.assertIn("did you mean", said)

    def test_the_notebook_lifts_a_box(self):
        cells = json.loads((ROOT / "docs/notebooks/grab.ipynb").read_text())["cells"]
        names: dict[str, object] = {}
        for number, cell in enumerate(cells):
            if cell["cell_type"] == "code":
                run("".join(cell["source"]), f"grab.ipynb, cell {number}", names)
                self.assertEqual(cell["outputs"], [], "outputs are not committed")
        self.assertGreater(names["lifted"], 0.15)
        self.assertEqual([e.outcome for e in names["log"].episodes], ["success"])
        self.assertEqual([e.task for e in names["log"].episodes], ["lift the box"])


class StubTest(unittest.TestCase):
    def test_the_extension_has_stubs_of_all_that_it_has(self):
        stub = (Path(handspan._handspan.__file__).parent / "_handspan.pyi").read_text()
        for name in ("class App", "class Session", "class LogFile", "class Series", "class InputError", "def check_log"):
            self.assertIn(name, stub)
        self.assertIn("def tick(self, n: int = 1) -> None", stub)


if __name__ == "__main__":
    unittest.main()
