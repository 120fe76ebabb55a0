#include "station/protocol.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "reference/input.hpp"

namespace handspan {
namespace {

static_assert(std::endian::native == std::endian::little);
constexpr std::size_t kSampleHead = 24;

class ByteSink {
 public:
  explicit ByteSink(std::vector<std::uint8_t>& out) : out_(out) { out_.clear(); }
  template <class T>
  void add(const T& value) {
    const std::size_t at = out_.size();
    out_.resize(at + sizeof value);
    std::memcpy(out_.data() + at, &value, sizeof value);
  }
  template <std::size_t N>
  void add(const std::array<float, N>& values) {
    for (const float x : values) add(x);
  }
  void count(std::size_t n) { add(static_cast<std::uint16_t>(n)); }

 private:
  std::vector<std::uint8_t>& out_;
};

template <class T>
T read(std::span<const std::uint8_t> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

void encode_frame(const FrameHead& head, const LoopState& state, const LoopTap& tap,
                  std::span<const ChannelInfo> infos, std::span<const std::size_t> channels,
                  std::vector<std::uint8_t>& out) {
  ByteSink to(out);
  to.add(kFrameKind);
  to.add(static_cast<std::uint8_t>(head.flags | (state.stopped ? kStoppedFlag : 0) |
                                   (state.in_episode ? kEpisodeFlag : 0)));
  to.count(state.poses.size());
  to.add(head.sequence);
  to.add(state.tick);
  to.add(seconds(state.time));
  to.add(seconds(state.taken));
  for (const auto& pose : state.poses) to.add(pose);
  to.count(state.references.size());
  for (const auto& reference : state.references) {
    to.add(static_cast<std::uint8_t>(reference.holding ? 1 : 0));
    to.add(reference.pose);
  }
  to.count(state.contacts.size());
  for (const auto& contact : state.contacts) {
    to.add(contact.body_a);
    to.add(contact.body_b);
    to.add(contact.p_W);
    to.add(contact.f_W);
  }
  to.count(channels.size());
  for (const std::size_t c : channels) {
    const std::size_t first = tap.first(c), n = infos[c].size;
    to.count(c);
    to.count(n);
    if (tap.holds_numbers(c))
      for (std::size_t i = 0; i < n; ++i) to.add(static_cast<float>(state.numbers[first + i]));
    else
      to.add(static_cast<float>(state.integers[first]));
  }
}

std::optional<SampleMessage> decode_sample(std::span<const std::uint8_t> bytes,
                                           std::string& cause) {
  if (bytes.empty() || bytes[0] != kSampleKind) {
    cause = bytes.empty() ? "an empty binary message"
                          : fmt::format("a binary message of kind {}; clients send samples ({})",
                                        bytes[0], kSampleKind);
    return {};
  }
  if (bytes.size() < kSampleHead) {
    cause = fmt::format("a sample of {} bytes; its head has {}", bytes.size(), kSampleHead);
    return {};
  }
  SampleMessage sample;
  sample.device = bytes[1];
  const std::size_t n = read<std::uint16_t>(bytes, 2);
  if (bytes.size() != kSampleHead + n * sizeof(double)) {
    cause = fmt::format("a sample of {} bytes; with {} numbers it has {}", bytes.size(), n,
                        kSampleHead + n * sizeof(double));
    return {};
  }
  if (n > kMostInputNumbers) {
    cause = fmt::format("a sample of {} numbers; {} are the most", n, kMostInputNumbers);
    return {};
  }
  sample.sequence = read<std::uint32_t>(bytes, 4);
  sample.stamp = read<double>(bytes, 8);
  sample.offset = read<double>(bytes, 16);
  if (!std::isfinite(sample.stamp) || !std::isfinite(sample.offset)) {
    cause = "a sample whose stamp or offset is not finite";
    return {};
  }
  sample.numbers.resize(n);
  if (n > 0) std::memcpy(sample.numbers.data(), bytes.data() + kSampleHead, n * sizeof(double));
  return sample;
}

std::vector<std::uint8_t> encode_sample(const SampleMessage& sample) {
  std::vector<std::uint8_t> out;
  ByteSink to(out);
  to.add(kSampleKind);
  to.add(sample.device);
  to.count(sample.numbers.size());
  to.add(sample.sequence);
  to.add(sample.stamp);
  to.add(sample.offset);
  for (const double x : sample.numbers) to.add(x);
  return out;
}

}  // namespace handspan
