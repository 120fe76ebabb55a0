#include "record/repair.hpp"

#include <fmt/format.h>

#include <map>
#include <system_error>

#include "core/error.hpp"
#include "record/mcap_reader.hpp"
#include "record/mcap_writer.hpp"

namespace handspan {

std::string mend_log(const std::filesystem::path& in, const std::filesystem::path& out) {
  const McapReader reader(in, McapReader::Open::kByReading);
  std::error_code none;
  if (std::filesystem::equivalent(in, out, none))
    throw InputError(fmt::format("{}: is the log to be mended; name another file for its copy",
                                 shown(out.string())));
  McapOptions options;
  options.profile = reader.profile();
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
  for (const McapMetadataInfo& info : reader.metadata())
    writer.metadata(info.name, reader.metadata(info));
  for (const McapAttachmentInfo& info : reader.attachments())
    writer.attach(reader.attachment(info));
  reader.messages({}, [&](const McapChannel& channel, const McapMessage& message) {
    McapMessage copy = message;
    copy.channel = channels.at(channel.id);
    writer.write(copy);
    return true;
  });
  writer.finish();
  return reader.damage().empty() ? "nothing was lost" : reader.damage();
}

}  // namespace handspan
