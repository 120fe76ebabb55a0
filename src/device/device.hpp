#pragma once
// What a person holds or what watches them: headset, gamepad, keyboard, a scripted person. A device
// gives stamped samples of any number of poses, axes and buttons, each valid or not, and may take
// outputs (rumble, force). Samples cross the loop's border as inputs (teleop/input.hpp), so they
// are recorded; what a device's samples say, checked, is its DeviceState (device_state.hpp), which
// sources and conditions read.
//
// An input of kind sample for the device of that name:
//   stamp    by the device's own clock [ns]
//   text     who operates it; empty: nobody said
//   numbers  in the order of the layout
//     8 a pose    TrackedAs, then x y z [m] and quaternion x y z w in the device's own axes
//     1 an axis   -1 to 1, or 0 to 1 for what has one end at rest; NaN: not valid
//     1 a button  down above 0.5; NaN: not valid
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/channel.hpp"
#include "core/registry.hpp"
#include "reference/input.hpp"
#include "reference/mailbox.hpp"

namespace handspan {

/// What tells a device where something is. What is followed as one of them is not followed on as
/// another. kRecentred: in this sample nothing is, since the frame that poses are in was moved.
enum class TrackedAs : std::uint8_t { kNone, kController, kHand, kHead, kTracker, kRecentred };
/// "none", "controller", "hand", "head", "tracker", "recentred".
const char* name_of(TrackedAs as);

inline constexpr std::size_t kPoseNumbers = 8;

/// The most numbers that one output takes.
inline constexpr std::size_t kMostOutputNumbers = 8;

/// What a device can be sent: a rumble, a force along its own axes, the colour of a light.
struct DeviceOutput {
  std::string name;
  std::size_t size = 1;   // numbers: 3 of a force or a colour
  std::string unit = "";  // N of a force; empty: 0 to 1
};

/// What the samples of a device have; fixed while it runs. Names are dotted: "left.trigger".
struct DeviceLayout {
  std::vector<std::string> poses, axes, buttons;
  std::vector<DeviceOutput> outputs;

  std::size_t numbers() const { return kPoseNumbers * poses.size() + axes.size() + buttons.size(); }
  std::size_t first_axis() const { return kPoseNumbers * poses.size(); }
  std::size_t first_button() const { return first_axis() + axes.size(); }
};

/// What of an operator's page gives one control of a device. The page's inputs have names of their
/// own (page_inputs.hpp): "pad.left.stick_x", "key.KeyW".
struct PageFeed {
  std::string control;                // an axis or a button of the device
  std::string axis = "";              // an input of the page
  double sign = 1.0;                  // of the input: 1 or -1
  std::string plus = "", minus = "";  // or inputs that are pressed, one for each direction
};

/// A sample in the making, for devices. Everything is "not tracked" and "not valid" at first.
class DeviceSample {
 public:
  DeviceSample(std::string_view device, const DeviceLayout& layout);

  void clear();
  void set_pose(std::size_t pose, TrackedAs as, const Eigen::Vector3d& p,
                const Eigen::Quaterniond& q);
  void set_axis(std::size_t axis, double value);
  void set_button(std::size_t button, bool down);
  void set_stamp(Nanoseconds stamp) { input_.stamp = stamp; }
  void set_operator(std::string_view name) { input_.text = name; }
  const Input& input() const { return input_; }

 private:
  const DeviceLayout* layout_;
  Input input_;
};

/// What a device is made for.
struct DeviceContext {
  std::string name;
  std::uint64_t seed = 0;
};

class Device {
 public:
  static constexpr char kKind[] = "device";

  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  Device() = default;

  /// The same as long as it lives.
  virtual const DeviceLayout& layout() const = 0;

  /// Whether the station may give its samples: not where open() starts a thread that does.
  virtual bool takes_samples() const { return true; }

  /// Whether a page may take over from the thread that open() starts: while the page gives samples,
  /// those of the thread are not heard.
  virtual bool gives_way() const { return false; }
  /// How a page makes its samples, where the device says so.
  virtual std::vector<PageFeed> page_feeds() const { return {}; }

  /// A live run begins: one with a thread of its own posts samples from now on until close(). A
  /// replay opens nothing. @throws InputError with cause and hint when it is not there
  virtual void open(Mailbox&) {}
  virtual void close() noexcept {}

  /// A live run begins, for those that live in the loop's time (a scripted person): what they see
  /// is channels, which outlive it. @throws InputError when one is not there
  virtual void watch(const ChannelTable&) {}
  /// At the beginning of each tick of a live run, after watch(). @return whether it wrote a sample.
  /// Allocates and throws nothing
  virtual bool sample(Nanoseconds /*now*/, Input& /*input*/) { return false; }

  /// From the loop's thread, when a value changed: as many numbers as the output's size, 0 to 1 of
  /// a rumble, N of a force. Allocates, locks and throws nothing: its thread takes the newest.
  virtual void output(std::size_t /*index*/, std::span<const double> /*values*/) noexcept {}
};

using DeviceRegistry = Registry<Device, const DeviceContext&>;

}  // namespace handspan
