#pragma once
// The devices of an app, by name: what drives them, what their samples say, what is sent back.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/channel.hpp"
#include "teleop/device.hpp"
#include "teleop/device_state.hpp"
#include "teleop/source.hpp"

namespace handspan {

/// An output of a device, fed from a channel.
struct OutputConfig {
  Place place;
  std::string output;                // of the device: left.rumble
  std::string channel;               // a number or vector
  std::optional<std::string> label;  // an element of the vector; left out: its length, of a vector
                                     // of 6 that of the first 3 (a force)
  double gain = 1.0;
  double most = 1.0;       // the output is cut at it
  double dead_zone = 0.0;  // below it, before the gain, the output is 0
  bool change = false;     // how fast it changes instead of the value: pulses on contact
};

struct DeviceConfig {
  Place place;
  DeviceRegistry::Part driver;
  DeviceLimits limits;
  std::vector<OutputConfig> outputs;
};

Schema<DeviceConfig> device_schema();

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
  /// What is sent back, from the channels as they are now.
  void feed(ChannelTable& channels, Nanoseconds now, double dt);
  void publish(ChannelTable& channels, Nanoseconds now) const;
  void state(StateArchive& archive);

 private:
  struct Output {
    OutputConfig config;
    std::size_t index = 0;
    ChannelId from;
    int element = -1;  // of a vector; -1: its length
    double before = 0.0, sent = 0.0;
    bool started = false;
    NumberChannel channel;
    void state(StateArchive& archive) { archive(before, sent, started); }
  };
  struct Entry {
    std::string name;
    std::unique_ptr<Device> driver;
    DeviceState state;
    std::vector<Output> outputs;
    NumberChannel age;
    BooleanChannel present;
  };

  std::vector<Entry> devices_;
  bool open_ = false;
};

/// The device that a source is bound to. @throws InputError when it is not there
const DeviceState& device_of(const SourceContext& context, const std::string& name);

}  // namespace handspan
