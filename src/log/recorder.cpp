#include "log/recorder.hpp"
#include "record/metadata_checksum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include "core/build_info.hpp"
#include "core/error.hpp"
#include "log/channel_streams.hpp"
#include "log/hash_rows.hpp"
#include "log/log_layout.hpp"
#include "log/logged_plants.hpp"
#include "log/observed_plant.hpp"
#include "record/messages.hpp"
#include "robot/engine_versions.hpp"
#include "scene/scene_urdf.hpp"

namespace handspan {
namespace {

constexpr std::int64_t kHashBatch = 50;  // ticks a message
constexpr std::size_t kMostLinks = 1024;

// raw samples: what encoders get from the tick
struct RawPose {
  double p[3], q[4];
};

template <class T>
T read_raw(ByteSpan raw) {
  T value;
  std::memcpy(&value, raw.data(), sizeof value);
  return value;
}

// To 4e-6 of a metre or of a quaternion: most bits of the mantissa are zero and take no room, for
// what is only looked at.
double rounded(double x) {
  constexpr double kSteps = 1 << 18;
  // zero has one sign
  return std::nearbyint(x * kSteps) / kSteps + 0.0;
}

// X_PB of X_WP and X_WB
RawPose relative(const RawPose& X_WP, const RawPose& X_WB) {
  const Eigen::Quaterniond q_PW = Eigen::Quaterniond(X_WP.q).conjugate();
  const Eigen::Vector3d p = q_PW * (Eigen::Vector3d(X_WB.p) - Eigen::Vector3d(X_WP.p));
  Eigen::Quaterniond q = q_PW * Eigen::Quaterniond(X_WB.q);
  // of the two that mean the same, the one nearer to no turn
  if (q.w() < 0.0) q.coeffs() = -q.coeffs();
  return {{p.x(), p.y(), p.z()}, {q.x(), q.y(), q.z(), q.w()}};
}

// a body of the world
struct Link {
  std::string name;
  int parent = 0;  // its index in the world; 0: the world
};

// of a body's transform in a sample, which has none of the world's
std::size_t place_of(int body) { return static_cast<std::size_t>(body) - 1; }

Nanoseconds unix_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::filesystem::path common_folder(const std::vector<std::filesystem::path>& files) {
  std::filesystem::path folder = files.front().parent_path();
  for (const auto& file : files)
    while (!folder.empty() && folder != folder.root_path() &&
           std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first !=
               folder.end())
      folder = folder.parent_path();
  return folder;
}

LogOptions log_options(const RecorderOptions& options) {
  LogOptions log = options.log;
  log.file.zstd_level =
      options.extent == RecordExtent::kFull ? options.full_level : options.default_level;
  return log;
}

}  // namespace

struct Recorder::Impl {
  Impl(Session& session, const std::filesystem::path& file, const RecorderOptions& with)
      : options(with), writer(file, log_options(with)) {
    McapMap about = describe(session);
    streams(session);
    std::size_t bytes = 0;
    if (options.running) {
      bytes = options.running->snapshot_bytes;
    } else {
      session.snapshot(snapshot);
      bytes = snapshot.size();
    }
    // contacts and the like may grow
    snapshot.reserve(std::max<std::size_t>(1U << 20U, 2 * bytes + (1U << 16U)));
    const std::int64_t first = options.running ? options.running->first_tick() : session.ticks();
    about["first_tick"] = std::to_string(first);
    // the run's time 0 by the world's clock and by this machine's
    about[kUnixStartKey] = std::to_string(unix_now() - first * base);
    about[kSteadyStartKey] = std::to_string(steady_now() - first * base);
    about[kChecksumKey] = checksum_of(about);
    writer.metadata(kRunMetadata, about);
    writer.start();
  }

  McapMap describe(Session& session);
  void streams(Session& session);
  void transform_stream(const World& world);
  void push_transforms(Session& session, std::int64_t tick) noexcept;
  void push_key_frame(Session& session) noexcept;
  void push_events(const EventList& list, std::int64_t tick) noexcept;
  void push_inputs(Session& session, std::int64_t tick) noexcept;
  void push_hashes(Session& session, std::int64_t tick) noexcept;
  void flush_hashes(Nanoseconds now) noexcept;

  RecorderOptions options;
  LogWriter writer;
  std::optional<ChannelStreams> channels;
  std::optional<ObservationStream> observations;
  StreamId transforms, hashes, key_frames, events, inputs, robot;
  std::vector<int> links;  // bodies of the world
  std::array<TickHashes, kHashBatch> hash_rows{};
  std::int64_t hash_first = 0, hash_count = 0;
  std::vector<std::byte> snapshot;
  EventList standing;  // at the beginning, in the middle of a run
  Nanoseconds base = 0;
  bool closed = false;
};

McapMap Recorder::Impl::describe(Session& session) {
  const App& app = session.app();
  base = session.base_period();
  std::time_t now = std::time(nullptr);
  char date[32] = {};
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
  McapMap about = {{kVersionKey, kFormat},
                   {"app", app.name},
                   {"scene", app.scene.name},
                   {"seed", std::to_string(app.seed)},
                   {"record", options.extent == RecordExtent::kFull ? "full" : "default"},
                   {"base_period_ns", std::to_string(base)},
                   {"start", date},
                   {"build", build_id()},
                   {"compiler", compiler()},
                   {"cpu", cpu_model()},
                   {"cpu_features", cpu_features()}};
  about.merge(plants_about(session.plants()));
  for (const auto& [library, version] : engine_versions()) about["version." + library] = version;
  std::string quantities;
  for (std::size_t q = 0; q < kQuantities; ++q)
    quantities += (q == 0 ? "" : " ") + std::string(name_of(static_cast<Quantity>(q)));
  about["quantities"] = quantities;
  if (!app.files.empty()) {
    const auto folder = common_folder(app.files);
    for (const auto& file : app.files) {
      McapAttachment attachment;
      attachment.name = kFilePrefix + file.lexically_relative(folder).generic_string();
      attachment.media_type = file.extension() == ".xml" ? "application/xml" : "application/yaml";
      if (file.extension() == ".mcap") attachment.media_type = "application/octet-stream";
      std::ifstream in(file, std::ios::binary);
      const std::string content((std::istreambuf_iterator<char>(in)), {});
      if (!in.good() && !in.eof())
        throw InputError(
            fmt::format("{}: it cannot be read any more; the log needs it", file.string()));
      const auto bytes = bytes_of(content);
      attachment.bytes.assign(bytes.begin(), bytes.end());
      writer.attach(attachment);
    }
    about["app_file"] = std::filesystem::absolute(app.file)
                            .lexically_normal()
                            .lexically_relative(folder)
                            .generic_string();
  }
  return about;
}

void Recorder::Impl::streams(Session& session) {
  const std::string urdf = scene_urdf(session.app().scene);
  robot = writer.add(kRobotTopic, message_type<messages::String>(), {},
                     [urdf](const LogSample&, Bytes& out) { encode(messages::String{urdf}, out); });
  hashes = writer.add(kHashTopic, message_type<messages::TickHashes>(), {},
                      [](const LogSample& sample, Bytes& out) {
                        std::array<TickHashes, kHashBatch> rows;
                        std::memcpy(rows.data(), sample.raw.data(), sample.raw.size());
                        const std::size_t ticks = sample.raw.size() / sizeof(TickHashes);
                        encode(packed_hashes(sample.tick, std::span(rows).first(ticks)), out);
                      });
  key_frames = writer.add(kKeyFrameTopic, message_type<messages::KeyFrame>(), {},
                          [](const LogSample& sample, Bytes& out) {
                            messages::KeyFrame m;
                            m.tick = sample.tick;
                            m.state.resize(sample.raw.size());
                            std::memcpy(m.state.data(), sample.raw.data(), sample.raw.size());
                            encode(m, out);
                          });
  events = writer.add(kEventTopic, message_type<messages::Event>(), {},
                      [](const LogSample& sample, Bytes& out) {
                        const auto event = read_raw<Event>(sample.raw);
                        messages::Event m;
                        m.header.stamp = sample.log_time;
                        m.tick = sample.tick;
                        m.kind = event.kind.view();
                        m.name = event.name.view();
                        m.text = event.text.view();
                        encode(m, out);
                      });
  inputs = writer.add(
      kInputTopic, message_type<messages::Input>(), {}, [](const LogSample& sample, Bytes& out) {
        constexpr std::size_t kHead = offsetof(Input, numbers);
        Input input;
        std::memcpy(static_cast<void*>(&input), sample.raw.data(), kHead);
        messages::Input m;
        m.header.stamp = sample.source_stamp;
        m.tick = sample.tick;
        m.source = input.to.view();
        m.kind = name_of(input.kind);
        m.text = input.text.view();
        m.numbers.resize(input.count);
        std::memcpy(m.numbers.data(), sample.raw.data() + kHead, input.count * sizeof(double));
        m.integers = {input.stamp};
        encode(m, out);
      });
  if (session.plants() != nullptr) observations.emplace(*session.plants(), writer);
  channels.emplace(session.channels(), writer, options.extent == RecordExtent::kFull);
  if (const World* world = session.world()) transform_stream(*world);
}

void Recorder::Impl::transform_stream(const World& world) {
  std::vector<Link> tree;
  for (std::size_t b = 1; b < world.bodies().size() && links.size() < kMostLinks; ++b) {
    links.push_back(static_cast<int>(b));
    tree.push_back({world.bodies()[b], world.parent(static_cast<int>(b))});
  }
  // against the parent only what moves there takes room
  transforms = writer.add(
      kTransformTopic, message_type<messages::TFMessage>(), {},
      [tree, m = messages::TFMessage()](const LogSample& sample, Bytes& out) mutable {
        m.transforms.resize(tree.size());
        std::vector<RawPose> X(tree.size());
        std::memcpy(X.data(), sample.raw.data(), sample.raw.size());
        for (std::size_t i = 0; i < tree.size(); ++i) {
          const int parent = tree[i].parent;
          auto& t = m.transforms[i];
          t.header = {sample.source_stamp, parent == 0 ? "world" : tree[place_of(parent)].name};
          t.child_frame_id = tree[i].name;
          const RawPose X_PB = parent == 0 ? X[i] : relative(X[place_of(parent)], X[i]);
          for (std::size_t k = 0; k < 3; ++k) t.translation[k] = rounded(X_PB.p[k]);
          for (std::size_t k = 0; k < 4; ++k) t.rotation[k] = rounded(X_PB.q[k]);
        }
        encode(m, out);
      });
}

void Recorder::Impl::push_transforms(Session& session, std::int64_t tick) noexcept {
  const World* world = session.world();
  if (world == nullptr || links.empty()) return;
  const auto to = writer.reserve(transforms, tick * base, world->time(),
                                 static_cast<std::uint64_t>(tick), links.size() * sizeof(RawPose));
  if (to.empty()) return;
  auto* X = reinterpret_cast<RawPose*>(to.data());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Pose X_WB = world->body_pose(links[i]);
    const Eigen::Quaterniond q = X_WB.quaternion();
    X[i] = {{X_WB.p.x(), X_WB.p.y(), X_WB.p.z()}, {q.x(), q.y(), q.z(), q.w()}};
  }
  writer.commit();
}

void Recorder::Impl::push_key_frame(Session& session) noexcept {
  session.snapshot(snapshot);
  writer.push(key_frames, session.now(), session.now(), static_cast<std::uint64_t>(session.ticks()),
              snapshot);
}

void Recorder::Impl::push_events(const EventList& list, std::int64_t tick) noexcept {
  for (const Event& event : list.events())
    writer.push(events, tick * base, tick * base, static_cast<std::uint64_t>(tick),
                std::as_bytes(std::span(&event, 1)));
}

void Recorder::Impl::push_inputs(Session& session, std::int64_t tick) noexcept {
  for (const Input& input : session.inputs()) {
    const std::size_t size = offsetof(Input, numbers) + input.count * sizeof(double);
    writer.push(inputs, tick * base, std::max<Nanoseconds>(0, input.stamp),
                static_cast<std::uint64_t>(tick),
                {reinterpret_cast<const std::byte*>(&input), size});
  }
}

void Recorder::Impl::push_hashes(Session& session, std::int64_t tick) noexcept {
  if (hash_count == 0) hash_first = tick;
  hash_rows[static_cast<std::size_t>(hash_count)] = session.hashes();
  if (++hash_count == kHashBatch) flush_hashes((tick + 1) * base);
}

void Recorder::Impl::flush_hashes(Nanoseconds now) noexcept {
  if (hash_count == 0) return;
  writer.push(hashes, now, now, static_cast<std::uint64_t>(hash_first),
              std::as_bytes(std::span(hash_rows).first(static_cast<std::size_t>(hash_count))));
  hash_count = 0;
}

Recorder::Recorder(Session& session, const std::filesystem::path& file,
                   const RecorderOptions& options)
    : impl_(std::make_unique<Impl>(session, file, options)) {
  if (!options.running) session.watch(*this);
}

Recorder::~Recorder() { close(); }

void Recorder::begin(Session& session) {
  impl_->flush_hashes(session.now());
  const std::byte nothing{0};
  impl_->writer.push(impl_->robot, session.now(), session.now(),
                     static_cast<std::uint64_t>(session.ticks()), {&nothing, 1});
  impl_->push_key_frame(session);
  if (impl_->observations) impl_->observations->push(session.ticks(), session.now(), true);
  impl_->channels->push(session.channels(), session.ticks(), session.now(), true);
  impl_->push_transforms(session, session.ticks());
  if (!impl_->options.running) return;
  impl_->standing.clear(session.ticks());
  session.tell_standing(impl_->standing);
  impl_->push_events(impl_->standing, session.ticks());
}

void Recorder::after_tick(Session& session) noexcept {
  Impl& i = *impl_;
  const std::int64_t tick = session.ticks() - 1;
  i.push_inputs(session, tick);
  i.push_events(session.events(), tick);
  i.push_hashes(session, tick);
  const bool key = session.now() % i.options.key_frame_period == 0;
  if (i.observations) i.observations->push(session.ticks(), session.now(), key);
  const bool shown = due(session.ticks(), kRecordRate, i.base);
  if (i.options.extent == RecordExtent::kFull || shown || key)
    i.channels->push(session.channels(), session.ticks(), session.now(), key);
  if (due(session.ticks(), kTransformRate, i.base)) i.push_transforms(session, session.ticks());
  if (key) i.push_key_frame(session);
  while (i.options.may_wait && i.writer.waiting() > 0.5 && !i.writer.status().failed)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void Recorder::end(Session& session) {
  impl_->flush_hashes(session.now());
  impl_->channels->push(session.channels(), session.ticks(), session.now(), true);
  impl_->push_key_frame(session);
}

double Recorder::waiting() const { return impl_->writer.waiting(); }

LogStatus Recorder::status() const { return impl_->writer.status(); }

bool Recorder::close() {
  impl_->closed = true;
  return impl_->writer.close();
}

}  // namespace handspan
