#include "study/app_subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>

#include "core/error.hpp"
#include "core/file_trees.hpp"
#include "data/series.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "scene/load_scene.hpp"

namespace handspan {
namespace {

using Clock = std::chrono::steady_clock;

const TreeStep kSeed = std::string("seed");

}  // namespace

std::vector<Node> changed_trees(const SubjectFiles& files, std::span<const KeyChange> changes,
                                std::uint64_t seed) {
  std::vector<Node> trees = files.changed(changes);
  trees[0] = with_value(trees[0], std::span(&kSeed, 1),
                        scalar_node(std::to_string(seed), {files.path(0).string(), 0, 0}));
  return trees;
}

std::unique_ptr<App> changed_app(const StudyConfig& study, const SubjectFiles& files,
                                 const Parts& parts, std::span<const KeyChange> changes,
                                 std::uint64_t seed) {
  FileTrees trees;
  const std::vector<Node> changed = changed_trees(files, changes, seed);
  for (std::size_t f = 0; f < changed.size(); ++f) trees.give(files.path(f), changed[f]);
  return std::make_unique<App>(load_app(*study.subject.app, parts));
}

// Channels at a rate, while a run goes on.
class AppRun::Sampler {
 public:
  Sampler(const SeriesConfig& config, Session& session)
      : rate_(config.rate), base_(session.base_period()) {
    for (const std::string& pattern : config.channels) {
      const std::size_t before = ids_.size();
      for (const ChannelId id : session.channels().select(pattern)) add(session.channels(), id);
      // names those there are
      if (ids_.size() == before) session.channels().find(pattern);
      if (ids_.size() == before)
        throw InputError(fmt::format("the channel '{}' has no numbers", pattern));
    }
  }

  void after_tick(const Session& session) {
    if (!due(session.ticks() - 1, rate_, base_)) return;
    std::size_t s = 0;
    for (const ChannelId id : ids_) {
      const auto values = session.channels().numbers(id);
      for (Eigen::Index i = 0; i < values.size(); ++i, ++s) {
        series_[s].time.push_back(seconds(session.now()));
        series_[s].values.push_back(values[i]);
      }
    }
  }

  std::vector<TimeSeries> take() { return std::move(series_); }

 private:
  void add(const ChannelTable& table, ChannelId id) {
    const ChannelInfo& info = table.info(id);
    if (!holds_doubles(info.type)) return;
    ids_.push_back(id);
    const auto units = element_units(info.unit, info.size);
    for (std::size_t i = 0; i < info.size; ++i) {
      // of a pose, whose quaternion has none
      const bool turn = info.type == ChannelType::kPose && i >= 3;
      series_.push_back({info.size == 1 ? info.name : fmt::format("{}[{}]", info.name, i),
                         turn ? "" : units[i],
                         {},
                         {}});
    }
  }

  Rate rate_;
  Nanoseconds base_;
  std::vector<ChannelId> ids_;
  std::vector<TimeSeries> series_;
};

AppRun::AppRun(const StudyConfig& study, Session& session) : study_(study), session_(session) {
  for (const auto& [name, part] : study.metrics) {
    try {
      metrics_.push_back(part.make(MetricContext{session}));
    } catch (const ConfigError&) {
      throw;
    } catch (const InputError& error) {
      throw ConfigError(
          {{part.place, "metrics." + name, "cannot be made: " + std::string(error.what()), ""}});
    }
  }
  if (!study.series) return;
  try {
    sampler_ = std::make_unique<Sampler>(*study.series, session);
  } catch (const InputError& error) {
    throw ConfigError({{{study.file.string(), 0, 0},
                        "series",
                        "cannot be had: " + std::string(error.what()),
                        ""}});
  }
}

AppRun::~AppRun() = default;

std::vector<Column> AppRun::columns() const {
  std::vector<Column> columns;
  for (std::size_t m = 0; m < metrics_.size(); ++m)
    for (Column column : metrics_[m]->columns()) {
      const std::string& name = study_.metrics[m].first;
      column.name = column.name.empty() ? name : name + "." + column.name;
      columns.push_back(std::move(column));
    }
  return columns;
}

RunOutcome AppRun::run(const std::function<void(Nanoseconds)>& between) {
  const Nanoseconds until = std::llround(study_.longest.value_or(session_.app().duration) * 1e9);
  const auto waiting = [&] {
    bool waits = false;
    for (const auto& metric : metrics_) {
      const auto done = metric->done();
      if (done && !*done) return true;
      waits = waits || done.has_value();
    }
    return !waits;
  };
  const auto start = Clock::now();
  auto shown = start;
  while (session_.now() < until && !session_.ended() && !diverged(session_.world()) && waiting()) {
    session_.tick();
    for (const auto& metric : metrics_) metric->after_tick(session_);
    if (sampler_) sampler_->after_tick(session_);
    if (between && session_.ticks() % 64 == 0 &&
        Clock::now() - shown > std::chrono::milliseconds(250)) {
      shown = Clock::now();
      between(session_.now());
    }
  }
  RunOutcome outcome;
  outcome.simulated = seconds(session_.now());
  for (const auto& metric : metrics_) {
    std::vector<double> values(metric->columns().size(), NAN);
    metric->values(session_, values);
    outcome.values.insert(outcome.values.end(), values.begin(), values.end());
  }
  if (sampler_) outcome.series = sampler_->take();
  outcome.inner = std::chrono::duration<double>(Clock::now() - start).count();
  session_.finish();
  if (diverged(session_.world()))
    throw DivergedRun(fmt::format("the simulation diverged at {:.3f} s: {}",
                                  seconds(session_.now() - session_.base_period()),
                                  session_.world()->divergence()));
  return outcome;
}

AppSubject::AppSubject(const StudyConfig& study, const SubjectFiles& files, const Parts& parts)
    : study_(study), files_(files), parts_(parts) {}

// all changes that are more than numbers of the scene's bodies and contacts, as text
std::string AppSubject::structure_of(std::span<const KeyChange> changes) const {
  std::string structure;
  for (const KeyChange& change : changes) {
    if (change.at.file == files_.scene() && files_.scene() != 0) {
      if (is_number_of_scene(change.at.steps)) continue;
    } else if (change.at.file == 0) {
      const std::string& key = std::get<std::string>(change.at.steps.front());
      if (key != "scene" && key != "plants") continue;
    }
    structure +=
        fmt::format("{} {} {}", change.at.file, text_of(change.at.steps), yaml_text(change.value));
  }
  return structure;
}

void AppSubject::load(std::span<const KeyChange> changes, std::uint64_t seed) {
  FileTrees trees;
  const std::vector<Node> changed = changed_trees(files_, changes, seed);
  for (std::size_t f = 0; f < changed.size(); ++f) trees.give(files_.path(f), changed[f]);
  std::string structure = structure_of(changes);
  if (plant_ && structure == structure_ && !always_compile_) {
    // lost when something throws: the next run then compiles its own
    auto plant = std::move(plant_);
    *app_ = reload_app(*study_.subject.app, parts_, app_->scene);
    // load() made it
    if (static_cast<MujocoPlant&>(*plant).renumber()) {
      plant_ = std::move(plant);
      return;
    }
  }
  plant_.reset();
  app_ = load_app(*study_.subject.app, parts_);
  if (app_->plants.empty()) plant_ = std::make_unique<MujocoPlant>(app_->scene);
  structure_ = std::move(structure);
  ++compiled_;
}

std::unique_ptr<Session> AppSubject::session() {
  SessionOptions options;
  options.live_devices = true;
  options.simulation = std::move(plant_);
  return std::make_unique<Session>(*app_, std::move(options));
}

std::vector<Column> AppSubject::prepare(std::span<const KeyChange> changes, std::uint64_t seed) {
  load(changes, seed);
  if (app_->clock != ClockKind::kVirtual)
    throw ConfigError({{study_.subject.place, "subject.app", "is an app in step with a clock",
                        "a study needs one with clock: virtual"}});
  const auto made = session();
  auto columns = AppRun(study_, *made).columns();
  plant_ = made->release_simulation();
  return columns;
}

RunOutcome AppSubject::run(std::span<const KeyChange> changes, int, std::uint64_t seed) {
  load(changes, seed);
  const auto made = session();
  RunOutcome outcome = AppRun(study_, *made).run();
  // of a run that throws it is lost, and the next one compiles its own
  plant_ = made->release_simulation();
  return outcome;
}

std::vector<std::filesystem::path> write_files(const SubjectFiles& files,
                                               const std::vector<Node>& changed,
                                               const std::vector<std::filesystem::path>& used,
                                               const std::filesystem::path& folder) {
  std::filesystem::path common = files.path(0).parent_path();
  for (const auto& file : used)
    while (std::mismatch(common.begin(), common.end(), file.begin(), file.end()).first !=
           common.end())
      common = common.parent_path();
  std::vector<std::filesystem::path> copies;
  for (const auto& file : used) {
    const auto& copy = copies.emplace_back(folder / file.lexically_relative(common));
    std::filesystem::create_directories(copy.parent_path());
    std::size_t f = 0;
    while (f < files.size() && files.path(f) != file) ++f;
    // comments stay where nothing changed
    if (std::error_code none; std::filesystem::equivalent(file, copy, none))
      throw InputError(
          fmt::format("{}: is of the study's app, and the app of a run would be "
                      "written over it; give another --out",
                      file.string()));
    if (f == files.size() || same_content(changed[f], files.tree(f))) {
      std::filesystem::copy_file(file, copy, std::filesystem::copy_options::overwrite_existing);
      continue;
    }
    std::ofstream out(copy, std::ios::binary);
    out << yaml_text(changed[f]);
    out.flush();
    if (!out)
      throw InputError(fmt::format("{}: cannot be written; is the disk full?", copy.string()));
  }
  return copies;
}

std::filesystem::path write_app(const SubjectFiles& files, const Parts& parts,
                                std::span<const KeyChange> changes, std::uint64_t seed,
                                const std::filesystem::path& folder) {
  const std::vector<Node> changed = changed_trees(files, changes, seed);
  std::vector<std::filesystem::path> used;
  {
    FileTrees trees;
    // what did not change is read, so that what it extends is among the files
    for (std::size_t f = 0; f < changed.size(); ++f)
      if (!same_content(changed[f], files.tree(f))) trees.give(files.path(f), changed[f]);
    used = load_app(files.path(0), parts).files;
  }
  return write_files(files, changed, used, folder).front();
}

}  // namespace handspan
