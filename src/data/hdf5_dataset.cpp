#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "data/dataset.hpp"
#include "data/import_description.hpp"
#include "data/series.hpp"
#include "record/hdf5_file.hpp"

namespace handspan {
namespace {

using nlohmann::ordered_json;

constexpr int kGym = 2;  // a type of environment that robomimic knows; it makes none of it to train

constexpr char kAlignment[] =
    "obs[k]: measured at the beginning of row k. actions[k]: the references at the end of row k, "
    "in the "
    "last tick before row k + 1. next_obs[k] = obs[k + 1]. states[k], states_loop[k]: before row k";
constexpr char kInverse[] = "action = action_offset + action_scale * actions[k]";

std::vector<double> rows_of(const std::vector<double>& values, std::size_t first, std::size_t count,
                            std::size_t columns) {
  const auto at = [&](std::size_t row) {
    return values.begin() + static_cast<std::ptrdiff_t>(row * columns);
  };
  return {at(first), at(first + count)};
}

std::size_t exact_columns(const ActionPart& part) {
  switch (part.kind) {
    case ActionPart::Kind::kPose:
      return 24;
    case ActionPart::Kind::kJoints:
      return 3 * part.columns.size();
    case ActionPart::Kind::kWrench:
      return 6;
    case ActionPart::Kind::kCommand:
      break;
  }
  return 0;
}

// positions [P, 3] and the rest of poses [P, 6]
std::pair<std::vector<double>, std::vector<double>> halves(const std::vector<double>& poses) {
  std::pair<std::vector<double>, std::vector<double>> result;
  for (std::size_t at = 0; at < poses.size(); at += 9) {
    const auto first = poses.begin() + static_cast<std::ptrdiff_t>(at);
    result.first.insert(result.first.end(), first, first + 3);
    result.second.insert(result.second.end(), first + 3, first + 9);
  }
  return result;
}

// The file while it is written: it goes unless it became what it is for.
class PartFile {
 public:
  explicit PartFile(const std::filesystem::path& file)
      : file_(file), part_(file.string() + ".part") {}
  ~PartFile() {
    std::error_code failed;
    std::filesystem::remove(part_, failed);
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  const std::filesystem::path& path() const { return part_; }
  void becomes_the_file() const {
    std::error_code failed;
    std::filesystem::rename(part_, file_, failed);
    if (failed)
      throw InputError(
          fmt::format("{}: it cannot be written ({}); see that the folder is there "
                      "and may be written to",
                      file_.string(), failed.message()));
  }

 private:
  std::filesystem::path file_, part_;
};

class Hdf5Dataset : public DatasetWriter {
 public:
  Hdf5Dataset(const std::filesystem::path& file, const DatasetOptions& options)
      : file_(file), part_(file), options_(options) {
    if (file.has_parent_path()) {
      std::error_code failed;
      std::filesystem::create_directories(file.parent_path(), failed);
    }
    if (options.append && std::filesystem::exists(file)) {
      std::error_code failed;
      std::filesystem::copy_file(file, part_.path(),
                                 std::filesystem::copy_options::overwrite_existing, failed);
      if (failed)
        throw InputError(fmt::format("{}: it cannot be copied to be added to ({}); free some space",
                                     file.string(), failed.message()));
      out_.emplace(part_.path(), Hdf5File::Open::kAdd);
      read_before();
      return;
    }
    out_.emplace(part_.path());
    out_->group("/data");
    out_->group("/mask");
  }
  void add(Demonstration&& demo, const DemonstrationLayout& layout) override {
    if (columns_.empty()) columns_ = layout.action_columns;
    if (columns_ != layout.action_columns)
      throw InputError(fmt::format(
          "{}: its actions are {} and those to add {}; make a data set of their own",
          file_.string(), fmt::join(columns_, " "), fmt::join(layout.action_columns, " ")));
    layout_ = layout;
    const std::string path = fmt::format("/data/demo_{}", names_.size());
    names_.push_back(path.substr(6));
    outcomes_.push_back(demo.episode.outcome);
    out_->group(path);
    observations(path, demo, layout);
    dictionary(path, demo, layout);
    states(path, demo);
    std::vector<double> rewards(demo.rows, 0.0);
    std::vector<std::int64_t> dones(demo.rows, 0);
    dones.back() = 1;
    rewards.back() = demo.episode.outcome == "success" ? 1.0 : 0.0;
    out_->vector(path + "/rewards", rewards);
    out_->vector(path + "/dones", dones);
    out_->vector(path + "/time", std::span(demo.time).first(demo.rows));
    out_->attribute(path, "num_samples", static_cast<std::int64_t>(demo.rows));
    out_->attribute(path, "task", demo.episode.task);
    out_->attribute(path, "outcome", demo.episode.outcome);
    out_->attribute(path, "remark", demo.episode.remark);
    out_->attribute(path, "operator", demo.episode.operator_name);
    out_->attribute(path, "log", demo.source);
    out_->attribute(path, "episode", static_cast<std::int64_t>(demo.number));
    total_ += static_cast<std::int64_t>(demo.rows);
    actions_.push_back(std::move(demo.actions));
  }

  void close() override {
    if (names_.empty()) throw InputError(fmt::format("{}: nothing was exported", file_.string()));
    scale_actions();
    masks();
    about();
    out_->close();
    out_.reset();
    part_.becomes_the_file();
  }

 private:
  void read_before() {
    std::vector<std::string> demos = out_->names("/data");
    std::ranges::sort(demos, {}, [](const std::string& demo) {
      return demo.starts_with("demo_") ? std::atoi(demo.c_str() + 5) : -1;
    });
    const auto about =
        ordered_json::parse(out_->text_attribute("/data", "handspan"), nullptr, false);
    const auto scale = out_->numbers_attribute("/data", "action_scale"),
               offset = out_->numbers_attribute("/data", "action_offset");
    const bool whole = about.is_object() && about.contains("action_columns") &&
                       about.contains("rate") && about.contains("actions") &&
                       scale.size() == offset.size();
    if (whole) columns_ = about["action_columns"].get<std::vector<std::string>>();
    if (!whole || columns_.size() != scale.size())
      throw InputError(fmt::format("{}: only a data set that this program wrote can be added to",
                                   file_.string()));
    if (about["rate"].get<double>() != options_.rate.hz() || about["actions"] != frame())
      throw InputError(fmt::format(
          "{}: it is at {:g} Hz with {} actions, and {:g} Hz with {} ones are to be added; ask for "
          "the same",
          file_.string(), about["rate"].get<double>(), about["actions"].get<std::string>(),
          options_.rate.hz(), frame()));
    for (const auto& demo : demos) {
      names_.push_back(demo);
      outcomes_.push_back(out_->text_attribute("/data/" + demo, "outcome"));
      auto actions = out_->numbers("/data/" + demo + "/actions");
      for (std::size_t i = 0; i < actions.size(); ++i)
        actions[i] = offset[i % offset.size()] + scale[i % scale.size()] * actions[i];
      total_ += static_cast<std::int64_t>(actions.size() / columns_.size());
      actions_.push_back(std::move(actions));
    }
  }

  void observations(const std::string& path, const Demonstration& demo,
                    const DemonstrationLayout& layout) {
    for (const auto& [group, first] : {std::pair("/obs", 0U), std::pair("/next_obs", 1U)}) {
      out_->group(path + group);
      for (std::size_t o = 0; o < layout.observations.size(); ++o) {
        const ObservationInfo& info = layout.observations[o];
        const std::size_t n = info.columns.size();
        const std::string to = fmt::format("{}{}/{}", path, group, info.name);
        out_->matrix(to, rows_of(demo.observations[o], first, demo.rows, n), n);
        out_->attribute(to, "columns", fmt::format("{}", fmt::join(info.columns, ", ")));
        out_->attribute(to, "channel", info.channel);
      }
    }
  }

  void dictionary(const std::string& path, const Demonstration& demo,
                  const DemonstrationLayout& layout) {
    out_->group(path + "/action_dict");
    out_->group(path + "/action_exact");
    for (std::size_t a = 0; a < layout.actions.size(); ++a) {
      const ActionPart& part = layout.actions[a];
      const std::string to = path + "/action_dict/" + dataset_key(part.name);
      const std::size_t n = part.columns.size();
      for (const auto& [how, values] :
           {std::pair("abs", &demo.absolute[a]), std::pair("rel", &demo.relative[a])}) {
        if (values->empty()) continue;
        if (part.kind != ActionPart::Kind::kPose) {
          out_->matrix(fmt::format("{}_{}", to, how), *values, n);
          continue;
        }
        const auto [position, rotation] = halves(*values);
        out_->matrix(fmt::format("{}_{}_pos", to, how), position, 3);
        out_->matrix(fmt::format("{}_{}_rot_6d", to, how), rotation, 6);
      }
      if (!demo.exact[a].empty())
        out_->matrix(path + "/action_exact/" + dataset_key(part.name), demo.exact[a],
                     exact_columns(part));
    }
  }

  void states(const std::string& path, const Demonstration& demo) {
    if (demo.states.empty()) return;
    for (const auto& [name, member] :
         {std::pair("/states", &RowState::plant), std::pair("/states_loop", &RowState::loop)}) {
      std::size_t width = 0;
      for (const auto& state : demo.states) width = std::max(width, (state.*member).size());
      std::vector<std::byte> all(width * demo.rows);
      std::vector<std::int64_t> sizes;
      for (std::size_t k = 0; k < demo.rows; ++k) {
        const auto& bytes = demo.states[k].*member;
        std::ranges::copy(bytes, all.begin() + static_cast<std::ptrdiff_t>(k * width));
        sizes.push_back(static_cast<std::int64_t>(bytes.size()));
      }
      out_->bytes(path + name, all, width);
      if (std::ranges::adjacent_find(sizes, std::not_equal_to<>()) != sizes.end())
        out_->vector(path + name + "_size", sizes);
      out_->attribute(path + name, "is",
                      "snapshots of handspan, a row each, for the build named in "
                      "/data's attribute handspan");
    }
  }

  void scale_actions() {
    std::vector<double> all;
    for (const auto& actions : actions_) all.insert(all.end(), actions.begin(), actions.end());
    const std::size_t n = columns_.size();
    const auto scales = action_scales(all, n);
    for (std::size_t d = 0; d < names_.size(); ++d) {
      std::vector<double> scaled = actions_[d];
      for (std::size_t i = 0; i < scaled.size(); ++i)
        scaled[i] = std::clamp((scaled[i] - scales[i % n].offset) / scales[i % n].scale, -1.0, 1.0);
      out_->matrix("/data/" + names_[d] + "/actions", scaled, n);
    }
    std::vector<double> offset, scale;
    for (const ActionScale& s : scales) {
      offset.push_back(s.offset);
      scale.push_back(s.scale);
    }
    out_->attribute("/data", "action_offset", offset);
    out_->attribute("/data", "action_scale", scale);
  }

  void masks() {
    std::vector<std::string> train, valid, successes, failures;
    // every so many one, spread over all: whoever adds to it keeps the split of what was there
    const auto every = options_.validation > 0.0
                           ? static_cast<std::size_t>(std::lround(1.0 / options_.validation))
                           : 0;
    for (std::size_t d = 0; d < names_.size(); ++d) {
      const bool held_out = every > 0 && (d + 1) % every == 0;
      (held_out ? valid : train).push_back(names_[d]);
      if (outcomes_[d] == "success") successes.push_back(names_[d]);
      if (outcomes_[d] == "failure") failures.push_back(names_[d]);
    }
    out_->words("/mask/train", train);
    out_->words("/mask/valid", valid);
    out_->words("/mask/successes", successes);
    out_->words("/mask/failures", failures);
  }

  void about() {
    ordered_json env = {
        {"env_name", "handspan"}, {"type", kGym}, {"env_kwargs", {{"rate", options_.rate.hz()}}}};
    out_->attribute("/data", "env_args", env.dump());
    ordered_json about = {{"rate", options_.rate.hz()},
                          {"actions", frame()},
                          {"action_columns", columns_},
                          {"action_inverse", kInverse},
                          {"alignment", kAlignment}};
    out_->attribute("/data", "handspan", about.dump());
    out_->attribute("/data", "total", total_);
    if (!layout_.actions.empty()) out_->attribute("/data", kImportAttribute, description());
  }

  // of what is not scaled, absolute
  std::string description() const {
    ImportDescription of;
    of.time = "time";
    const auto part = [](const std::string& name, std::size_t first, std::size_t count,
                         std::size_t all) {
      return count == all ? name : fmt::format("{}[{}:{}]", name, first, first + count);
    };
    of.observations = [&](std::size_t o, std::size_t first, std::size_t count) {
      const ObservationInfo& info = layout_.observations[o];
      return part("obs/" + info.name, first, count, info.columns.size());
    };
    of.actions = [&](std::size_t a, std::size_t first, std::size_t count) {
      const ActionPart& action = layout_.actions[a];
      const std::string name = "action_dict/" + dataset_key(action.name) + "_abs";
      if (action.kind == ActionPart::Kind::kPose) return name + (first == 0 ? "_pos" : "_rot_6d");
      return part(name, first, count, action.columns.size());
    };
    return import_description(layout_, of);
  }

  std::string frame() const {
    return options_.frame == ActionFrame::kAbsolute ? "absolute" : "relative";
  }

  std::filesystem::path file_;
  PartFile part_;
  DatasetOptions options_;
  std::optional<Hdf5File> out_;
  DemonstrationLayout layout_;
  std::vector<std::string> columns_, names_, outcomes_;
  std::vector<std::vector<double>> actions_;  // by demonstration, not scaled
  std::int64_t total_ = 0;
};

}  // namespace

std::vector<ActionScale> action_scales(const std::vector<double>& values, std::size_t columns) {
  std::vector<ActionScale> scales(columns);
  for (std::size_t c = 0; c < columns && c < values.size(); ++c) {
    double low = values[c], high = values[c];
    for (std::size_t i = c; i < values.size(); i += columns) {
      low = std::min(low, values[i]);
      high = std::max(high, values[i]);
    }
    scales[c].offset = 0.5 * (low + high);
    // what does not change but by rounding is not blown up to noise
    if (high - low > 1e-9 * std::max(1.0, std::abs(scales[c].offset)))
      scales[c].scale = 0.5 * (high - low);
  }
  return scales;
}

std::unique_ptr<DatasetWriter> hdf5_dataset(const std::filesystem::path& file,
                                            const DatasetOptions& options) {
  return std::make_unique<Hdf5Dataset>(file, options);
}

}  // namespace handspan
