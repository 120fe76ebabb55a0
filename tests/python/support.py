"""What the tests of the Python package share: where the tree is, a folder of their own, one log of a grab."""

import functools
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import handspan

ROOT = Path(os.environ["HANDSPAN_SOURCE_DIR"])
BINARY = os.environ["HANDSPAN_BINARY"]
GRAB = ROOT / "apps/grab.yaml"
STREAMS = ["left_person", "right_person"]
_folder = tempfile.TemporaryDirectory(prefix="handspan-python-")


def folder() -> Path:
    """Of this process."""
    return Path(_folder.name)


def program(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The command handspan with these arguments."""
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, cwd=folder(), check=False)


@functools.cache
def grab_log() -> Path:
    """Half a second of a scripted grab, every channel at every tick."""
    file = folder() / "grab.mcap"
    with handspan.App(GRAB).session(record=file, full=True) as session:
        session.run(0.5)
    return file


class Case(unittest.TestCase):
    """A test that pins what an error says."""

    def refused(self, *words: str):
        """An InputError whose message has all of these words."""
        case = self

        class Refused:
            def __enter__(self):
                return self

            def __exit__(self, kind, error, trace):
                case.assertIsNotNone(error, "nothing was refused")
                case.assertIsInstance(error, handspan.InputError, error)
                for word in words:
                    case.assertIn(word, str(error))
                return True

        return Refused()
