#pragma once
// Logs of a session that no session wrote: what stands in them is what a test puts there.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "log/hash_rows.hpp"
#include "log/log_layout.hpp"
#include "record/mcap_writer.hpp"
#include "record/messages.hpp"

namespace handspan::test {

class SmallLog {
 public:
  static constexpr Nanoseconds kBase = 1'000'000;

  /// @param about keys of its metadata besides those that every log has; a value "-" leaves it out
  explicit SmallLog(const std::filesystem::path& file, const McapMap& about = {},
                    const McapOptions& options = {})
      : writer_(file, options) {
    McapMap all = {{"format", kFormat},      {"base_period_ns", std::to_string(kBase)},
                   {"first_tick", "0"},      {"record", "default"},
                   {"app_file", "app.yaml"}, {"seed", "0"}};
    for (const auto& [key, value] : about) all[key] = value;
    std::erase_if(all, [](const auto& pair) { return pair.second == "-"; });
    writer_.metadata(kRunMetadata, all);
  }
  ~SmallLog() { finish(); }

  void event(std::int64_t tick, const std::string& kind, const std::string& name,
             const std::string& text = "") {
    write(kEventTopic, {}, tick, tick * kBase,
          messages::Event{{}, static_cast<std::uint64_t>(tick), kind, name, text, {}, {}});
  }
  void input(std::int64_t tick, const std::string& kind, const std::string& to,
             const std::string& text, const std::vector<double>& numbers, Nanoseconds stamp) {
    write(kInputTopic, {}, tick, stamp,
          messages::Input{{}, static_cast<std::uint64_t>(tick), to, kind, text, numbers, {stamp}});
  }
  /// Of `count` ticks; of tick t all are t + 1.
  void hashes(std::int64_t first, int count) {
    std::vector<TickHashes> rows(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      rows[static_cast<std::size_t>(i)].fill(static_cast<std::uint32_t>(first + i + 1));
    write(kHashTopic, {}, first + count - 1, 0,
          packed_hashes(static_cast<std::uint64_t>(first), rows));
  }
  void key_frame(std::int64_t tick, const std::string& state) {
    write(kKeyFrameTopic, {}, tick, 0,
          messages::KeyFrame{static_cast<std::uint64_t>(tick), {state.begin(), state.end()}});
  }
  /// A sample of a channel, whose metadata are `about`.
  template <class M>
  void sample(const std::string& channel, McapMap about, std::int64_t tick, Nanoseconds stamp,
              const M& message) {
    about["channel"] = channel;
    write(topic_of(channel), about, tick, stamp, message);
  }
  template <class M>
  void write(const std::string& topic, const McapMap& about, std::int64_t tick, Nanoseconds stamp,
             const M& message) {
    const auto [id, added] = channels_.try_emplace(topic, std::uint16_t{0});
    if (added) {
      const MessageType& type = message_type<M>();
      id->second = writer_.add_channel(
          topic,
          writer_.add_schema(std::string(type.name), "ros2msg", std::string(type.definition)),
          about);
    }
    Bytes bytes;
    encode(message, bytes);
    writer_.write({id->second, static_cast<std::uint32_t>(tick), tick * kBase, stamp, bytes});
  }
  McapWriter& writer() { return writer_; }
  void finish() {
    if (!finished_) writer_.finish();
    finished_ = true;
  }

 private:
  McapWriter writer_;
  std::map<std::string, std::uint16_t> channels_;
  bool finished_ = false;
};

}  // namespace handspan::test
