// fuzz_seeds FOLDER: small logs with every message type, in FOLDER/log, and the messages, in
// FOLDER/message. Logs come with their checksums and without, since a checksum keeps a fuzzer out.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "record/mcap_writer.hpp"
#include "record/messages.hpp"

namespace {

using namespace handspan;
using namespace handspan::messages;

Bytes bytes_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const ByteSpan bytes = bytes_of(text);
  return {bytes.begin(), bytes.end()};
}

void save(const std::filesystem::path& path, ByteSpan bytes) {
  std::ofstream(path, std::ios::binary) << text_of(bytes);
}

// MCAP takes 0 for no checksum
Bytes without_checksums(Bytes log) {
  ByteCursor cursor(log);
  cursor.take(kMcapMagic.size());
  while (cursor.left() > kMcapMagic.size()) {
    const auto kind = static_cast<McapRecord>(cursor.get<std::uint8_t>());
    const auto size = cursor.get<std::uint64_t>();
    const std::size_t at = cursor.position();
    cursor.take(size);
    std::size_t checksum = 0;
    if (kind == McapRecord::kChunk) checksum = at + 24;
    if (kind == McapRecord::kFooter || kind == McapRecord::kAttachment)
      checksum = at + static_cast<std::size_t>(size) - 4;
    if (checksum != 0)
      std::fill_n(log.begin() + static_cast<std::ptrdiff_t>(checksum), 4, std::byte{0});
  }
  return log;
}

struct Seed {
  const MessageType& type;
  Bytes bytes;
};

template <class M>
Seed seed(const M& message) {
  Bytes bytes;
  encode(message, bytes);
  return {message_type<M>(), bytes};
}

std::vector<Seed> seeds() {
  const Header header{7 * kSecond, "world"};
  return {seed(String{"text"}),
          seed(JointState{header, {"a", "b"}, {1, 2}, {3, 4}, {5, 6}}),
          seed(PoseStamped{header, {1, 2, 3}, {0, 0, 0, 1}}),
          seed(TwistStamped{header, {1, 2, 3}, {4, 5, 6}}),
          seed(WrenchStamped{header, {1, 2, 3}, {4, 5, 6}}),
          seed(Joy{header, {0.5F}, {1, 0}}),
          seed(TFMessage{{{header, "tool", {1, 2, 3}, {0, 0, 0, 1}}}}),
          seed(Vector{header, {1, 2, 3}}),
          seed(Integer{header, -3, "hold"}),
          seed(TickHashes{4, 2, {1, 2, 3, 4}}),
          seed(KeyFrame{5, {1, 2, 3}}),
          seed(Event{header, 6, "kind", "name", "text", {"k"}, {"v"}}),
          seed(Input{header, 7, "source", "kind", "text", {1.5}, {-2}})};
}

void write_log(const std::filesystem::path& path, const McapOptions& options, bool finished) {
  McapWriter writer(path, options);
  writer.metadata("build", {{"compiler", "g++"}});
  writer.attach({"app.yaml", "application/yaml", 1, 2, Bytes(8)});
  Nanoseconds time = 0;
  for (const Seed& one : seeds()) {
    const auto channel =
        writer.add_channel(fmt::format("/{}", time),
                           writer.add_schema(std::string(one.type.name), "ros2msg", "uint8 a\n"));
    writer.write({channel, 1, time++, 0, one.bytes});
  }
  writer.close_chunk();
  if (finished) writer.finish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("fuzz_seeds: error: it takes a folder\n", stderr);
    return 2;
  }
  try {
    const std::filesystem::path logs = std::filesystem::path(argv[1]) / "log",
                                ones = std::filesystem::path(argv[1]) / "message";
    std::filesystem::create_directories(logs);
    std::filesystem::create_directories(ones);
    for (const int level : {0, 1})
      for (const bool finished : {false, true}) {
        McapOptions options;
        options.zstd_level = level;
        options.chunk_bytes = 400;
        const std::string name = fmt::format("zstd{}{}", level, finished ? "" : "_cut");
        write_log(logs / name, options, finished);
        save(logs / (name + "_unchecked"), without_checksums(bytes_of_file(logs / name)));
      }
    const auto& types = message_types();
    for (const Seed& one : seeds()) {
      std::size_t which = 0;
      while (types[which].name != one.type.name) ++which;
      Bytes bytes{static_cast<std::byte>(which)};
      put_bytes(bytes, one.bytes);
      save(ones / fmt::format("{}", which), bytes);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fuzz_seeds: error: %s\n", error.what());
    return 2;
  }
}
