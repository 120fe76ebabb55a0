#pragma once
// Logs of a test's own, in a folder that goes with the test.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "record/mcap_reader.hpp"
#include "record/mcap_writer.hpp"
#include "record/messages.hpp"

namespace handspan::test {

/// A folder that is removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "handspan-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline Bytes file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const ByteSpan bytes = bytes_of(text);
  return {bytes.begin(), bytes.end()};
}

inline void write_bytes(const std::filesystem::path& path, ByteSpan bytes) {
  std::ofstream(path, std::ios::binary) << text_of(bytes);
}

/// What an InputError says; "no error" when there is none.
inline std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// A message as a test compares it.
struct Read {
  std::string topic;
  std::uint32_t sequence;
  Nanoseconds log_time, publish_time;
  std::string bytes;
  bool operator==(const Read&) const = default;
};

inline std::vector<Read> read_all(const McapReader& reader, const McapQuery& query = {}) {
  std::vector<Read> all;
  reader.messages(query, [&](const McapChannel& channel, const McapMessage& message) {
    all.push_back({channel.topic, message.sequence, message.log_time, message.publish_time,
                   std::string(text_of(message.bytes))});
    return true;
  });
  return all;
}

/// `count` words on /a and numbers on /b in turn, 1 ms apart from `start` [ns] on.
inline std::vector<Read> write_turns(McapWriter& writer, int count, Nanoseconds start = 0) {
  const auto a = writer.add_channel(
      "/a", writer.add_schema("std_msgs/msg/String", "ros2msg", "string data\n"), {{"of", "test"}});
  const auto b = writer.add_channel("/b", 0, {}, "json");
  std::vector<Read> written;
  Bytes bytes;
  for (int i = 0; i < count; ++i) {
    encode(messages::String{"word " + std::to_string(i)}, bytes);
    const Nanoseconds time = start + i * (kSecond / 1000);
    const auto sequence = static_cast<std::uint32_t>(i);
    writer.write({i % 2 == 0 ? a : b, sequence, time, time - 5, bytes});
    written.push_back(
        {i % 2 == 0 ? "/a" : "/b", sequence, time, time - 5, std::string(text_of(bytes))});
  }
  return written;
}

}  // namespace handspan::test
