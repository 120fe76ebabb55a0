#pragma once

// Writes an MCAP file: messages in compressed chunks, each with its index and handed to the
// operating system as soon as it is closed, and at the end a summary for random access. A process
// that is killed loses the chunk that was open, and nothing else. One thread writes.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "record/mcap.hpp"

namespace handspan {

struct McapOptions {
  std::size_t chunk_bytes = 1U << 20U;   // a chunk is closed when it has so many, uncompressed
  Nanoseconds chunk_time = kSecond / 2;  // ... or when log times in it are so far apart [ns]
  int zstd_level = 1;                    // 1 (quick) to 19 (small); 0 leaves chunks uncompressed
  bool by_channel = false;               // within a chunk channel after channel: packs better; else
                                         // as they came. Readers go by the index or by log time
  bool twice = false;  // attachments and metadata are written once more, after the next chunk: what
                       // damages one copy leaves the other
  std::string profile = "ros2";  // how the file's channels are to be understood
};

class McapWriter {
 public:
  /// Makes the file, or replaces it. Throws InputError (path, cause, hint) when that cannot be: no
  /// such folder, no permission, disk full; so do all functions below when a write fails, after
  /// which the file ends with its last whole record and nothing more can be written.
  explicit McapWriter(const std::filesystem::path& path, const McapOptions& options = {});

  /// Closes the file as it is: one without finish() opens as incomplete.
  ~McapWriter();
  McapWriter(McapWriter&&) noexcept;
  McapWriter& operator=(McapWriter&&) noexcept;

  /// The id of a schema, e.g. of encoding "ros2msg". The same schema again has the same id. Throws
  /// InputError when there are more than 65,535.
  std::uint16_t add_schema(const std::string& name, const std::string& encoding,
                           const std::string& text);

  /// The id of a channel with messages of `schema` in encoding `encoding`. Throws InputError when
  /// there is no such schema, or there are more than 65,535 channels.
  std::uint16_t add_channel(const std::string& topic, std::uint16_t schema,
                            const McapMap& metadata = {}, const std::string& encoding = "cdr");

  /// Appends a message. Throws InputError when there is no such channel or the log time is
  /// negative; then the file is as before. A negative publish time is read back as it is by
  /// McapReader; others take it for one in the far future.
  void write(const McapMessage& message);

  /// A file inside the file.
  void attach(const McapAttachment& attachment);

  /// Words about the file, under a name.
  void metadata(const std::string& name, const McapMap& map);

  /// Closes the open chunk, so that its messages outlive the process. Does nothing to an empty one.
  void close_chunk();

  /// Closes the chunk and writes the summary. What is called after it throws InputError.
  void finish();

  /// Bytes in the file so far; an open chunk is not yet among them.
  std::uint64_t bytes() const;

  /// Bytes in the open chunk, uncompressed.
  std::size_t open_bytes() const;

  const McapStatistics& statistics() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace handspan
