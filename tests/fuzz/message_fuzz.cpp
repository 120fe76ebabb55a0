// Any bytes as a message: the first byte says of which type. What decodes comes back the same.
#include <cstddef>
#include <cstdint>

#include "core/error.hpp"
#include "record/messages.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto& types = handspan::message_types();
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  try {
    handspan::check_message(types[data[0] % types.size()].name, bytes);
    const auto event = handspan::decode<handspan::messages::Event>(bytes);
    handspan::Bytes again;
    handspan::encode(event, again);
    if (handspan::decode<handspan::messages::Event>(again) != event) __builtin_trap();
  } catch (const handspan::InputError& error) {
    if (*error.what() == '\0') __builtin_trap();  // an error has words
  }
  return 0;
}
