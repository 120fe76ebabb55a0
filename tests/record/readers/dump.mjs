// Prints what @mcap/core and Foxglove's ROS 2 reader read in a log, as one JSON value: node dump.mjs FILE
import { McapIndexedReader, McapStreamReader } from "@mcap/core";
import { parse } from "@foxglove/rosmsg";
import { MessageReader } from "@foxglove/rosmsg2-serialization";
import { decompress } from "fzstd";
import { readFileSync } from "node:fs";

const bytes = new Uint8Array(readFileSync(process.argv[2]));
const decompressHandlers = {
  zstd: (buffer, size) => decompress(new Uint8Array(buffer), new Uint8Array(Number(size))),
};
const readable = {
  size: async () => BigInt(bytes.byteLength),
  read: async (offset, length) => bytes.subarray(Number(offset), Number(offset) + Number(length)),
};

const plain = (value) => {
  if (typeof value === "bigint") return value.toString();
  if (ArrayBuffer.isView(value) || Array.isArray(value)) return Array.from(value, plain);
  if (value instanceof Map) return Object.fromEntries(value);
  if (value !== null && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
  return value;
};

const decoders = new Map();
const shown = (schema, channel, message) => {
  if (!decoders.has(schema.id)) {
    const text = new TextDecoder().decode(schema.data);
    decoders.set(schema.id, new MessageReader(parse(text, { ros2: true }), { timeType: "sec,nanosec" }));
  }
  return plain({
    topic: channel.topic,
    type: schema.name,
    metadata: channel.metadata,
    sequence: message.sequence,
    log_time: message.logTime,
    publish_time: message.publishTime,
    message: decoders.get(schema.id).readMessage(message.data),
  });
};

const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
const result = {
  profile: reader.header.profile,
  library: reader.header.library,
  chunks: reader.statistics.chunkCount,
  count: Number(reader.statistics.messageCount),
  messages: [],
  attachments: [],
  metadata: [],
  streamed: [],
};
for await (const message of reader.readMessages()) {
  const channel = reader.channelsById.get(message.channelId);
  result.messages.push(shown(reader.schemasById.get(channel.schemaId), channel, message));
}
for await (const a of reader.readAttachments())
  result.attachments.push(plain({ name: a.name, media_type: a.mediaType, create_time: a.createTime, data: a.data }));
for await (const m of reader.readMetadata())
  result.metadata.push({ name: m.name, metadata: plain(m.metadata) });

// once more from front to back, checksums compared
const stream = new McapStreamReader({ decompressHandlers, validateCrcs: true });
stream.append(bytes);
const schemas = new Map();
const channels = new Map();
for (let record; (record = stream.nextRecord()); ) {
  if (record.type === "Schema") schemas.set(record.id, record);
  if (record.type === "Channel") channels.set(record.id, record);
  if (record.type !== "Message") continue;
  const channel = channels.get(record.channelId);
  result.streamed.push(shown(schemas.get(channel.schemaId), channel, record));
}
if (!stream.done()) throw new Error("the file does not end where it should");
process.stdout.write(JSON.stringify(result));
