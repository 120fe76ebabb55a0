"""Prints what the Python packages mcap and mcap-ros2-support read in a log, as one JSON value.

dump.py FILE
"""

import json
import sys

from mcap.reader import NonSeekingReader, SeekingReader
from mcap_ros2.decoder import DecoderFactory


def plain(value):
    if hasattr(value, "__slots__") and not isinstance(value, (bytes, str, int, float)):
        return {name.lstrip("_"): plain(getattr(value, name)) for name in value.__slots__}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return list(value)
    if isinstance(value, (str, int, float, bool)):
        return value
    return [plain(element) for element in value]


def messages(reader):
    return [
        {
            "topic": channel.topic,
            "type": schema.name,
            "metadata": channel.metadata,
            "sequence": message.sequence,
            "log_time": message.log_time,
            "publish_time": message.publish_time,
            "message": plain(decoded),
        }
        for schema, channel, message, decoded in reader.iter_decoded_messages()
    ]


with open(sys.argv[1], "rb") as file:
    options = {"validate_crcs": True, "decoder_factories": [DecoderFactory()]}
    by_index = SeekingReader(file, **options)
    header, summary = by_index.get_header(), by_index.get_summary()
    result = {
        "profile": header.profile,
        "library": header.library,
        "chunks": summary.statistics.chunk_count,
        "count": summary.statistics.message_count,
        "messages": messages(by_index),
        "attachments": [
            {"name": a.name, "media_type": a.media_type, "create_time": a.create_time, "data": list(a.data)}
            for a in by_index.iter_attachments()
        ],
        "metadata": [{"name": m.name, "metadata": m.metadata} for m in by_index.iter_metadata()],
    }
    file.seek(0)
    result["streamed"] = messages(NonSeekingReader(file, **options))
json.dump(result, sys.stdout)
