#include "session/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <thread>

#include "core/build_info.hpp"
#include "core/error.hpp"
#include "record/messages.hpp"
#include "robot/engine_versions.hpp"
#include "scene/scene_urdf.hpp"
#include "session/log_layout.hpp"

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

std::span<const double> doubles(ByteSpan raw) {
  return {reinterpret_cast<const double*>(raw.data()), raw.size() / sizeof(double)};
}

// To 4e-6 of a metre or of a quaternion: most bits of the mantissa are zero and take no room, for
// what is only looked at.
double rounded(double x) {
  constexpr double kSteps = 1 << 18;
  return std::nearbyint(x * kSteps) / kSteps;
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

}  // namespace

std::string topic_of(std::string_view channel) {
  std::string topic = "/" + std::string(channel);
  std::ranges::replace(topic, '.', '/');
  return topic;
}

struct Recorder::Impl {
  struct Group {  // q, v and tau of an actuator group as one sensor_msgs/JointState
    StreamId stream;
    ChannelId q, v, tau;
    std::uint64_t seen = 0;
  };
  struct Value {
    StreamId stream;
    ChannelId channel;
    bool doubles = true;
    std::uint64_t seen = 0;
    std::vector<std::byte> last;  // as recorded last
  };

  Impl(Session& session, const std::filesystem::path& file, const RecorderOptions& with)
      : options(with), writer(file, with.log) {
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
    about["first_tick"] =
        std::to_string(options.running ? options.running->first_tick() : session.ticks());
    writer.metadata(kRunMetadata, about);
    writer.start();
  }

  McapMap describe(Session& session);
  void streams(Session& session);
  void channel_streams(Session& session);
  void push_channels(Session& session, std::int64_t tick, bool all) noexcept;
  void push_transforms(Session& session, std::int64_t tick) noexcept;
  void push_key_frame(Session& session) noexcept;
  void push_events(Session& session, std::int64_t tick) noexcept;
  void push_inputs(Session& session, std::int64_t tick) noexcept;
  void push_hashes(Session& session, std::int64_t tick) noexcept;
  void flush_hashes(Nanoseconds now) noexcept;

  RecorderOptions options;
  LogWriter writer;
  std::vector<Group> groups;
  std::vector<Value> values;
  StreamId transforms, hashes, key_frames, events, inputs, robot;
  std::vector<int> links;  // bodies of the plant
  std::array<std::uint32_t, kHashBatch * kQuantities> hash_rows{};
  std::int64_t hash_first = 0, hash_count = 0;
  std::vector<std::byte> snapshot;
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
                        messages::TickHashes m;
                        m.first_tick = sample.tick;
                        m.quantities = kQuantities;
                        m.hashes.resize(sample.raw.size() / sizeof(std::uint32_t));
                        std::memcpy(m.hashes.data(), sample.raw.data(), sample.raw.size());
                        encode(m, out);
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
  channel_streams(session);
  if (MujocoPlant* plant = session.simulation()) {
    std::vector<std::string> names;
    for (std::size_t b = 1; b < plant->bodies().size() && links.size() < kMostLinks; ++b) {
      links.push_back(static_cast<int>(b));
      names.push_back(plant->bodies()[b]);
    }
    transforms =
        writer.add(kTransformTopic, message_type<messages::TFMessage>(), {},
                   [names, m = messages::TFMessage()](const LogSample& sample, Bytes& out) mutable {
                     m.transforms.resize(names.size());
                     for (std::size_t i = 0; i < names.size(); ++i) {
                       RawPose X;
                       std::memcpy(&X, sample.raw.data() + i * sizeof X, sizeof X);
                       auto& t = m.transforms[i];
                       t.header = {sample.source_stamp, "world"};
                       t.child_frame_id = names[i];
                       for (std::size_t k = 0; k < 3; ++k) t.translation[k] = rounded(X.p[k]);
                       for (std::size_t k = 0; k < 4; ++k) t.rotation[k] = rounded(X.q[k]);
                     }
                     encode(m, out);
                   });
  }
}

void Recorder::Impl::channel_streams(Session& session) {
  const ChannelTable& table = session.channels();
  const auto about = [&](ChannelId id) {
    const ChannelInfo& info = table.info(id);
    McapMap map = {{"channel", info.name},
                   {"type", name_of(info.type)},
                   {"unit", info.unit},
                   {"doc", info.doc}};
    std::string labels;
    for (const auto& label : info.type == ChannelType::kChoice ? info.choices : info.labels)
      labels += (labels.empty() ? "" : " ") + label;
    if (!labels.empty()) map["labels"] = labels;
    return map;
  };
  std::vector<bool> done(table.channels().size(), false);
  for (const auto& layout : session.plant().layout().groups) {
    if (layout.kind == GroupKind::kSuction) continue;
    Group group;
    group.q = table.find(layout.name + ".q");
    group.v = table.find(layout.name + ".v");
    group.tau = table.find(layout.name + ".tau");
    for (const ChannelId id : {group.q, group.v, group.tau}) done[id.index] = true;
    McapMap map = about(group.q);
    map["channel"] = layout.name;
    map["type"] = "group";
    group.stream = writer.add(topic_of(layout.name) + "/joint_states",
                              message_type<messages::JointState>(), map,
                              [names = layout.joints, m = messages::JointState()](
                                  const LogSample& sample, Bytes& out) mutable {
                                const auto x = doubles(sample.raw);
                                const std::size_t n = names.size();
                                m.header.stamp = sample.source_stamp;
                                m.name = names;
                                m.position.assign(x.begin(), x.begin() + n);
                                m.velocity.assign(x.begin() + n, x.begin() + 2 * n);
                                m.effort.assign(x.begin() + 2 * n, x.end());
                                encode(m, out);
                              });
    groups.push_back(group);
  }
  for (std::size_t i = 0; i < table.channels().size(); ++i) {
    if (done[i]) continue;
    const ChannelInfo& info = table.channels()[i];
    const std::string topic = topic_of(info.name);
    Value value;
    value.channel = {i};
    const McapMap map = about(value.channel);
    switch (info.type) {
      case ChannelType::kPose:
        value.stream = writer.add(topic, message_type<messages::PoseStamped>(), map,
                                  [](const LogSample& sample, Bytes& out) {
                                    const auto x = doubles(sample.raw);
                                    messages::PoseStamped m;
                                    m.header = {sample.source_stamp, "world"};
                                    std::copy_n(x.begin(), 3, m.position.begin());
                                    std::copy_n(x.begin() + 3, 4, m.orientation.begin());
                                    encode(m, out);
                                  });
        break;
      case ChannelType::kInteger:
      case ChannelType::kBoolean:
      case ChannelType::kChoice:
        value.doubles = false;
        value.stream =
            writer.add(topic, message_type<messages::Integer>(), map,
                       [words = info.choices](const LogSample& sample, Bytes& out) {
                         messages::Integer m;
                         m.header.stamp = sample.source_stamp;
                         m.value = read_raw<std::int64_t>(sample.raw);
                         if (m.value >= 0 && static_cast<std::size_t>(m.value) < words.size())
                           m.word = words[static_cast<std::size_t>(m.value)];
                         encode(m, out);
                       });
        break;
      case ChannelType::kNumber:
      case ChannelType::kVector: {
        const bool wrench = info.name.ends_with(".wrench") && info.size == 6;
        const auto sensor = std::ranges::find_if(
            session.plant().layout().sensors,
            [&](const SensorLayout& s) { return s.name + ".wrench" == info.name; });
        if (wrench && sensor != session.plant().layout().sensors.end())
          value.stream = writer.add(topic, message_type<messages::WrenchStamped>(), map,
                                    [frame = sensor->frame](const LogSample& sample, Bytes& out) {
                                      const auto x = doubles(sample.raw);
                                      messages::WrenchStamped m;
                                      m.header = {sample.source_stamp, frame};
                                      std::copy_n(x.begin(), 3, m.force.begin());
                                      std::copy_n(x.begin() + 3, 3, m.torque.begin());
                                      encode(m, out);
                                    });
        else
          value.stream = writer.add(topic, message_type<messages::Vector>(), map,
                                    [](const LogSample& sample, Bytes& out) {
                                      encode_vector(sample.source_stamp, doubles(sample.raw), out);
                                    });
        break;
      }
    }
    value.last.resize(8 * info.size);
    values.push_back(std::move(value));
  }
}

void Recorder::Impl::push_channels(Session& session, std::int64_t tick, bool all) noexcept {
  const ChannelTable& table = session.channels();
  const Nanoseconds now = tick * base;
  const auto t = static_cast<std::uint64_t>(tick);
  for (Group& group : groups) {
    const std::uint64_t writes = table.writes(group.q);
    if (writes == group.seen && !all) continue;
    group.seen = writes;
    const auto q = table.numbers(group.q), v = table.numbers(group.v),
               tau = table.numbers(group.tau);
    const auto n = static_cast<std::size_t>(q.size());
    const auto to = writer.reserve(group.stream, now, table.stamp(group.q), t, 24 * n);
    if (to.empty()) continue;
    auto* x = reinterpret_cast<double*>(to.data());
    std::copy_n(q.data(), n, x);
    std::copy_n(v.data(), n, x + n);
    std::copy_n(tau.data(), n, x + 2 * n);
    writer.commit();
  }
  for (Value& value : values) {
    const std::uint64_t writes = table.writes(value.channel);
    if (writes == value.seen && !all) continue;
    value.seen = writes;
    const Nanoseconds stamp = table.stamp(value.channel);
    const std::int64_t integer = value.doubles ? 0 : table.integer(value.channel);
    ByteSpan raw = std::as_bytes(std::span(&integer, 1));
    if (value.doubles) {
      const auto x = table.numbers(value.channel);
      raw = std::as_bytes(std::span(x.data(), static_cast<std::size_t>(x.size())));
    }
    // what stays as it is is said once a second
    if (options.extent == RecordExtent::kDefault) {
      if (!all && std::memcmp(raw.data(), value.last.data(), raw.size()) == 0) continue;
      std::memcpy(value.last.data(), raw.data(), raw.size());
    }
    writer.push(value.stream, now, stamp, t, raw);
  }
}

void Recorder::Impl::push_transforms(Session& session, std::int64_t tick) noexcept {
  MujocoPlant* plant = session.simulation();
  if (plant == nullptr || links.empty()) return;
  const auto to = writer.reserve(transforms, tick * base, plant->time(),
                                 static_cast<std::uint64_t>(tick), links.size() * sizeof(RawPose));
  if (to.empty()) return;
  auto* X = reinterpret_cast<RawPose*>(to.data());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Pose X_WB = plant->body_pose(links[i]);
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

void Recorder::Impl::push_events(Session& session, std::int64_t tick) noexcept {
  for (const Event& event : session.events().events())
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
  const TickHashes row = session.hashes();
  std::copy(row.begin(), row.end(),
            hash_rows.begin() + hash_count * static_cast<std::int64_t>(kQuantities));
  if (++hash_count == kHashBatch) flush_hashes((tick + 1) * base);
}

void Recorder::Impl::flush_hashes(Nanoseconds now) noexcept {
  if (hash_count == 0) return;
  writer.push(hashes, now, now, static_cast<std::uint64_t>(hash_first),
              std::as_bytes(
                  std::span(hash_rows).first(static_cast<std::size_t>(hash_count) * kQuantities)));
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
  impl_->push_channels(session, session.ticks(), true);
  impl_->push_transforms(session, session.ticks());
}

void Recorder::after_tick(Session& session) noexcept {
  Impl& i = *impl_;
  const std::int64_t tick = session.ticks() - 1;
  i.push_inputs(session, tick);
  i.push_events(session, tick);
  i.push_hashes(session, tick);
  const bool key = session.now() % i.options.key_frame_period == 0;
  const bool shown = due(session.ticks(), kRecordRate, i.base);
  if (i.options.extent == RecordExtent::kFull || shown || key)
    i.push_channels(session, session.ticks(), key);
  if (due(session.ticks(), kTransformRate, i.base)) i.push_transforms(session, session.ticks());
  if (key) i.push_key_frame(session);
  while (i.options.may_wait && i.writer.waiting() > 0.5 && !i.writer.status().failed)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void Recorder::end(Session& session) {
  impl_->flush_hashes(session.now());
  impl_->push_channels(session, session.ticks(), true);
  impl_->push_key_frame(session);
}

double Recorder::waiting() const { return impl_->writer.waiting(); }

LogStatus Recorder::status() const { return impl_->writer.status(); }

bool Recorder::close() {
  impl_->closed = true;
  return impl_->writer.close();
}

}  // namespace handspan
