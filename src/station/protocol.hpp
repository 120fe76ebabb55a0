#pragma once
// The binary half of docs/protocol.md, and its numbers. Little-endian, packed; nothing here knows
// sockets.
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "station/loop_tap.hpp"

namespace handspan {

inline constexpr int kProtocol = 1;
inline constexpr char kSubprotocol[] = "handspan.1";

inline constexpr std::size_t kMostBytes = 64U << 10U;      // of a message of a client
inline constexpr std::size_t kMostHelloBytes = 2U << 10U;  // before the welcome
inline constexpr double kMostMessages = 400.0;             // [1/s]
inline constexpr Nanoseconds kHelloTime = 5 * kSecond;
inline constexpr std::size_t kMostClients = 16;
inline constexpr double kDefaultRate = 60.0, kMostRate = 90.0;  // of frames [Hz]

enum class CloseCode : std::uint16_t {
  kGoing = 1001,  // the server ends
  kVersion = 4001,
  kMalformed = 4002,
  kTooLarge = 4003,
  kTooFast = 4004,
  kNotPaired = 4005,
  kNoHello = 4006,
  kTooMany = 4007,
};

/// First bytes of binary messages.
inline constexpr std::uint8_t kFrameKind = 1, kSampleKind = 16;
/// Bits of a frame's second byte.
inline constexpr std::uint8_t kStoppedFlag = 1, kRecordingFlag = 2, kEpisodeFlag = 4,
                              kReplayFlag = 8;

/// What a frame has besides the loop's state.
struct FrameHead {
  std::uint8_t flags = 0;
  std::uint32_t sequence = 0;
};

/// @param tap whose state it is  @param channels subscribed to, indices, rising
void encode_frame(const FrameHead& head, const LoopState& state, const LoopTap& tap,
                  std::span<const ChannelInfo> infos, std::span<const std::size_t> channels,
                  std::vector<std::uint8_t>& out);

struct SampleMessage {
  std::uint8_t device = 0;  // of the app
  std::uint32_t sequence = 0;
  double stamp = 0.0, offset = 0.0;  // page's clock; server's minus page's [s]
  std::vector<double> numbers;       // see teleop/device.hpp
};

/// @return none: it is not a sample, `cause` says why
std::optional<SampleMessage> decode_sample(std::span<const std::uint8_t> bytes, std::string& cause);
/// For programs that give samples, and tests.
std::vector<std::uint8_t> encode_sample(const SampleMessage& sample);

}  // namespace handspan
