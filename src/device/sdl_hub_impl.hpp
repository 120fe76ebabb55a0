#pragma once
// SDL for all devices of this process. Everything that is asked of SDL is asked in one thread: it
// polls what is open every 2 ms, posts a sample when something changed and at least at the rate
// that the device asks for, notices what is plugged in and out, and sends rumble. It lives while
// somebody holds it.
#include <SDL.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/time.hpp"
#include "device/device.hpp"
#include "device/sdl_choice.hpp"

namespace handspan {

/// One that is open.
struct SdlOpen {
  SDL_Joystick* joystick = nullptr;
  SDL_GameController* pad = nullptr;  // of a gamepad

  /// -1 to 1, as SDL gives it; NaN until SDL knows it.
  double axis(int index) const;
};

/// A device of ours, for the thread. Everything but `rumble` is the thread's from add() to
/// remove().
struct SdlClient {
  SdlClient(std::string device, const DeviceLayout& layout) : sample(device, layout) {
    name = std::move(device);
  }

  std::string name;
  SdlChoice choice;
  SdlNeeds needs;
  Nanoseconds period = 10'000'000;                          // a sample at least this often [ns]
  std::function<void(const SdlOpen&, DeviceSample&)> read;  // all is "not valid" before
  Mailbox* mailbox = nullptr;
  // low and high frequency, 0 to 1
  std::array<std::atomic<float>, 2> rumble{};

  // of the thread
  SdlOpen open{};
  SdlAttached attached;  // that it has, or had
  bool lost = false;     // it was unplugged
  std::int32_t lost_since = 0;
  DeviceSample sample;
  std::array<double, kMostInputNumbers> posted{};
  Nanoseconds posted_at = 0, rumbled_at = 0;
  std::array<Uint16, 2> rumbled{};
};

class SdlHub {
 public:
  /// That of the process; started when there is none. @throws InputError when SDL cannot start
  static std::shared_ptr<SdlHub> shared();
  ~SdlHub();
  SdlHub(const SdlHub&) = delete;
  SdlHub& operator=(const SdlHub&) = delete;

  std::vector<SdlAttached> attached();
  /// Opens what the client chose; samples come from now on. @throws InputError as choose()
  void add(SdlClient& client);
  /// No sample comes any more, and it rumbles no more.
  void remove(SdlClient& client) noexcept;

 private:
  SdlHub();

  void run(std::promise<void> started);
  // does it in the thread, and waits. @throws what it throws
  void in_thread(std::function<void()> task);

  // in the thread
  void poll();
  bool changed() const;
  void list_attached();
  void lose(SdlClient& client, Nanoseconds now);
  void reopen();
  bool open(SdlClient& client, const SdlAttached& attached);
  void post(SdlClient& client, Nanoseconds now);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::packaged_task<void()>> tasks_;
  bool stop_ = false;

  std::vector<SdlAttached> attached_;
  std::vector<SdlClient*> clients_;
  Nanoseconds listed_at_ = 0;
  std::thread thread_;
};

}  // namespace handspan
