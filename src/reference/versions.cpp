#include "reference/versions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"
#include "plant/world.hpp"
#include "scene/scene.hpp"

namespace handspan {
namespace {

template <class... T>
FixedText<126> words_of_change(fmt::format_string<T...> format, T&&... values) {
  char text[126];
  const auto end = fmt::format_to_n(text, sizeof text, format, std::forward<T>(values)...);
  return std::string_view(text, std::min(end.size, sizeof text));
}

}  // namespace

Versions::Id Versions::add(std::string name) {
  names_.push_back(std::move(name));
  counts_.push_back(0);
  return {names_.size() - 1};
}

Versions::Id Versions::find(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  if (found != names_.end()) return {static_cast<std::size_t>(found - names_.begin())};
  const std::string text(name);
  throw InputError(fmt::format("reads '{}', which is not there; {}", shown(text),
                               did_you_mean(text, names_, "there are")));
}

Schema<ReadsConfig> reads_schema() {
  return object<ReadsConfig>("Reads",
                             "what its questions depend on: an answer to a question is refused "
                             "when one of these has changed since it was asked")
      .optional("machines", &ReadsConfig::machines, list(text()).max_size(kMostRead), "whose state")
      .optional("objects", &ReadsConfig::objects, list(text()).max_size(kMostRead),
                "where they are: to 5 mm and 2 degrees")
      .optional("scene", &ReadsConfig::scene, boolean(), "whether it was put back");
}

Reads::Reads(const ReadsConfig& config, const std::string& task, const SourceContext& context)
    : versions_(context.versions),
      arbiter_(context.arbiter),
      world_(context.world),
      scene_(config.scene && context.versions != nullptr) {
  if (arbiter_ == nullptr || versions_ == nullptr)
    throw InputError("it asks questions, and is made where nobody answers them");
  reference_ = arbiter_->find_reference(task);
  if (scene_) scene_id_ = versions_->find(kSceneVersion);
  for (const std::string& machine : config.machines)
    machines_.push_back(versions_->find(kMachineVersion + machine));
  for (const std::string& object : config.objects) {
    std::vector<std::string> names;
    for (const SceneBody& body : context.scene->objects) names.push_back(body.name);
    if (!std::ranges::count(names, object))
      throw InputError(fmt::format("reads the object '{}', which is not in the scene; {}",
                                   shown(object), did_you_mean(object, names, "there are")));
    if (world_ == nullptr)
      throw InputError(
          fmt::format("reads where the object '{}' is, which only a simulation knows; take it away",
                      shown(object)));
    objects_.push_back({object, world_->body(object)});
  }
}

void Reads::look(Seen& seen) const {
  for (std::size_t i = 0; i < machines_.size(); ++i) seen.machines[i] = versions_->at(machines_[i]);
  if (scene_) seen.scene = versions_->at(scene_id_);
  seen.reference = arbiter_->rebases(reference_);
  for (std::size_t i = 0; i < objects_.size(); ++i)
    seen.X_WO[i] = world_->body_pose(objects_[i].body);
}

FixedText<126> Reads::changed(const Seen& seen) const {
  for (std::size_t i = 0; i < machines_.size(); ++i)
    if (seen.machines[i] != versions_->at(machines_[i]))
      return words_of_change("{} has gone to another state", versions_->name(machines_[i]));
  if (scene_ && seen.scene != versions_->at(scene_id_)) return "the scene was put back";
  if (seen.reference != arbiter_->rebases(reference_))
    return words_of_change("the reference '{}' was set anew",
                           arbiter_->reference(reference_).name());
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    const Pose X_WO = world_->body_pose(objects_[i].body);
    const double distance = (X_WO.p - seen.X_WO[i].p).norm();
    const double angle = log_so3(X_WO.R * seen.X_WO[i].R.transpose()).norm();
    if (distance > kMovedDistance)
      return words_of_change("object '{}' has moved by {:.1f} mm", objects_[i].name,
                             1e3 * distance);
    if (angle > kMovedAngle)
      return words_of_change("object '{}' has turned by {:.1f} degrees", objects_[i].name,
                             angle * 180.0 / std::numbers::pi);
  }
  return {};
}

}  // namespace handspan
