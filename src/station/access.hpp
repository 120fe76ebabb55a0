#pragma once
// Who may come in. A device shows a token in everything that it asks for; it is given one when it
// pairs, with the code that the terminal shows or with a key that opens once, and keeps it. Tokens
// end with the station, or before when a person ends them. From any thread.
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.hpp"
#include "station/places.hpp"

namespace handspan {

struct PairedDevice {
  int id = 0;  // rises, from 1
  std::string name, address;
  Nanoseconds seen = 0;  // when it last asked for something, by steady_now() [ns]
};

/// What an attempt to pair came to.
struct Pairing {
  int device = 0;        // 0: none, and why
  std::string token;     // 32 hexadecimal digits
  std::string reason;    // in words for the person
  int tries_left = 0;    // before it has to wait
  Nanoseconds wait = 0;  // until the next try is looked at [ns]
  int dropped = 0;       // a device whose token ended, since there were too many; 0: none
};

inline constexpr int kFreeTries = 5;  // wrong codes of an address without a wait
inline constexpr std::size_t kMostDevices = 64;
inline constexpr std::size_t kLongestPersonName = 62;  // [bytes]

class Access {
 public:
  /// @param code that devices pair with
  explicit Access(std::string code) : code_(std::move(code)) {}

  const std::string& code() const { return code_; }
  /// A key that pairs one device, whoever comes with it first: for the address of the page.
  std::string new_key();
  /// A token without pairing, for programs of who runs the station.
  std::string new_token(const std::string& name);

  /// Wrong codes are counted by Visitor::group: after kFreeTries each costs a wait, the first 30 s,
  /// then twice as long up to an hour. While it waits no code is looked at. A right one forgets
  /// them.
  Pairing pair_by_code(std::string_view code, const std::string& name, const Visitor& from,
                       Nanoseconds now);
  Pairing pair_by_key(std::string_view key, const std::string& name, const Visitor& from,
                      Nanoseconds now);

  /// The device whose token that is; 0: nobody's.
  int device_of(std::string_view token, Nanoseconds now);
  /// It is still there.
  void saw(int device, Nanoseconds now);
  std::vector<PairedDevice> devices() const;
  /// @return the name it had; "": there is no such device
  std::string end(int device);

 private:
  struct Known {
    PairedDevice about;
    std::string token;
  };
  struct Tries {
    int wrong = 0;
    Nanoseconds last = 0, until = 0;
  };
  Pairing add(const std::string& name, const std::string& address, Nanoseconds now);

  const std::string code_;
  mutable std::mutex mutex_;
  std::vector<Known> devices_;
  std::vector<std::string> keys_;
  std::map<std::string, Tries> tries_;  // by group
  int next_ = 1;
};

/// What people may be called: 1 to kLongestPersonName bytes without control characters.
bool is_person_name(std::string_view name);

}  // namespace handspan
