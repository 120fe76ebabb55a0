#include "study/run_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/suggest.hpp"

namespace handspan {
namespace {

constexpr std::int64_t kMostRuns = 10'000'000;

bool same(const KeyAddress& a, const KeyAddress& b) {
  return a.file == b.file && a.steps == b.steps;
}

// what was written, with the changes before: to the key, or to something that it is in
const Node* current(const SubjectFiles& files, const std::vector<KeyChange>& changes,
                    const KeyAddress& at) {
  const std::span<const TreeStep> steps(at.steps);
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    const std::size_t n = change->at.steps.size();
    if (change->at.file == at.file && n <= steps.size() &&
        std::ranges::equal(change->at.steps, steps.first(n)))
      return find(change->value, steps.subspan(n));
  }
  return files.written(at);
}

}  // namespace

RunPlan::RunPlan(const StudyConfig& study, SubjectFiles files,
                 const std::vector<ParameterOverride>& overrides, int cases)
    : study_(&study), files_(std::move(files)) {
  std::vector<KeyChange> common, last;
  add_set(study.set, common);
  for (const auto& [key, value] : overrides) {
    const Place place{"--param", 0, 0};
    Node tree = parse_tree(value, "--param " + key);
    last.push_back({files_.address(key, place), std::move(tree)});
  }
  std::vector<int> numbers;
  const int n = study.n.value_or(cases > 0 ? cases : 1);
  for (const auto& [name, cell] : study.cells) {
    cells_.push_back(name);
    fixed_.push_back(common);
    add_set(cell.set, fixed_.back());
    numbers.push_back(cell.n.value_or(n));
  }
  if (cells_.empty()) {
    cells_.emplace_back("all");
    fixed_.push_back(common);
    numbers.push_back(n);
  }
  // the command line has the last word
  for (auto& fixed : fixed_) fixed.insert(fixed.end(), last.begin(), last.end());
  std::int64_t combinations = 1;
  for (std::size_t v = 0; v < study.vary.size(); ++v) {
    const Variation& variation = study.vary[v].second;
    if (variation.distribution != Distribution::kGrid) continue;
    grids_.push_back(v);
    combinations *= static_cast<std::int64_t>(variation.values.size());
  }
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    auto& varied = varied_.emplace_back();
    for (const auto& [name, variation] : study.vary) varied.push_back({&variation, {}});
    if (!study.cells.empty())
      for (const auto& [name, variation] : study.cells[c].second.vary)
        for (std::size_t v = 0; v < study.vary.size(); ++v)
          if (study.vary[v].first == name) varied[v].variation = &variation;
    for (Varied& each : varied)
      for (const VariedKey& key : each.variation->keys) {
        each.addresses.push_back(files_.address(key.key, key.place, fixed_[c]));
        for (const auto& change : last)
          if (same(change.at, each.addresses.back()) && !key.add)
            throw InputError(fmt::format(
                "--param {}: the study varies it ('{}'); change the study, or take another key",
                text_of(change.at.steps), each.variation->name));
      }
  }
  std::int64_t total = 0;
  for (const int of_cell : numbers) total += combinations * of_cell;
  if (combinations > kMostRuns || total > kMostRuns)
    throw ConfigError({{{study.file.string(), 0, 0},
                        "",
                        fmt::format("the study has more than {} runs", kMostRuns),
                        "take fewer values of its grids"}});
  for (std::size_t c = 0; c < cells_.size(); ++c)
    for (int combination = 0; combination < combinations; ++combination)
      for (int repeat = 0; repeat < numbers[c]; ++repeat)
        runs_.push_back(
            {static_cast<int>(runs_.size()) + 1, c, cells_[c], repeat, combination, {}});
  check_scene();
  // what cannot be computed is found before anything runs
  for (std::size_t c = 0; c < cells_.size(); ++c)
    for (const RunSpec& run : runs_)
      if (run.cell == c) {
        changes(run);
        break;
      }
}

// A key below `scene` is in the scene that the file names: which is another when `scene` changes
// too.
void RunPlan::check_scene() const {
  bool renamed = false, below = false;
  const auto look = [&](const KeyAddress& at) {
    renamed = renamed || (at.file == 0 && text_of(at.steps) == "scene");
    below = below || at.file != 0;
  };
  for (const auto& fixed : fixed_)
    for (const KeyChange& change : fixed) look(change.at);
  for (const auto& of_cell : varied_)
    for (const Varied& each : of_cell)
      for (const KeyAddress& at : each.addresses) look(at);
  if (renamed && below)
    throw ConfigError({{{study_->file.string(), 0, 0},
                        "",
                        "the study changes which scene the app has, and keys of that scene",
                        "make a study of each scene, or scenes that have these values"}});
}

void RunPlan::add_set(const KeyValues& set, std::vector<KeyChange>& into) {
  for (const auto& [key, value] : set)
    into.push_back({files_.address(key, value.place(), into), value});
}

RunChanges RunPlan::changes(const RunSpec& run) const {
  RunChanges result;
  result.changes = fixed_[run.cell];
  std::vector<int> levels(study_->vary.size(), 0);
  int rest = run.combination;
  for (auto grid = grids_.rbegin(); grid != grids_.rend(); ++grid) {
    const auto size = static_cast<int>(study_->vary[*grid].second.values.size());
    levels[*grid] = rest % size;
    rest /= size;
  }
  for (std::size_t v = 0; v < study_->vary.size(); ++v) {
    const Variation& variation = *varied_[run.cell][v].variation;
    Drawn drawn =
        run.middle ? middle(variation) : draw(variation, seed(run), run.repeat, levels[v]);
    for (const auto& [given, value] : run.given)
      if (given == v) drawn = {value, fmt::format("{}", value), std::nullopt};
    for (std::size_t k = 0; k < variation.keys.size(); ++k) {
      const VariedKey& key = variation.keys[k];
      const KeyAddress& at = varied_[run.cell][v].addresses[k];
      try {
        Node value = value_for(key, drawn, current(files_, result.changes, at), key.place);
        result.changes.push_back({at, std::move(value)});
      } catch (const ConfigError&) {
        throw;
      } catch (const InputError& error) {
        throw ConfigError(
            {{key.place, fmt::format("vary.{}: the key '{}'", variation.name, key.key),
              error.what(), "give a number there, or leave add, gain and bounds out"}});
      }
    }
    result.drawn.push_back({drawn.number, std::move(drawn.text)});
  }
  return result;
}

RunSpec RunPlan::spec(const RunRequest& request, const std::string& stage, int number) const {
  RunSpec run;
  run.number = number;
  run.group = request.group.empty() ? stage : request.group;
  run.repeat = request.repeat;
  run.middle = request.middle;
  if (!request.cell.empty()) {
    const auto cell = std::ranges::find(cells_, request.cell);
    if (cell == cells_.end())
      throw InputError(fmt::format("it asks for runs of the cell '{}'; {}", shown(request.cell),
                                   did_you_mean(request.cell, cells_, "the study has")));
    run.cell = static_cast<std::size_t>(cell - cells_.begin());
  }
  for (const auto& [name, value] : request.values) {
    const auto found = std::ranges::find(study_->vary, name, [](const auto& v) { return v.first; });
    if (found == study_->vary.end()) {
      std::vector<std::string> names;
      for (const auto& [known, variation] : study_->vary) names.push_back(known);
      throw InputError(fmt::format("it asks for runs with values of '{}'; {}", shown(name),
                                   did_you_mean(name, names, "the study varies")));
    }
    run.given.emplace_back(static_cast<std::size_t>(found - study_->vary.begin()), value);
  }
  return run;
}

}  // namespace handspan
