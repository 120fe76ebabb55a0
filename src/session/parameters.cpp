#include "session/parameters.hpp"

#include <cmath>

#include "control/task.hpp"

namespace handspan {

std::optional<Parameter> Parameter::find(std::string_view name, WholeArm* arms,
                                         MujocoPlant* simulation, const Scene& scene,
                                         std::span<const ManualValue> manual) {
  const auto first = name.find('.'), last = name.rfind('.');
  if (first == std::string_view::npos || first == last) return {};
  const auto what = name.substr(0, first), of = name.substr(first + 1, last - first - 1),
             field = name.substr(last + 1);
  Parameter p;
  for (const ManualValue& value : manual) {
    if (value.name != name) continue;
    p.field_ = Field::kManual;
    p.manual_ = &value;
    return p;
  }
  p.arms_ = arms;
  p.simulation_ = simulation;
  const auto among = [&](const auto& all, Field as) {
    p.field_ = as;
    for (p.index_ = 0; p.index_ < all.size(); ++p.index_)
      if (all[p.index_].name == of) {
        p.of_ = all[p.index_].name;
        return true;
      }
    return false;
  };
  if (what == "task" && arms != nullptr) {
    for (const auto& task : arms->problem().tasks())
      if (task->name() == of) p.task_ = task.get();
    if (field == "weight")
      p.field_ = Field::kWeight;
    else if (field == "stiffness")
      p.field_ = Field::kStiffness;
    else if (field == "damping")
      p.field_ = Field::kDamping;
    else
      return {};
    if (p.task_ != nullptr) return p;
  } else if (what == "payload" && arms != nullptr && field == "carried") {
    if (among(arms->system().payloads(), Field::kCarried)) return p;
  } else if (what == "loop_closure" && arms != nullptr && field == "closed") {
    if (among(arms->system().loop_closures(), Field::kClosed)) return p;
  } else if (what == "belt" && simulation != nullptr && field == "speed") {
    p.field_ = Field::kBeltSpeed;
    for (const auto& belt : scene.belts) {
      if (belt.body.name != of) continue;
      p.of_ = belt.body.name;
      return p;
    }
  }
  return {};
}

double Parameter::value() const {
  switch (field_) {
    case Field::kWeight:
      return task_->gains().weight;
    case Field::kStiffness:
      return task_->gains().stiffness;
    case Field::kDamping:
      return *task_->gains().damping;
    case Field::kCarried:
      return arms_->state().payload[index_].value();
    case Field::kClosed:
      return arms_->state().loop_closures[index_].closed ? 1.0 : 0.0;
    case Field::kManual:
      return *manual_->value;
    case Field::kBeltSpeed:
      break;
  }
  return simulation_->belt_speed(of_);
}

bool Parameter::set(double value) const {
  if (!std::isfinite(value)) return false;
  switch (field_) {
    case Field::kWeight:
      if (!(value >= 0.0 && value <= kMostWeight)) return false;
      task_->set_weight(value);
      return true;
    case Field::kStiffness:
      if (!(value >= 0.0 && value <= kMostStiffness)) return false;
      task_->set_stiffness(value);
      return true;
    case Field::kDamping:
      if (!(value >= 0.0 && value <= kMostDamping)) return false;
      task_->set_damping(value);
      return true;
    case Field::kCarried:
      arms_->carry(of_, value > 0.5);
      return true;
    case Field::kClosed:
      arms_->loop_closure(of_, value > 0.5);
      return true;
    case Field::kManual:
      if (!(value >= manual_->low && value <= manual_->high)) return false;
      *manual_->value = value;
      return true;
    case Field::kBeltSpeed:
      break;
  }
  simulation_->set_belt_speed(of_, value);
  return true;
}

}  // namespace handspan
