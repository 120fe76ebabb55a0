#include "record/log_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "record/byte_ring.hpp"

namespace handspan {
namespace {

using Clock = std::chrono::steady_clock;

// how long the writer's thread rests when the ring is empty
constexpr auto kRest = std::chrono::milliseconds(2);

// before a sample's bytes in the ring
struct SampleHead {
  Nanoseconds log_time;
  Nanoseconds source_stamp;
  std::uint64_t tick;
  std::uint64_t stream;
};

}  // namespace

struct LogWriter::Impl {
  struct Stream {
    std::string topic;
    std::uint16_t channel;
    LogEncoder encoder;
  };

  Impl(const std::filesystem::path& path, const LogOptions& wanted)
      : name(path.string()), options(wanted), ring(options.ring_bytes), file(path, options.file) {
    bytes.store(file.bytes(), std::memory_order_relaxed);
  }

  void require_rest(const char* what) const {
    if (thread.joinable())
      throw InputError(fmt::format("{}: is being recorded; {} before start() or after stop()",
                                   printable(name), what));
  }

  void run() noexcept;
  bool drain();
  void take(ByteSpan run);
  void close_chunk();
  void fail(const std::string& why) noexcept;

  std::string name;
  LogOptions options;
  ByteRing ring;
  std::vector<Stream> streams;
  std::thread thread;
  std::atomic<bool> stopping{false};
  bool started = false, closed = false;

  // the writer thread's, and of who calls while it does not run
  McapWriter file;
  Bytes message;
  Clock::time_point chunk_since;

  std::string failure;  // written once, before `failed`
  std::atomic<bool> failed{false};
  std::atomic<std::uint64_t> bytes{0}, messages{0}, dropped{0};
};

void LogWriter::Impl::fail(const std::string& why) noexcept {
  if (failed.load(std::memory_order_relaxed)) return;
  failure = why;
  failed.store(true, std::memory_order_release);
}

void LogWriter::Impl::close_chunk() {
  file.close_chunk();
  bytes.store(file.bytes(), std::memory_order_relaxed);
}

void LogWriter::Impl::take(ByteSpan run) {
  SampleHead head;
  std::memcpy(&head, run.data(), sizeof head);
  const Stream& stream = streams[head.stream];
  const LogSample sample{head.log_time, head.source_stamp, head.tick, run.subspan(sizeof head)};
  message.clear();
  try {
    stream.encoder(sample, message);
  } catch (const std::exception& error) {
    throw InputError(fmt::format("{}: a message of {} cannot be made: {}; the recording has ended",
                                 printable(name), shown(stream.topic), error.what()));
  }
  if (file.open_bytes() == 0) chunk_since = Clock::now();
  file.write({stream.channel, static_cast<std::uint32_t>(head.tick), head.log_time,
              head.source_stamp, message});
  bytes.store(file.bytes(), std::memory_order_relaxed);
  messages.store(messages.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// @return whether there was something
bool LogWriter::Impl::drain() {
  constexpr int kBetweenLooks = 256;  // at the clock
  ByteSpan run;
  int taken = 0;
  for (; taken < kBetweenLooks && ring.front(run); ++taken) {
    take(run);
    ring.pop();
  }
  if (file.open_bytes() != 0 &&
      Clock::now() - chunk_since >= std::chrono::nanoseconds(options.flush_period))
    close_chunk();
  return taken != 0;
}

void LogWriter::Impl::run() noexcept {
  try {
    for (;;) {
      // asked before draining: what was pushed before the stop is then seen
      const bool last = stopping.load(std::memory_order_acquire);
      if (drain()) continue;
      if (last) break;
      std::this_thread::sleep_for(kRest);
    }
    close_chunk();
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

LogWriter::LogWriter(const std::filesystem::path& path, const LogOptions& options)
    : impl_(std::make_unique<Impl>(path, options)) {}

LogWriter::~LogWriter() { close(); }

StreamId LogWriter::add(const std::string& topic, const MessageType& type, const McapMap& metadata,
                        LogEncoder encoder) {
  Impl& impl = *impl_;
  if (impl.started)
    throw InputError(fmt::format("{}: topic {} comes after the start; add all topics before",
                                 printable(impl.name), shown(topic)));
  if (std::ranges::find(impl.streams, topic, &Impl::Stream::topic) != impl.streams.end())
    throw InputError(fmt::format("{}: topic {} is there twice; give one of them another name",
                                 printable(impl.name), shown(topic)));
  const std::uint16_t schema =
      impl.file.add_schema(std::string(type.name), "ros2msg", std::string(type.definition));
  const std::uint16_t channel = impl.file.add_channel(topic, schema, metadata);
  impl.streams.push_back({topic, channel, std::move(encoder)});
  impl.bytes.store(impl.file.bytes(), std::memory_order_relaxed);
  return {static_cast<std::uint16_t>(impl.streams.size() - 1)};
}

void LogWriter::attach(const McapAttachment& attachment) {
  impl_->require_rest("attach");
  impl_->file.attach(attachment);
  impl_->bytes.store(impl_->file.bytes(), std::memory_order_relaxed);
}

void LogWriter::metadata(const std::string& name, const McapMap& map) {
  impl_->require_rest("add metadata");
  impl_->file.metadata(name, map);
  impl_->bytes.store(impl_->file.bytes(), std::memory_order_relaxed);
}

void LogWriter::start() {
  if (impl_->started)
    throw InputError(fmt::format("{}: was started before; start it once", printable(impl_->name)));
  impl_->started = true;
  impl_->thread = std::thread([this] { impl_->run(); });
}

std::span<std::byte> LogWriter::reserve(StreamId stream, Nanoseconds log_time,
                                        Nanoseconds source_stamp, std::uint64_t tick,
                                        std::size_t size) noexcept {
  Impl& impl = *impl_;
  std::byte* room = nullptr;
  if (stream.index < impl.streams.size() && size <= impl.ring.largest() &&
      !impl.failed.load(std::memory_order_relaxed))
    room = impl.ring.reserve(sizeof(SampleHead) + size);
  if (room == nullptr) {
    // one thread alone counts here
    impl.dropped.store(impl.dropped.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return {};
  }
  const SampleHead head{log_time, source_stamp, tick, stream.index};
  std::memcpy(room, &head, sizeof head);
  return {room + sizeof head, size};
}

double LogWriter::waiting() const noexcept {
  return static_cast<double>(impl_->ring.used()) / static_cast<double>(impl_->ring.capacity());
}

void LogWriter::commit() noexcept { impl_->ring.commit(); }

bool LogWriter::push(StreamId stream, Nanoseconds log_time, Nanoseconds source_stamp,
                     std::uint64_t tick, ByteSpan raw) noexcept {
  const std::span<std::byte> room = reserve(stream, log_time, source_stamp, tick, raw.size());
  if (room.data() == nullptr) return false;
  if (!raw.empty()) std::memcpy(room.data(), raw.data(), raw.size());
  commit();
  return true;
}

LogStatus LogWriter::status() const noexcept {
  LogStatus status;
  status.bytes = impl_->bytes.load(std::memory_order_relaxed);
  status.messages = impl_->messages.load(std::memory_order_relaxed);
  status.dropped = impl_->dropped.load(std::memory_order_relaxed);
  status.failed = impl_->failed.load(std::memory_order_acquire);
  if (status.failed) status.message = impl_->failure;
  return status;
}

void LogWriter::stop() {
  if (!impl_->thread.joinable()) return;
  impl_->stopping.store(true, std::memory_order_release);
  impl_->thread.join();
}

bool LogWriter::close() noexcept {
  Impl& impl = *impl_;
  if (!impl.closed) {
    impl.closed = true;
    try {
      stop();
      impl.file.finish();
      impl.bytes.store(impl.file.bytes(), std::memory_order_relaxed);
    } catch (const std::exception& error) {
      impl.fail(error.what());
    }
  }
  return !impl.failed.load(std::memory_order_relaxed) &&
         impl.dropped.load(std::memory_order_relaxed) == 0;
}

}  // namespace handspan
