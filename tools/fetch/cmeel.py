"""Stands in for the build backend of that name while tools/setup fetches a source package.

`pip download` asks a source package's backend for its metadata, and the real cmeel compiles the whole library to answer.
Only the file is wanted here, so this answers with what pip checks: name and version.
"""

import pathlib
import re


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    project = pathlib.Path("pyproject.toml").read_text()
    name, version = (re.search(rf'^{key} = "(.+)"$', project, re.M)[1] for key in ("name", "version"))
    folder = f"{name}-{version}.dist-info"
    place = pathlib.Path(metadata_directory) / folder
    place.mkdir()
    text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (place / "METADATA").write_text(text)
    return folder


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    raise NotImplementedError("this only fetches; tools/setup builds")
