"""Writes a log with the Python packages, as others do: 300 joint states of /joints and 300 words of /words,
10 ms apart from 1 s on; an attachment and metadata where there is an index.

write.py FILE zstd|lz4|plain|unchunked|bare|unchunked_bare|defaults
  plain: chunks without compression; bare: zstd without summary; defaults: mcap-ros2-support's own writer
"""

import sys

from mcap.writer import CompressionType, IndexType, Writer
from mcap_ros2._dynamic import serialize_dynamic
from mcap_ros2.writer import Writer as Ros2Writer

LINE = "=" * 80
JOINTS = f"""std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
{LINE}
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
{LINE}
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""
WORDS = "string data\n"


def rows():
    for i in range(300):
        stamp = 1_000_000_000 + 10_000_000 * i
        header = {"stamp": {"sec": stamp // 10**9, "nanosec": stamp % 10**9}, "frame_id": "world"}
        yield stamp, i, {
            "header": header,
            "name": ["a", "bc"],
            "position": [0.1 * i, -float(i)],
            "velocity": [1.5],
            "effort": [],
        }, {"data": f"word {i}"}


path, kind = sys.argv[1:]
if kind == "defaults":
    with open(path, "wb") as file:
        writer = Ros2Writer(file)
        joints = writer.register_msgdef("sensor_msgs/msg/JointState", JOINTS)
        words = writer.register_msgdef("std_msgs/msg/String", WORDS)
        for stamp, i, joint, word in rows():
            writer.write_message("/joints", joints, joint, log_time=stamp, publish_time=stamp - 1, sequence=i)
            writer.write_message("/words", words, word, log_time=stamp, publish_time=stamp - 1, sequence=i)
        writer.finish()
    sys.exit()

bare = kind.endswith("bare")
with open(path, "wb") as file:
    writer = Writer(
        file,
        chunk_size=4096,
        compression={"lz4": CompressionType.LZ4, "plain": CompressionType.NONE}.get(kind, CompressionType.ZSTD),
        index_types=IndexType.NONE if bare else IndexType.ALL,
        repeat_channels=not bare,
        repeat_schemas=not bare,
        use_chunking=not kind.startswith("unchunked"),
        use_statistics=not bare,
        use_summary_offsets=not bare,
    )
    writer.start(profile="ros2", library="python")
    encoders, channels = {}, {}
    for topic, name, text in (("/joints", "sensor_msgs/msg/JointState", JOINTS), ("/words", "std_msgs/msg/String", WORDS)):
        schema = writer.register_schema(name, "ros2msg", text.encode())
        channels[topic] = writer.register_channel(topic, "cdr", schema, {"of": "python"})
        encoders[topic] = serialize_dynamic(name, text)[name]
    for stamp, i, joint, word in rows():
        for topic, message in (("/joints", joint), ("/words", word)):
            data = encoders[topic](message)
            writer.add_message(channels[topic], stamp, data, stamp - 1, i)
    writer.add_attachment(5, 6, "app.yaml", "application/yaml", b"name: x\n")
    writer.add_metadata("build", {"compiler": "g++", "flags": ""})
    writer.finish()
