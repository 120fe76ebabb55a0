#include "device/device.hpp"

#include <cmath>
#include <limits>

namespace handspan {

const char* name_of(TrackedAs as) {
  constexpr const char* kNames[] = {"none", "controller", "hand", "head", "tracker", "recentred"};
  return kNames[static_cast<std::size_t>(as)];
}

DeviceSample::DeviceSample(std::string_view device, const DeviceLayout& layout) : layout_(&layout) {
  input_.kind = InputKind::kSample;
  input_.to = device;
  input_.count = static_cast<std::uint32_t>(layout.numbers());
  clear();
}

void DeviceSample::clear() {
  for (std::size_t i = 0; i < input_.count; ++i)
    input_.numbers[i] = i < layout_->first_axis() ? 0.0 : std::numeric_limits<double>::quiet_NaN();
}

void DeviceSample::set_pose(std::size_t pose, TrackedAs as, const Eigen::Vector3d& p,
                            const Eigen::Quaterniond& q) {
  Eigen::Map<Eigen::Matrix<double, 8, 1>> numbers(input_.numbers.data() + kPoseNumbers * pose);
  numbers << static_cast<double>(as), p, q.coeffs();
}

void DeviceSample::set_axis(std::size_t axis, double value) {
  input_.numbers[layout_->first_axis() + axis] = value;
}

void DeviceSample::set_button(std::size_t button, bool down) {
  input_.numbers[layout_->first_button() + button] = down ? 1.0 : 0.0;
}

}  // namespace handspan
