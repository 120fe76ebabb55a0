#include "device/typed_keys.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace handspan {
namespace {

constexpr char kEscape = '\x1b';
// a sequence that never ends is none
constexpr std::size_t kLongestSequence = 16;

using Named = std::pair<std::string_view, const char*>;  // bytes, key

constexpr std::array<Named, 7> kSingle = {
    Named{" ", "space"},   {"\t", "tab"},       {"\r", "enter"},   {"\n", "enter"},
    {"\x7f", "backspace"}, {"\b", "backspace"}, {"\x1b", "escape"}};

// after "ESC [" or "ESC O", without modifiers
constexpr std::array<Named, 14> kSequences = {
    Named{"A", "up"}, {"B", "down"},    {"C", "right"},    {"D", "left"},      {"H", "home"},
    {"F", "end"},     {"1~", "home"},   {"7~", "home"},    {"4~", "end"},      {"8~", "end"},
    {"2~", "insert"}, {"3~", "delete"}, {"5~", "page_up"}, {"6~", "page_down"}};

template <std::size_t N>
std::string name_in(const std::array<Named, N>& table, std::string_view bytes) {
  const auto found = std::ranges::find(table, bytes, &Named::first);
  return found == table.end() ? std::string() : found->second;
}

// of the character that begins with this byte; 0: none does
std::size_t length_of_character(char byte) {
  const auto b = static_cast<unsigned char>(byte);
  if (b < 0x80) return 1;
  if (b >= 0xc2 && b < 0xe0) return 2;
  if (b >= 0xe0 && b < 0xf0) return 3;
  return b >= 0xf0 && b < 0xf5 ? 4 : 0;
}

bool follows(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

bool is_printable(char c) { return c > ' ' && c != '\x7f'; }

}  // namespace

bool is_key(std::string_view name) {
  if (name.empty()) return false;
  const std::size_t length = length_of_character(name[0]);
  if (length == name.size() && (length > 1 || is_printable(name[0])))
    return !(name[0] >= 'A' && name[0] <= 'Z') &&
           std::all_of(name.begin() + 1, name.end(), follows);
  const auto has = [&](const auto& table) {
    return std::ranges::any_of(table, [&](const Named& n) { return name == n.second; });
  };
  return has(kSingle) || has(kSequences);
}

const char* key_names() {
  return "a character (letters small) or space, tab, enter, escape, backspace, up, down, left, "
         "right, home, end, insert, delete, page_up, page_down";
}

std::size_t KeyDecoder::next(std::string_view rest, std::string& key) {
  key.clear();
  if (rest[0] == kEscape) {
    if (rest.size() == 1) return 0;
    if (rest[1] != '[' && rest[1] != 'O') {
      key = "escape";
      return 1;
    }
    // parameters, then one that ends it
    for (std::size_t i = 2; i < rest.size(); ++i) {
      if (i >= kLongestSequence) return i;
      if (rest[i] < '@' || rest[i] > '~') continue;
      key = name_in(kSequences, rest.substr(2, i - 1));
      return i + 1;
    }
    return 0;
  }
  const std::size_t length = length_of_character(rest[0]);
  if (length == 0) return 1;
  if (rest.size() < length) return 0;
  if (length == 1 && !is_printable(rest[0])) {
    key = name_in(kSingle, rest.substr(0, 1));
    return 1;
  }
  for (std::size_t i = 1; i < length; ++i)
    if (!follows(rest[i])) return i;
  key = rest.substr(0, length);
  if (key[0] >= 'A' && key[0] <= 'Z') key[0] = static_cast<char>(key[0] - 'A' + 'a');
  return length;
}

std::vector<std::string> KeyDecoder::decode(std::string_view bytes) {
  rest_ += bytes;
  std::vector<std::string> keys;
  std::string_view rest = rest_;
  while (!rest.empty()) {
    std::string key;
    const std::size_t taken = next(rest, key);
    if (taken == 0) break;
    if (!key.empty()) keys.push_back(std::move(key));
    rest.remove_prefix(taken);
  }
  rest_ = std::string(rest);
  return keys;
}

std::vector<std::string> KeyDecoder::flush() {
  std::vector<std::string> keys;
  if (rest_.starts_with(kEscape)) keys.emplace_back("escape");
  rest_.clear();
  return keys;
}

HeldKeys::HeldKeys(std::size_t count, Nanoseconds first, Nanoseconds repeat)
    : keys_(count), first_(first), repeat_(repeat) {}

void HeldKeys::press(std::size_t key, Nanoseconds now) {
  Key& k = keys_[key];
  const bool repeats = now - k.pressed <= repeat_;
  k.pressed = now;
  k.until = now + (repeats ? repeat_ : first_);
}

void HeldKeys::release_all() {
  for (Key& key : keys_) key.until = kNever;
}

}  // namespace handspan
