#pragma once

// What an MCAP file (mcap.dev, specification of version 0) consists of, as its writer and its
// reader share it. Times are nanoseconds of whatever clock the writer means; log times are never
// negative.

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "core/time.hpp"
#include "record/bytes.hpp"

namespace handspan {

/// The first and the last bytes of a file.
inline constexpr std::array<std::uint8_t, 8> kMcapMagic = {0x89, 'M', 'C',  'A',
                                                           'P',  '0', '\r', '\n'};

/// Bytes before a record's content: its kind, and its length as 64 bits.
inline constexpr std::size_t kMcapRecordHead = 9;

enum class McapRecord : std::uint8_t {
  kHeader = 0x01,
  kFooter = 0x02,
  kSchema = 0x03,
  kChannel = 0x04,
  kMessage = 0x05,
  kChunk = 0x06,
  kMessageIndex = 0x07,
  kChunkIndex = 0x08,
  kAttachment = 0x09,
  kAttachmentIndex = 0x0A,
  kStatistics = 0x0B,
  kMetadata = 0x0C,
  kMetadataIndex = 0x0D,
  kSummaryOffset = 0x0E,
  kDataEnd = 0x0F,
};

using McapMap = std::map<std::string, std::string>;

/// How messages of a type are laid out.
struct McapSchema {
  std::uint16_t id = 0;  // > 0
  std::string name;      // "sensor_msgs/msg/JointState"
  std::string encoding;  // "ros2msg"
  std::string text;      // the definition

  bool operator==(const McapSchema&) const = default;
};

/// A stream of messages of one type.
struct McapChannel {
  std::uint16_t id = 0;
  std::uint16_t schema = 0;  // a schema's id; 0: none
  std::string topic;         // "/left/joint_states"
  std::string encoding;      // of its messages: "cdr"
  McapMap metadata;

  bool operator==(const McapChannel&) const = default;
};

/// One message. Its bytes belong to who gives it.
struct McapMessage {
  std::uint16_t channel = 0;     // a channel's id
  std::uint32_t sequence = 0;    // the source's count; in handspan's logs the tick's low 32 bits
  Nanoseconds log_time = 0;      // when it was recorded [ns]
  Nanoseconds publish_time = 0;  // its source's stamp [ns]
  ByteSpan bytes;
};

/// A file inside the file.
struct McapAttachment {
  std::string name;
  std::string media_type;       // "application/yaml"
  Nanoseconds log_time = 0;     // [ns]
  Nanoseconds create_time = 0;  // [ns]
  Bytes bytes;
};

/// Counts over the whole file.
struct McapStatistics {
  std::uint64_t messages = 0;
  std::uint16_t schemas = 0;
  std::uint32_t channels = 0;
  std::uint32_t attachments = 0;
  std::uint32_t metadata = 0;
  std::uint32_t chunks = 0;
  Nanoseconds first_time = 0;  // the least log time [ns]; 0 where there is no message
  Nanoseconds last_time = 0;   // the greatest
  std::map<std::uint16_t, std::uint64_t> channel_messages;
};

}  // namespace handspan
