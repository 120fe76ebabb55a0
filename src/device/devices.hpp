#pragma once
// The devices of an app, by name: what drives them, what their samples say, what is sent back.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/channel.hpp"
#include "core/parts.hpp"
#include "device/device.hpp"
#include "device/device_state.hpp"
#include "reference/source.hpp"

namespace handspan {

/// An output of a device, fed from a channel. One of several numbers takes as many elements of a
/// vector; those of size 3 are turned into the device's own axes D: v_D = R_WD^T R_WF v_F, with F
/// the frame of the pose channel `frame` (left out: W), as it is in that tick.
struct OutputConfig {
  Place place;
  std::string output;                // of the device: left.rumble
  std::string channel;               // a number or vector
  std::optional<std::string> label;  // an element of the vector; left out: its length, of a vector
                                     // of 6 that of the first 3 (a force)
  std::vector<std::string>
      labels;  // elements, of an output of several numbers; left out: the first
  std::optional<std::string> frame;    // channel of a pose
  std::optional<Eigen::Vector3d> rpy;  // R_WD, of the device's axes [rad]
  double gain = 1.0;
  double max = 1.0;        // the output is cut at it, of several numbers their length
  double dead_zone = 0.0;  // below it, before the gain, the output is 0
  bool change = false;     // how fast it changes instead of the value: pulses on contact
};

struct DeviceConfig {
  Place place;
  DeviceRegistry::Part driver;
  DeviceLimits limits;
  std::vector<AxisCentre> centres;
  std::vector<std::string> stop;   // controls, any of which stops everything
  std::vector<std::string> reset;  // controls, any of which resumes after such a stop
  std::vector<OutputConfig> outputs;
};

/// What the devices that were declared to stop everything say in a tick.
struct StopAnswer {
  std::string_view reason;  // why everything is to stop, and what to do; empty: it is not. Lives as
                            // long as the devices
  bool waits = false;       // for a device that has never been there: not latched
  bool resets = false;      // a control for that was pressed
};

/// The keys of a device in an app, with the types that `parts` has now.
Schema<DeviceConfig> device_schema(const Parts& parts);

class Devices {
 public:
  // at set-up

  /// @throws InputError when the name is taken or it has too many numbers
  void add(const std::string& name, const DeviceConfig& config, std::uint64_t seed);
  /// @throws InputError naming those there are
  const DeviceState& find(std::string_view name) const;
  bool has(std::string_view name) const;
  std::size_t size() const { return devices_.size(); }
  const DeviceState& state_of(std::size_t index) const { return devices_[index].state; }
  Device& driver(std::size_t index) { return *devices_[index].driver; }
  const Device& driver(std::size_t index) const { return *devices_[index].driver; }
  /// Whether a page may give its samples: one that waits for them, or one with a thread of its own
  /// that gives way. What stops everything is heard from its own thread only.
  bool takes_page(std::size_t index) const {
    const Entry& entry = devices_[index];
    return entry.driver->takes_samples() || (entry.driver->gives_way() && entry.stops.empty());
  }
  /// Ages, and what is sent back.
  void declare(ChannelTable& channels, Rate rate);
  /// Finds the outputs' channels. @throws ConfigError with the place of one that is not there
  void connect(const ChannelTable& channels);

  // a live run

  /// @param mailboxes one a device, in their order; outlive this
  /// @throws InputError when a device is not there
  void open(std::span<Mailbox* const> mailboxes, const ChannelTable& channels);
  void close() noexcept;
  ~Devices() { close(); }
  Devices() = default;
  Devices(const Devices&) = delete;
  Devices& operator=(const Devices&) = delete;

  // in a tick; nothing allocates or throws

  /// @return false when it is for no device
  bool receive(const Moment& moment, const Input& input);
  /// After all of a tick's samples.
  void update(const Moment& moment);
  /// After update(). A control that is down stops, also one that was so from the beginning; so does
  /// one without a value, and a device that is silent.
  const StopAnswer& stop() const { return stop_; }
  /// What is sent back, from the channels as they are now.
  void feed(ChannelTable& channels, Nanoseconds now, double dt);
  void publish(ChannelTable& channels, Nanoseconds now) const;
  void state(StateArchive& archive);

 private:
  // those of an output come first, the others are 0
  using OutputValues = Eigen::Matrix<double, static_cast<int>(kMostOutputNumbers), 1>;
  struct Output {
    OutputConfig config;
    std::size_t index = 0;
    ChannelId from;
    std::size_t size = 1;
    int element = -1;           // of a vector, for an output of one number; -1: its length
    std::vector<int> elements;  // for one of several
    std::optional<ChannelId> frame;
    Eigen::Matrix3d R_WD = Eigen::Matrix3d::Identity();
    OutputValues before = OutputValues::Zero(), sent = OutputValues::Zero();
    bool started = false;
    NumberChannel channel;
    VectorChannel channels;  // of one of several numbers
    void state(StateArchive& archive) { archive(before, sent, started); }
  };
  struct StopControl {
    Control control;
    std::string pressed, no_value;  // as reasons
  };
  struct Entry {
    std::string name;
    std::unique_ptr<Device> driver;
    DeviceState state;
    std::vector<StopControl> stops;
    std::string absent, lost;  // as reasons
    std::vector<Control> resets;
    bool reset_was = false;
    std::vector<Output> outputs;
    NumberChannel age;
    BooleanChannel present;
    IntegerChannel left_out, out_of_range;
  };

  void add_output(Entry& entry, const OutputConfig& config);
  static void connect(Output& output, const std::string& device, const ChannelTable& channels);
  static OutputValues wanted(Output& output, const ChannelTable& channels, double dt);
  void add_stops(Entry& entry, const DeviceConfig& config);
  void find_stop();

  std::vector<Entry> devices_;
  StopAnswer stop_;
  bool open_ = false;
};

/// The device that a source is bound to. @throws InputError when it is not there
const DeviceState& device_of(const SourceContext& context, const std::string& name);

}  // namespace handspan
