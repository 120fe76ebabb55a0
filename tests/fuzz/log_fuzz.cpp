// Any bytes as a log: opened both ways, all of it read, every message decoded. InputError is all
// that may come of it.
#include <cstddef>
#include <cstdint>

#include "core/error.hpp"
#include "record/mcap_reader.hpp"
#include "record/messages.hpp"

using handspan::McapReader;

namespace {

template <class Call>
void tried(Call&& call) {
  try {
    call();
  } catch (const handspan::InputError& error) {
    if (*error.what() == '\0') __builtin_trap();  // an error has words
  }
}

void read(handspan::ByteSpan bytes, McapReader::Open how) {
  const auto reader = McapReader::of_bytes({bytes.begin(), bytes.end()}, "fuzz", how);
  for (const auto& info : reader.attachments()) tried([&] { reader.attachment(info); });
  for (const auto& info : reader.metadata()) tried([&] { reader.metadata(info); });
  reader.messages({}, [&](const auto& channel, const auto& message) {
    const handspan::McapSchema* schema = reader.schema(channel.schema);
    if (schema != nullptr) tried([&] { handspan::check_message(schema->name, message.bytes); });
    return true;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  tried([&] { read(bytes, McapReader::Open::kBySummary); });
  tried([&] { read(bytes, McapReader::Open::kByReading); });
  return 0;
}
