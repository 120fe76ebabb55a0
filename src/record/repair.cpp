#include "record/repair.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "record/mcap_reader.hpp"
#include "record/mcap_reader_impl.hpp"
#include "record/mcap_writer.hpp"

namespace handspan {

std::string repair_log(const std::filesystem::path& in, const std::filesystem::path& out) {
  const McapReader reader(in, McapReader::Open::kChecked);
  std::error_code none;
  if (std::filesystem::equivalent(in, out, none))
    throw InputError(fmt::format("{}: is the log to be repaired; name another file for its copy",
                                 printable(out.string())));
  McapOptions options;
  options.profile = reader.profile();
  options.twice = true;
  McapWriter writer(out, options);
  std::map<std::uint16_t, std::uint16_t> schemas, channels;
  for (const McapSchema& schema : reader.schemas())
    schemas[schema.id] = writer.add_schema(schema.name, schema.encoding, schema.text);
  for (const McapChannel& channel : reader.channels()) {
    // a schema that was lost is none
    const auto schema = schemas.find(channel.schema);
    channels[channel.id] = writer.add_channel(
        channel.topic, schema == schemas.end() ? std::uint16_t{0} : schema->second,
        channel.metadata, channel.encoding);
  }
  // what is there twice is written twice again
  std::set<std::pair<std::string, McapMap>> maps;
  for (const McapMetadataInfo& info : reader.metadata())
    if (info.name != kRepairedMetadata) maps.emplace(info.name, reader.metadata(info));
  if (reader.lacking()) maps.emplace(kRepairedMetadata, repaired_metadata(reader));
  for (const auto& [name, map] : maps) writer.metadata(name, map);
  std::set<std::pair<std::string, Bytes>> files;
  for (const McapAttachmentInfo& info : reader.attachments()) {
    const McapAttachment attachment = reader.attachment(info);
    if (files.emplace(attachment.name, attachment.bytes).second) writer.attach(attachment);
  }
  reader.messages({}, [&](const McapChannel& channel, const McapMessage& message) {
    McapMessage copy = message;
    copy.channel = channels.at(channel.id);
    writer.write(copy);
    return true;
  });
  writer.finish();
  return reader.complete() ? "nothing was lost" : reader.damage();
}

}  // namespace handspan
