#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.hpp"
#include "device/sdl_hub_impl.hpp"

namespace handspan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Nanoseconds kPoll = 2'000'000;
// what could not be opened is tried again: rights are given a moment after plugging in
constexpr Nanoseconds kTryAgain = kSecond / 2;
// a motor stops by itself this long after it was last told to run [ms], so it is told again
constexpr Uint32 kRumble = 1000;
constexpr Nanoseconds kRumbleAgain = kSecond / 2;
constexpr Uint16 kMaker3Dconnexion = 0x256f;

Nanoseconds now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

// SDL starts and ends one at a time
std::mutex& lifetime() {
  static std::mutex mutex;
  return mutex;
}

// SDL's lists change from another thread only in tests; there, too, an index means one thing
struct Lock {
  Lock() { SDL_LockJoysticks(); }
  ~Lock() { SDL_UnlockJoysticks(); }
  Lock(const Lock&) = delete;
};

void configure() {
  SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
  SDL_SetHint(SDL_HINT_JOYSTICK_ALLOW_BACKGROUND_EVENTS, "1");
  // buttons by their place, whatever is printed on them
  SDL_SetHint(SDL_HINT_GAMECONTROLLER_USE_BUTTON_LABELS, "0");
}

std::string text_or_none(const char* s) { return s == nullptr ? "" : s; }

SdlAttached describe(int index) {
  SdlAttached a;
  a.instance = SDL_JoystickGetDeviceInstanceID(index);
  a.name = text_or_none(SDL_JoystickNameForIndex(index));
  std::array<char, 33> guid{};
  SDL_JoystickGetGUIDString(SDL_JoystickGetDeviceGUID(index), guid.data(), guid.size());
  a.guid = guid.data();
  a.gamepad = SDL_IsGameController(index) == SDL_TRUE;
  a.space_mouse = SDL_JoystickGetDeviceVendor(index) == kMaker3Dconnexion ||
                  looks_like("*3Dconnexion*", a.name);
  const std::string path = text_or_none(SDL_JoystickPathForIndex(index));
  SDL_Joystick* joystick = SDL_JoystickOpen(index);
  if (joystick == nullptr) {
    a.fault = SDL_GetError();
    return a;
  }
  a.axes = SDL_JoystickNumAxes(joystick);
  a.buttons = SDL_JoystickNumButtons(joystick);
  a.hats = SDL_JoystickNumHats(joystick);
  std::tie(a.unit, a.by_port) = unit_of(text_or_none(SDL_JoystickGetSerial(joystick)), path);
  SDL_JoystickClose(joystick);
  return a;
}

void close(SdlOpen& open) {
  if (open.pad != nullptr)
    SDL_GameControllerClose(open.pad);
  else if (open.joystick != nullptr)
    SDL_JoystickClose(open.joystick);
  open = {};
}

void send_rumble(SdlClient& client, Nanoseconds now) {
  std::array<Uint16, 2> wanted{};
  for (std::size_t i = 0; i < wanted.size(); ++i)
    wanted[i] = static_cast<Uint16>(
        std::lround(65535.0F * client.rumble[i].load(std::memory_order_relaxed)));
  const bool again = wanted != std::array<Uint16, 2>{} && now - client.rumbled_at >= kRumbleAgain;
  if (wanted == client.rumbled && !again) return;
  // what has no motor says so, and that is all right
  SDL_JoystickRumble(client.open.joystick, wanted[0], wanted[1], kRumble);
  client.rumbled = wanted;
  client.rumbled_at = now;
}

}  // namespace

double SdlOpen::axis(int index) const {
  Sint16 initial = 0;
  if (SDL_JoystickGetAxisInitialState(joystick, index, &initial) == SDL_FALSE)
    return std::numeric_limits<double>::quiet_NaN();
  const Sint16 value = SDL_JoystickGetAxis(joystick, index);
  return value < 0 ? value / 32768.0 : value / 32767.0;
}

std::shared_ptr<SdlHub> SdlHub::shared() {
  static std::weak_ptr<SdlHub> hub;
  const std::lock_guard lock(lifetime());
  if (auto running = hub.lock()) return running;
  std::shared_ptr<SdlHub> started(new SdlHub);
  hub = started;
  return started;
}

SdlHub::SdlHub() {
  std::promise<void> promise;
  auto started = promise.get_future();
  thread_ = std::thread(&SdlHub::run, this, std::move(promise));
  try {
    started.get();
  } catch (...) {
    thread_.join();
    throw;
  }
}

SdlHub::~SdlHub() {
  const std::lock_guard alone(lifetime());
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void SdlHub::run(std::promise<void> started) {
  constexpr Uint32 kParts = SDL_INIT_JOYSTICK | SDL_INIT_GAMECONTROLLER;
  configure();
  if (SDL_InitSubSystem(kParts) != 0) {
    started.set_exception(std::make_exception_ptr(InputError(
        fmt::format("SDL, which reads gamepads and joysticks, cannot start: {}; see that libsdl2 "
                    "is whole and that /dev/input is there",
                    SDL_GetError()))));
    SDL_TLSCleanup();
    return;
  }
  // nobody takes events here, so none may pile up
  SDL_JoystickEventState(SDL_IGNORE);
  SDL_GameControllerEventState(SDL_IGNORE);
  list_attached();
  started.set_value();
  auto next = Clock::now();
  while (true) {
    poll();
    next = std::max(next + std::chrono::nanoseconds(kPoll), Clock::now());
    std::unique_lock lock(mutex_);
    wake_.wait_until(lock, next, [&] { return stop_ || !tasks_.empty(); });
    if (stop_) break;
    while (!tasks_.empty()) {
      auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }
  SDL_QuitSubSystem(kParts);
  // SDL keeps errors for each thread, and frees them by itself only for those it made
  SDL_TLSCleanup();
}

void SdlHub::in_thread(std::function<void()> task) {
  std::packaged_task<void()> packaged(std::move(task));
  auto done = packaged.get_future();
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(packaged));
  }
  wake_.notify_one();
  done.get();
}

std::vector<SdlAttached> SdlHub::attached() {
  std::vector<SdlAttached> result;
  in_thread([&] {
    poll();
    result = attached_;
  });
  return result;
}

void SdlHub::add(SdlClient& client) {
  in_thread([&] {
    const Lock lock;
    poll();
    std::vector<SdlTaken> taken;
    for (const SdlClient* other : clients_)
      if (!other->lost) taken.push_back({other->attached.instance, other->name});
    const SdlAttached& chosen =
        attached_[choose(client.name, client.choice, client.needs, attached_, taken)];
    if (!open(client, chosen))
      throw InputError(fmt::format(
          "device '{}': '{}' cannot be opened: {}; see that you may read /dev/input/event*: join "
          "the group 'input' and log in again",
          client.name, shown(chosen.name), SDL_GetError()));
    clients_.push_back(&client);
    poll();
  });
}

void SdlHub::remove(SdlClient& client) noexcept {
  in_thread([&] {
    if (std::erase(clients_, &client) == 0) return;
    if (client.open.joystick != nullptr) SDL_JoystickRumble(client.open.joystick, 0, 0, 0);
    close(client.open);
  });
}

bool SdlHub::changed() const {
  const int count = SDL_NumJoysticks();
  if (count != static_cast<int>(attached_.size())) return true;
  for (int i = 0; i < count; ++i)
    if (SDL_JoystickGetDeviceInstanceID(i) != attached_[i].instance) return true;
  return false;
}

void SdlHub::list_attached() {
  std::vector<SdlAttached> listed;
  const int count = SDL_NumJoysticks();
  for (int i = 0; i < count; ++i) {
    const auto known =
        std::ranges::find(attached_, SDL_JoystickGetDeviceInstanceID(i), &SdlAttached::instance);
    listed.push_back(known != attached_.end() && known->fault.empty() ? *known : describe(i));
  }
  attached_ = std::move(listed);
  listed_at_ = now();
}

bool SdlHub::open(SdlClient& client, const SdlAttached& attached) {
  const auto at = std::ranges::find(attached_, attached.instance, &SdlAttached::instance);
  const int index = static_cast<int>(at - attached_.begin());
  if (client.needs.kind == SdlKind::kGamepad) {
    client.open.pad = SDL_GameControllerOpen(index);
    client.open.joystick =
        client.open.pad == nullptr ? nullptr : SDL_GameControllerGetJoystick(client.open.pad);
  } else {
    client.open.joystick = SDL_JoystickOpen(index);
  }
  if (client.open.joystick == nullptr) return false;
  client.attached = attached;
  client.lost = false;
  client.rumbled = {};
  return true;
}

// the last sample says that nothing is valid: whatever moves by it stops at once
void SdlHub::lose(SdlClient& client, Nanoseconds now) {
  close(client.open);
  client.lost = true;
  client.lost_since = 0;
  for (const SdlAttached& attached : attached_)
    client.lost_since = std::max(client.lost_since, attached.instance);
  client.sample.clear();
  client.sample.set_stamp(now);
  client.mailbox->post(client.sample.input());
  // what comes first when it is back is posted whatever it says
  client.posted_at = std::numeric_limits<Nanoseconds>::min() / 2;
}

void SdlHub::reopen() {
  std::vector<SdlClient*> missing;
  std::vector<SdlLost> lost;
  for (SdlClient* client : clients_)
    if (client->lost) {
      missing.push_back(client);
      lost.push_back({client->attached.guid, client->attached.unit, client->attached.by_port,
                      client->choice.unit.has_value(), client->lost_since});
    }
  if (missing.empty()) return;
  std::vector<SdlAttached> free;
  for (const SdlAttached& attached : attached_)
    if (attached.fault.empty() && std::ranges::none_of(clients_, [&](const SdlClient* client) {
          return !client->lost && client->attached.instance == attached.instance;
        }))
      free.push_back(attached);
  const auto found = find_again(lost, free);
  for (std::size_t i = 0; i < missing.size(); ++i)
    if (found[i]) open(*missing[i], free[*found[i]]);
}

void SdlHub::post(SdlClient& client, Nanoseconds now) {
  client.sample.clear();
  client.read(client.open, client.sample);
  const auto numbers = client.sample.input().values();
  const bool news = std::memcmp(numbers.data(), client.posted.data(), numbers.size_bytes()) != 0;
  if (!news && now - client.posted_at < client.period - kPoll / 2) return;
  client.sample.set_stamp(now);
  if (!client.mailbox->post(client.sample.input())) return;
  std::ranges::copy(numbers, client.posted.begin());
  client.posted_at = now;
}

void SdlHub::poll() {
  SDL_JoystickUpdate();
  const Lock lock;
  const Nanoseconds time = now();
  for (SdlClient* client : clients_)
    if (!client->lost && SDL_JoystickGetAttached(client->open.joystick) == SDL_FALSE)
      lose(*client, time);
  const bool waits =
      std::ranges::any_of(attached_, [](const auto& a) { return !a.fault.empty(); }) ||
      std::ranges::any_of(clients_, [](const auto* client) { return client->lost; });
  if (changed() || (waits && time - listed_at_ > kTryAgain)) {
    list_attached();
    reopen();
  }
  for (SdlClient* client : clients_) {
    if (client->lost) continue;
    post(*client, time);
    send_rumble(*client, time);
  }
}

}  // namespace handspan
