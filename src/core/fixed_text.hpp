#pragma once
// Text of at most N bytes that needs no heap: names and reasons in a tick.
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace handspan {

template <std::size_t N>
class FixedText {
 public:
  static constexpr std::size_t kMost = N;

  FixedText() = default;
  /// What does not fit is cut, at a border of UTF-8 characters.
  FixedText(std::string_view text) {  // NOLINT(google-explicit-constructor): it is a text
    std::size_t n = std::min(text.size(), N);
    if (n < text.size())
      while (n > 0 && (static_cast<unsigned char>(text[n]) & 0xC0U) == 0x80U) --n;
    size_ = static_cast<std::uint16_t>(n);
    std::copy_n(text.begin(), n, text_.begin());
  }
  template <class Text>
    requires(std::convertible_to<const Text&, std::string_view> &&
             !std::same_as<Text, std::string_view> && !std::same_as<Text, FixedText>)
  FixedText(const Text& text) : FixedText(std::string_view(text)) {}  // NOLINT

  operator std::string_view() const { return view(); }  // NOLINT
  std::string_view view() const { return {text_.data(), size_}; }
  bool empty() const { return size_ == 0; }
  bool operator==(std::string_view other) const { return view() == other; }

 private:
  std::uint16_t size_ = 0;
  std::array<char, N> text_{};  // beyond size_: zeros, so that equal texts have equal bytes
};

}  // namespace handspan
