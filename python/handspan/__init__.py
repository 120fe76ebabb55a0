"""Robot teleoperation from Python: logs as arrays, apps that are stepped tick by tick.

>>> import handspan
>>> with handspan.App("apps/grab.yaml").session(record="grab.mcap") as session:
...     session.run(9.0)
>>> time, force = handspan.Log("grab.mcap")["left.wrist.wrench"]

docs/python.md has all of it. Times are in seconds, lengths in metres, angles in radians, quaternions
x y z w. What is wrong with a file, a name or an array is an InputError, with the words of the command
line.
"""

import os as _os
from pathlib import Path as _Path

# a wheel has the robots, scenes and apps beside this file
_share = _Path(__file__).resolve().parent / "share"
if _share.is_dir():
    _os.environ.setdefault("HANDSPAN_DATA_DIR", str(_share))

try:
    from ._handspan import ChannelInfo, ConfigError, InputError, check_log, data_folder
except ImportError as error:
    if ".so" not in str(error):
        raise
    raise ImportError(
        f"{error}; a library of the system is missing: on Debian 12 as root, apt-get install libyaml-cpp0.7 "
        "libfmt9 libfastcdr1 libhdf5-103-1 libsdl2-2.0-0 libpng16-16 libegl1 libopengl0 libegl-mesa0 libgl1-mesa-dri"
    ) from error

from .app import App, Session
from .log import Channel, Log

__all__ = [
    "App", "Channel", "ChannelInfo", "ConfigError", "InputError", "Log", "Session", "check_log", "data_folder",
]  # fmt: skip
