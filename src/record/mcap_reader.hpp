#pragma once

// Reads an MCAP file, ours or another's, with random access in time. A file with a summary opens by
// it; one without (a recording that was killed) is read through once, up to its last whole record.
// Every size is checked before it is used: any bytes give an error with a place, or are read.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "record/mcap.hpp"

namespace handspan {

/// Which messages: those of the topics (none named: of all) with from <= log time <= to [ns].
struct McapQuery {
  std::vector<std::string> topics;
  Nanoseconds from = 0;
  Nanoseconds to = std::numeric_limits<Nanoseconds>::max();
};

/// An attachment without its bytes.
struct McapAttachmentInfo {
  std::string name;
  std::string media_type;
  Nanoseconds log_time = 0;
  Nanoseconds create_time = 0;
  std::uint64_t size = 0;    // bytes of its content
  std::uint64_t offset = 0;  // of its record in the file
};

/// A metadata record's name and where it is.
struct McapMetadataInfo {
  std::string name;
  std::uint64_t offset = 0;  // of its record in the file
};

/// A part of a file that cannot be read, and in which messages were.
struct McapLoss {
  std::uint64_t offset = 0;  // its first byte; of a repaired copy: in the file that it is of
  std::uint64_t size = 0;
  Nanoseconds from = 0;  // log times of its messages are from <= t <= to, as far as is known [ns]
  Nanoseconds to = std::numeric_limits<Nanoseconds>::max();
  bool operator==(const McapLoss&) const = default;
};

/// The metadata in which a repaired copy says what was lost.
inline constexpr char kRepairedMetadata[] = "handspan_repaired";

class McapReader {
 public:
  enum class Open {
    kBySummary,  // quick, where a summary holds; else as kByReading. Damage to the rest is found
                 // when it is read
    kChecked,    // by the summary, where it holds; then all is read once: what is damaged is left
                 // out and named
    kByReading,  // as kChecked, from the first record to the last, without the summary
  };

  /// Throws InputError (path, byte, cause, hint) when the file cannot be read, is not an MCAP file,
  /// or when it has to be read through and a chunk is compressed in a way that is not read here
  /// (lz4).
  explicit McapReader(const std::filesystem::path& path, Open how = Open::kBySummary);

  /// The same of bytes in memory; `name` is their path in messages.
  static McapReader of_bytes(Bytes bytes, const std::string& name, Open how = Open::kBySummary);

  ~McapReader();
  McapReader(McapReader&&) noexcept;
  McapReader& operator=(McapReader&&) noexcept;

  /// Whether the file was finished, nothing in it was found damaged, and it is not a repaired copy
  /// of a file that had lost something. Messages of a file that opened kBySummary are checked when
  /// they are read.
  bool complete() const;

  /// What is wrong and lost, with byte offsets, a line each; empty when complete().
  const std::string& damage() const;

  /// Whether some of what is damaged was lost by it, here or in a repaired copy's original.
  bool lacking() const;

  /// Where messages were lost, by time; those of a repaired copy's original too.
  const std::vector<McapLoss>& losses() const;

  const std::string& profile() const;  // "ros2"
  const std::string& library() const;  // what wrote it

  const std::vector<McapSchema>& schemas() const;
  const std::vector<McapChannel>& channels() const;
  const McapStatistics& statistics() const;

  /// The schema of that id; null when there is none.
  const McapSchema* schema(std::uint16_t id) const;

  /// The channel of that topic, the first of several; null when there is none.
  const McapChannel* channel(const std::string& topic) const;

  const std::vector<McapAttachmentInfo>& attachments() const;
  const std::vector<McapMetadataInfo>& metadata() const;

  /// The attachment, its checksum verified. Throws InputError when it is damaged.
  McapAttachment attachment(const McapAttachmentInfo& info) const;

  /// The last attachment of that name; none when there is none. Throws as above.
  std::optional<McapAttachment> attachment(const std::string& name) const;

  /// The last metadata of that name; none when there is none. Throws InputError when damaged.
  std::optional<McapMap> metadata(const std::string& name) const;
  McapMap metadata(const McapMetadataInfo& info) const;

  /// Return false to end the visit. The message's bytes are there during the call only.
  using Visit = std::function<bool(const McapChannel& channel, const McapMessage& message)>;

  /// Visits messages in the order of log time; equal times in the order of the file. Only chunks
  /// that can have such messages are decompressed, and a chunk is kept only while messages of it
  /// are to come: one at a time when times in the file only grow. Throws InputError when a topic is
  /// not in the file, or (path, byte, cause) at a damaged chunk, after the messages before it. May
  /// be called from several threads at once.
  void messages(const McapQuery& query, const Visit& visit) const;

 private:
  struct Impl;
  explicit McapReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace handspan
