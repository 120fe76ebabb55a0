#pragma once
// What the characters of a terminal say about keys. A terminal tells no releases: a key that is
// held sends a character, after a while (the typematic delay) another, and then many, until it is
// released or another key is pressed. So a key counts as down for some time after each of its
// characters.
//
// A key is named by the character that it types, in small letters ("w", "+", "ö"), or "space",
// "tab", "enter", "escape", "backspace", "up", "down", "left", "right", "home", "end", "insert",
// "delete", "page_up", "page_down".
#include <string>
#include <string_view>
#include <vector>

#include "core/time.hpp"

namespace handspan {

/// Whether a key may be called so; `key_names()` says in words what is one.
bool is_key(std::string_view name);
const char* key_names();

/// Bytes of a terminal to keys. Those that it does not know are left out.
class KeyDecoder {
 public:
  /// @return the keys that are complete, in their order
  std::vector<std::string> decode(std::string_view bytes);
  /// Nothing more has come for a while: an escape that waits for a sequence was the key.
  std::vector<std::string> flush();

 private:
  // length of the key at the beginning of the rest, its name in `key`; 0: not complete
  static std::size_t next(std::string_view rest, std::string& key);

  std::string rest_;
};

/// Until when each of some keys is down.
class HeldKeys {
 public:
  /// @param first after a character that comes alone [ns]. @param repeat after one that comes
  /// within `repeat` of the one before: the key is held and repeats [ns]
  HeldKeys(std::size_t count, Nanoseconds first, Nanoseconds repeat);

  void press(std::size_t key, Nanoseconds now);
  void release(std::size_t key) { keys_[key].until = kNever; }
  void release_all();
  bool down(std::size_t key, Nanoseconds now) const { return now < keys_[key].until; }

 private:
  static constexpr Nanoseconds kNever = INT64_MIN / 2;
  struct Key {
    Nanoseconds pressed = kNever, until = kNever;
  };
  std::vector<Key> keys_;
  Nanoseconds first_, repeat_;
};

}  // namespace handspan
