// Apps and their sessions for Python. Ticks run without the interpreter's lock; what is read or
// posted meanwhile from another thread is refused, since a session belongs to one loop.
#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <tuple>
#include <unordered_map>

#include "bindings.hpp"
#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/overwritten.hpp"
#include "log/recorder.hpp"
#include "mujoco/picture.hpp"
#include "scene/data_folder.hpp"
#include "session/session.hpp"
#include "session/who_acts.hpp"
#include "skills/built_in.hpp"
#include "study/changed_app.hpp"

namespace nb = nanobind;

namespace handspan {
namespace {

using Overrides = std::vector<std::pair<std::string, std::string>>;
using Numbers = std::vector<double>;
constexpr char kOperatorBox[] = "operator";
// between looks for Ctrl-C while ticks run [ns]
constexpr Nanoseconds kSignalPeriod = kSecond / 50;

std::vector<ParameterOverride> overrides_of(const Overrides& pairs) {
  std::vector<ParameterOverride> overrides;
  for (const auto& [key, value] : pairs) overrides.push_back({key, value});
  return overrides;
}

// An app with its parameters, as sessions are made of it.
struct PythonApp {
  PythonApp(const std::filesystem::path& file, const Overrides& parameters,
            std::optional<std::uint64_t> seed)
      : changed(file, built_in_parts(), overrides_of(parameters)) {
    if (seed) changed.app.seed = *seed;
  }
  ChangedApp changed;
};

// While it lives, nobody else may use the session.
class InUse {
 public:
  explicit InUse(std::atomic<bool>& flag) : flag_(flag) {
    if (flag_.exchange(true))
      throw std::runtime_error("the session ticks in another thread; wait until that has ended");
  }
  ~InUse() { flag_ = false; }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

 private:
  std::atomic<bool>& flag_;
};

// A recording that would write over what is no log.
void refuse_record(const std::filesystem::path& file) {
  try {
    refuse_foreign(file, "record");
  } catch (const InputError&) {
    throw InputError(
        fmt::format("record {}: is a file that handspan did not write: it would be lost; name "
                    "another file, or remove it",
                    printable(file.string())));
  }
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path());
}

class PythonSession {
 public:
  PythonSession(std::shared_ptr<PythonApp> app, bool devices,
                const std::vector<std::pair<std::string, double>>& parameters,
                const std::optional<std::filesystem::path>& record, bool full)
      : app_(std::move(app)) {
    if (record) refuse_record(*record);
    SessionOptions options;
    options.live_devices = devices;
    options.parameters = parameters;
    session_ = std::make_unique<Session>(app_->changed.app, std::move(options));
    if (!session_->plant().simulated())
      throw InputError(
          fmt::format("{}: its plants are not simulated, and a robot does not wait for Python; use "
                      "`handspan run`, and the source `policy` for a program that moves it",
                      printable(app_->changed.app.file.string())));
    const auto& channels = session_->channels().channels();
    for (std::size_t i = 0; i < channels.size(); ++i) index_[channels[i].name] = i;
    post(InputKind::kOperator, "", devices ? acts_alone(*session_) : "Python", {});
    if (!record) return;
    RecorderOptions recording;
    const bool everything = full || app_->changed.app.record == RecordExtent::kFull;
    recording.extent = everything ? RecordExtent::kFull : RecordExtent::kDefault;
    recording.may_wait = true;
    recorder_ = std::make_unique<Recorder>(*session_, *record, recording);
  }
  ~PythonSession() {
    if (!closed_) session_->finish();
  }
  PythonSession(const PythonSession&) = delete;
  PythonSession& operator=(const PythonSession&) = delete;

  // Ticks until n are done. Ctrl-C ends it between two of them, and it may go on from there.
  void tick(std::int64_t n) {
    if (n < 0) throw InputError(fmt::format("tick({}): a number of ticks is not negative", n));
    if (closed_) throw InputError("tick(): the session is closed; make another one of the app");
    const InUse use(in_use_);
    for (bool good = true; n > 0;) {
      {
        const nb::gil_scoped_release others_run;
        const Nanoseconds until = steady_now() + kSignalPeriod;
        do {
          session_->await_answers();
          session_->tick();
          good = !diverged(session_->world());
        } while (--n > 0 && good && steady_now() < until);
      }
      if (!good)
        throw std::runtime_error(
            fmt::format("the simulation diverged at {:.3f} s: {}", seconds(session_->now()),
                        "what was commanded cannot be, or the scene is too stiff for its step"));
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
  }

  Session& session() const {
    if (in_use_)
      throw std::runtime_error("the session ticks in another thread; wait until that has ended");
    return *session_;
  }

  std::size_t find(const std::string& name) const {
    const auto found = index_.find(name);
    // the error names the nearest
    return found != index_.end() ? found->second : session().channels().find(name).index;
  }

  nb::object value(const std::string& name) const {
    const ChannelTable& table = session().channels();
    const ChannelId id{find(name)};
    const ChannelInfo& info = table.info(id);
    switch (info.type) {
      case ChannelType::kNumber:
        return nb::float_(table.number(id));
      case ChannelType::kInteger:
        return nb::int_(table.integer(id));
      case ChannelType::kBoolean:
        return nb::bool_(table.integer(id) != 0);
      case ChannelType::kChoice:
        return nb::cast(info.choices[static_cast<std::size_t>(table.integer(id))]);
      default: {
        const auto x = table.numbers(id);
        return nb::cast(nb::ndarray<nb::numpy, const double>(
                            x.data(), {static_cast<std::size_t>(x.size())}, nb::handle()),
                        nb::rv_policy::copy);
      }
    }
  }

  // Several channels one after another; choices as their index.
  Numbers stack(const std::vector<std::size_t>& channels) const {
    const ChannelTable& table = session().channels();
    Numbers all;
    for (const std::size_t index : channels) {
      if (index >= table.channels().size())
        throw InputError(fmt::format("there is no channel of index {}", index));
      const ChannelId id{index};
      if (holds_doubles(table.info(id).type)) {
        const auto x = table.numbers(id);
        all.insert(all.end(), x.begin(), x.end());
      } else {
        all.push_back(static_cast<double>(table.integer(id)));
      }
    }
    return all;
  }

  void post(InputKind kind, const std::string& to, std::string_view text, const Numbers& numbers) {
    Input input;
    input.kind = kind;
    input.stamp = session().now();
    input.to = to;
    input.text = text;
    if (!input.set(numbers))
      throw InputError(fmt::format("{} has {} numbers; an input has at most {}",
                                   to.empty() ? name_of(kind) : to, numbers.size(),
                                   kMostInputNumbers));
    const std::string box = kind == InputKind::kSample ? to : kOperatorBox;
    if (!session().mailbox(box).post(input))
      throw InputError(fmt::format(
          "{} has too many inputs that no tick has taken yet; tick() between them", shown(box)));
  }

  void set_parameter(const std::string& name, double value) {
    const ParameterTable& table = session().parameters();
    const ParameterInfo& info = table.info(table.find(name));
    if (!(value >= info.min && value <= info.max))
      throw InputError(out_of_range(info, value, {info.min, info.max}));
    post(InputKind::kParameter, name, "", {value});
  }

  // Pairs of a reference and a pose_stream that some state gives authority over it.
  std::vector<std::pair<std::string, std::string>> streams() const {
    std::vector<std::pair<std::string, std::string>> all;
    const Arbiter& arbiter = session().arbiter();
    for (const Machine& machine : session().machines())
      for (const Following& following : machine.follows()) {
        const std::string& source = arbiter.source_name(following.source);
        const auto is_stream = [&](const auto& named) {
          return named.first == source && named.second.name == "pose_stream";
        };
        if (std::ranges::none_of(session().app().sources, is_stream)) continue;
        const std::pair pair(arbiter.reference(following.reference).name(), source);
        if (std::ranges::count(all, pair) == 0) all.push_back(pair);
      }
    return all;
  }

  // Of each reference its name, its kind, and why it holds, or nothing.
  std::vector<std::tuple<std::string, std::string, std::optional<std::string>>> references() const {
    std::vector<std::tuple<std::string, std::string, std::optional<std::string>>> all;
    const Arbiter& arbiter = session().arbiter();
    for (const ReferenceIndex r : arbiter.references()) {
      std::optional<std::string> why;
      if (arbiter.holding(r)) why = std::string(arbiter.reason(r));
      all.emplace_back(arbiter.reference(r).name(), arbiter.reference(r).kind(), why);
    }
    return all;
  }

  nb::bytes snapshot() const {
    std::vector<std::byte> bytes;
    session().snapshot(bytes);
    return nb::bytes(bytes.data(), bytes.size());
  }
  void restore(const nb::bytes& bytes) {
    if (recorder_)
      throw InputError("a session that is recorded cannot be restored; leave out record=");
    session().restore({static_cast<const std::byte*>(bytes.data()), bytes.size()});
  }

  void picture(const std::filesystem::path& file, const std::string& view,
               const std::optional<std::array<int, 2>>& size) const {
    const App& app = session().app();
    PictureOptions options{size.value_or(app.picture.size), view.empty() ? app.picture.view : view};
    const nb::gil_scoped_release others_run;
    write_picture(*session_->world(), options, file);
  }

  void close() {
    if (closed_) return;
    const InUse use(in_use_);
    closed_ = true;
    const nb::gil_scoped_release others_run;
    session_->finish();
    if (!recorder_) return;
    const bool whole = recorder_->close();
    const LogStatus status = recorder_->status();
    if (!whole) throw InputError(fmt::format("the recording ended early: {}", status.message));
  }

 private:
  std::shared_ptr<PythonApp> app_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Recorder> recorder_;  // it looks on
  std::unordered_map<std::string, std::size_t> index_;
  std::atomic<bool> in_use_ = false;
  bool closed_ = false;
};

nb::object view_of(nb::handle_t<PythonSession> self, const std::string& name) {
  const auto& session = nb::cast<const PythonSession&>(self);
  const ChannelTable& table = session.session().channels();
  const ChannelId id{session.find(name)};
  if (!holds_doubles(table.info(id).type))
    throw InputError(fmt::format("{} is of type {} and has no view; read it by its name in []",
                                 shown(name), name_of(table.info(id).type)));
  const auto x = table.numbers(id);
  return nb::cast(
      nb::ndarray<nb::numpy, const double>(x.data(), {static_cast<std::size_t>(x.size())}, self));
}

nb::object parameters_of(const PythonSession& self) {
  nb::dict all;
  const ParameterTable& table = self.session().parameters();
  for (std::size_t p = 0; p < table.size(); ++p)
    all[nb::cast(table.info(p).name)] = nb::cast(table.get(p));
  return all;
}

}  // namespace

void bind_session(nb::module_& module) {
  nb::class_<PythonApp>(module, "App")
      .def(
          "__init__",
          [](PythonApp* self, const std::filesystem::path& file, const Overrides& parameters,
             std::optional<std::uint64_t> seed) {
            const nb::gil_scoped_release others_run;
            refuse_robot_description(file);
            new (self) PythonApp(file, parameters, seed);
          },
          nb::arg("file"), nb::arg("parameters") = Overrides(), nb::arg("seed") = nb::none())
      .def_prop_ro("name", [](const PythonApp& app) { return app.changed.app.name; })
      .def_prop_ro("file", [](const PythonApp& app) { return app.changed.app.file; })
      .def_prop_ro("duration", [](const PythonApp& app) { return app.changed.app.duration; })
      .def_prop_ro("seed", [](const PythonApp& app) { return app.changed.app.seed; })
      .def_prop_ro("sources", [](const PythonApp& app) {
        std::vector<std::pair<std::string, std::string>> all;
        for (const auto& [name, part] : app.changed.app.sources) all.emplace_back(name, part.name);
        return all;
      });
  nb::class_<PythonSession>(module, "Session")
      .def(
          "__init__",
          [](PythonSession* self, std::shared_ptr<PythonApp> app, bool devices,
             const std::vector<std::pair<std::string, double>>& parameters,
             const std::optional<std::filesystem::path>& record, bool full) {
            const nb::gil_scoped_release others_run;
            new (self) PythonSession(std::move(app), devices, parameters, record, full);
          },
          nb::arg("app"), nb::arg("devices") = true,
          nb::arg("parameters") = std::vector<std::pair<std::string, double>>(),
          nb::arg("record") = nb::none(), nb::arg("full") = false)
      .def("tick", &PythonSession::tick, nb::arg("n") = 1)
      .def_prop_ro("ticks", [](const PythonSession& s) { return s.session().ticks(); })
      .def_prop_ro(
          "now", [](const PythonSession& s) { return s.session().now(); }, "[ns]")
      .def_prop_ro(
          "base_period", [](const PythonSession& s) { return s.session().base_period(); },
          "of a tick [ns]")
      .def_prop_ro("ended", [](const PythonSession& s) { return s.session().ended(); })
      .def_prop_ro("channels",
                   [](const PythonSession& s) { return s.session().channels().channels(); })
      .def("find", &PythonSession::find, nb::arg("channel"))
      .def("value", &PythonSession::value, nb::arg("channel"))
      .def("view", &view_of, nb::arg("channel"))
      .def(
          "stamp",
          [](const PythonSession& s, const std::string& name) {
            return s.session().channels().stamp({s.find(name)});
          },
          nb::arg("channel"))
      .def(
          "stack",
          [](const PythonSession& s, const std::vector<std::size_t>& channels) {
            auto* all = new Numbers(s.stack(channels));
            const nb::capsule owner(all, [](void* p) noexcept { delete static_cast<Numbers*>(p); });
            return nb::ndarray<nb::numpy, double>(all->data(), {all->size()}, owner);
          },
          nb::arg("channels"))
      .def(
          "post",
          [](PythonSession& s, const std::string& kind, const std::string& to,
             const std::string& text,
             const Numbers& numbers) { s.post(input_kind(kind), to, text, numbers); },
          nb::arg("kind"), nb::arg("to") = "", nb::arg("text") = "", nb::arg("numbers") = Numbers())
      .def("set_parameter", &PythonSession::set_parameter, nb::arg("name"), nb::arg("value"))
      .def_prop_ro("parameters", &parameters_of)
      .def_prop_ro("streams", &PythonSession::streams)
      .def_prop_ro("references", &PythonSession::references)
      .def("snapshot", &PythonSession::snapshot)
      .def("restore", &PythonSession::restore, nb::arg("snapshot"))
      .def("picture", &PythonSession::picture, nb::arg("file"), nb::arg("view") = "",
           nb::arg("size") = nb::none())
      .def("close", &PythonSession::close);
}

}  // namespace handspan
