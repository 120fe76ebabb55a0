#include "device/terminal_keyboard.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/error.hpp"
#include "core/object.hpp"
#include "core/suggest.hpp"
#include "core/values.hpp"
#include "device/raw_terminal.hpp"
#include "device/typed_keys.hpp"

namespace handspan {
namespace {

constexpr Nanoseconds kPeriod = 20'000'000;  // of samples [ns]
constexpr const char* kStop = "stop";

using Pair = std::vector<std::string>;                             // the key of +1, of -1
using Buttons = std::vector<std::pair<std::string, std::string>>;  // name, key

struct AxisKeys {
  Pair x = {"w", "s"}, y = {"a", "d"}, z = {"e", "q"};
  Pair roll = {"o", "u"}, pitch = {"i", "k"}, yaw = {"j", "l"};

  std::array<std::pair<const char*, const Pair*>, 6> all() const {
    return {{{"x", &x}, {"y", &y}, {"z", &z}, {"roll", &roll}, {"pitch", &pitch}, {"yaw", &yaw}}};
  }
};

struct KeyboardConfig {
  std::string terminal;
  AxisKeys axes;
  Buttons keys;
  std::vector<std::string> latched;
  double first = 0.6, repeat = 0.12;  // [s]

  // the app's buttons, and those that there are anyway
  Buttons buttons() const {
    Buttons all = {{kStop, "space"}, {"speed.up", "+"}, {"speed.down", "-"}};
    for (const auto& [name, key] : keys) {
      const auto found = std::ranges::find(all, name, &Buttons::value_type::first);
      if (found == all.end())
        all.emplace_back(name, key);
      else
        found->second = key;
    }
    return all;
  }
};

DeviceLayout layout_of(const KeyboardConfig& config) {
  DeviceLayout layout;
  for (const auto& [axis, pair] : config.axes.all()) layout.axes.emplace_back(axis);
  for (const auto& [name, key] : config.buttons()) layout.buttons.push_back(name);
  return layout;
}

Nanoseconds clock_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class TerminalKeyboard : public Device {
 public:
  TerminalKeyboard(const KeyboardConfig& config, const DeviceContext& context)
      : name_(context.name),
        terminal_path_(config.terminal),
        layout_(layout_of(config)),
        held_(0, 0, 0),
        sample_(context.name, layout_) {
    for (const auto& [axis, pair] : config.axes.all())
      keys_.insert(keys_.end(), pair->begin(), pair->end());
    for (const auto& [name, key] : config.buttons()) {
      keys_.push_back(key);
      latches_.push_back(std::ranges::count(config.latched, name) > 0 ? Latch::kOff : Latch::kNone);
    }
    held_ =
        HeldKeys(keys_.size(), std::llround(config.first * 1e9), std::llround(config.repeat * 1e9));
  }
  ~TerminalKeyboard() override { close(); }
  TerminalKeyboard(const TerminalKeyboard&) = delete;
  TerminalKeyboard& operator=(const TerminalKeyboard&) = delete;

  const DeviceLayout& layout() const override { return layout_; }
  bool takes_samples() const override { return false; }

  void open(Mailbox& mailbox) override {
    close();
    try {
      terminal_ = std::make_unique<RawTerminal>(terminal_path_);
    } catch (const InputError& error) {
      throw InputError(fmt::format("device '{}': {}", name_, error.what()));
    }
    stop_ = eventfd(0, EFD_CLOEXEC);
    if (stop_ < 0) {
      terminal_.reset();
      throw InputError(fmt::format("device '{}': too many files are open; close some", name_));
    }
    decoder_ = {};
    release_all();
    mailbox_ = &mailbox;
    thread_ = std::thread(&TerminalKeyboard::run, this);
  }

  void close() noexcept override {
    if (!thread_.joinable()) return;
    eventfd_write(stop_, 1);
    thread_.join();
    ::close(stop_);
    terminal_.reset();
  }

 private:
  enum class Latch { kNone, kOff, kOn };

  std::size_t first_button() const { return 2 * layout_.axes.size(); }

  void run() {
    std::array<pollfd, 2> files = {{{terminal_->fd(), POLLIN, 0}, {stop_, POLLIN, 0}}};
    Nanoseconds next = clock_now() + kPeriod;
    // all keys are up at first
    post(clock_now());
    while (true) {
      const Nanoseconds wait = std::clamp<Nanoseconds>(next - clock_now(), 0, kPeriod);
      const timespec timeout = {0, wait};
      if (ppoll(files.data(), files.size(), &timeout, nullptr) < 0) continue;
      if (files[1].revents != 0) return;
      bool news = false;
      if (files[0].revents != 0) {
        std::array<char, 256> bytes;
        const ssize_t count = read(terminal_->fd(), bytes.data(), bytes.size());
        // the terminal is gone: the device is silent from now on
        if (count < 0 && errno != EINTR && errno != EAGAIN) return;
        if (count == 0 && (files[0].revents & POLLHUP) != 0) return;
        if (count > 0)
          news = press(decoder_.decode({bytes.data(), static_cast<std::size_t>(count)}));
      }
      const Nanoseconds time = clock_now();
      if (!news && time < next) continue;
      if (!news && files[0].revents == 0) press(decoder_.flush());
      post(time);
      if (time < next) continue;
      next += kPeriod;
      if (next <= time) next = time + kPeriod;
    }
  }

  // @return whether one of them means something
  bool press(const std::vector<std::string>& typed) {
    const Nanoseconds time = clock_now();
    bool known = false;
    for (const std::string& key : typed) {
      const auto found = std::ranges::find(keys_, key);
      if (found == keys_.end()) continue;
      known = true;
      const auto index = static_cast<std::size_t>(found - keys_.begin());
      // the other end of the axis
      if (index < first_button()) held_.release(index ^ 1U);
      if (index == first_button()) release_all();
      // characters of a key that is held are one press
      if (index >= first_button() && !held_.down(index, time)) {
        Latch& latch = latches_[index - first_button()];
        if (latch != Latch::kNone) latch = latch == Latch::kOn ? Latch::kOff : Latch::kOn;
      }
      held_.press(index, time);
    }
    return known;
  }

  void release_all() {
    held_.release_all();
    for (Latch& latch : latches_)
      if (latch == Latch::kOn) latch = Latch::kOff;
  }

  void post(Nanoseconds time) {
    for (std::size_t i = 0; i < layout_.axes.size(); ++i)
      sample_.set_axis(i, held_.down(2 * i, time) ? 1.0 : held_.down(2 * i + 1, time) ? -1.0 : 0.0);
    for (std::size_t i = 0; i < layout_.buttons.size(); ++i)
      sample_.set_button(i, latches_[i] == Latch::kNone ? held_.down(first_button() + i, time)
                                                        : latches_[i] == Latch::kOn);
    sample_.set_stamp(time);
    mailbox_->post(sample_.input());
  }

  std::string name_, terminal_path_;
  DeviceLayout layout_;
  std::vector<std::string> keys_;  // two an axis, then one a button, `stop` first
  HeldKeys held_;
  std::vector<Latch> latches_;  // of the buttons
  KeyDecoder decoder_;
  DeviceSample sample_;
  Mailbox* mailbox_ = nullptr;
  std::unique_ptr<RawTerminal> terminal_;
  int stop_ = -1;
  std::thread thread_;
};

Schema<std::string> key_schema() {
  return text().check(
      [](const std::string& key) -> std::optional<Fault> {
        if (is_key(key)) return std::nullopt;
        return Fault{fmt::format("is '{}'", shown(key)),
                     fmt::format("it must be the name of a key: {}", key_names())};
      },
      "a key");
}

std::optional<Fault> check_keys(const KeyboardConfig& config) {
  Buttons uses = config.buttons();
  for (const auto& [axis, pair] : config.axes.all())
    for (const std::string& key : *pair) uses.emplace_back(axis, key);
  for (std::size_t i = 0; i < uses.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (uses[i].second == uses[j].second)
        return Fault{fmt::format("uses the key '{}' for '{}' and for '{}'", uses[i].second,
                                 uses[j].first, uses[i].first),
                     "give each a key of its own"};
  const DeviceLayout layout = layout_of(config);
  for (const std::string& name : config.latched)
    if (!std::ranges::count(layout.buttons, name) || name == kStop)
      return name == kStop
                 ? Fault{"has 'stop' among latched", "it ends the others"}
                 : Fault{fmt::format("latches '{}', which is not a button of it", shown(name)),
                         did_you_mean(name, layout.buttons, "there are")};
  for (const std::string& button : layout.buttons)
    if (std::ranges::find(layout.axes, button) != layout.axes.end())
      return Fault{fmt::format("names a button '{}', as an axis", button),
                   "give each control a name of its own"};
  return std::nullopt;
}

Schema<Buttons> buttons_schema() {
  return dictionary(key_schema())
      .check(
          [](const Buttons& buttons) -> std::optional<Fault> {
            for (const auto& [name, key] : buttons)
              if (!schema_detail::is_identifier(name))
                return Fault{fmt::format("has a button '{}'", shown(name)),
                             schema_detail::kIdentifierHint};
            return std::nullopt;
          },
          "names of letters, digits, '_', '-' and '.'")
      .max_size(128);
}

}  // namespace

void register_terminal_keyboard(DeviceRegistry& registry) {
  const auto pair = list(key_schema()).size(2);
  const auto axes = object<AxisKeys>("AxisKeys", "of each axis the keys of +1 and of -1")
                        .optional("x", &AxisKeys::x, pair, "left out: [w, s]")
                        .optional("y", &AxisKeys::y, pair, "left out: [a, d]")
                        .optional("z", &AxisKeys::z, pair, "left out: [e, q]")
                        .optional("roll", &AxisKeys::roll, pair, "left out: [o, u]")
                        .optional("pitch", &AxisKeys::pitch, pair, "left out: [i, k]")
                        .optional("yaw", &AxisKeys::yaw, pair, "left out: [j, l]");
  registry.add(
      "terminal_keyboard",
      object<KeyboardConfig>("TerminalKeyboard")
          .optional("terminal", &KeyboardConfig::terminal, text(),
                    "another than standard input: /dev/tty")
          .optional("axes", &KeyboardConfig::axes, axes)
          .optional("keys", &KeyboardConfig::keys, buttons_schema(),
                    "more buttons and their keys, or other keys for stop (space), speed.up (+), "
                    "speed.down (-)")
          .optional("latched", &KeyboardConfig::latched, list(text()),
                    "buttons that are down from one press of their key to the next, or to stop: of "
                    "two keys that are held a terminal tells only the later one")
          .optional("first", &KeyboardConfig::first, number("s").above(0).max(2),
                    "a key is down this long after one character: the delay before it repeats")
          .optional("repeat", &KeyboardConfig::repeat, number("s").above(0).max(1),
                    "and this long after one that repeats")
          .check([](const KeyboardConfig& config) { return check_keys(config); },
                 "each key has one meaning"),
      "the keyboard of a terminal; a key ends by time, for a terminal tells no releases",
      [](const KeyboardConfig& config, const DeviceContext& context) {
        return std::make_unique<TerminalKeyboard>(config, context);
      });
}

}  // namespace handspan
