#pragma once
// Snapshots: each part of a loop names what a run changes, once, and the same
// list saves and loads it:
//   void Ramp::state(StateArchive& archive) { archive(value_, target_, rate_); }
// Bytes of one build on one machine: numbers stand as they are in memory. Saving into a buffer that
// has room allocates nothing, so that a tick may do it.
#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace handspan {

class StateArchive {
 public:
  /// Appends to `into`, which outlives this.
  explicit StateArchive(std::vector<std::byte>& into) : into_(&into) {}
  /// Loads from `from`, which outlives this.
  explicit StateArchive(std::span<const std::byte> from) : from_(from) {}

  bool loading() const { return into_ == nullptr; }

  /// Begins a part: what follows is its. A snapshot of another app is found at its first part that
  /// differs, and named. @throws InputError when loading and another part comes here
  void part(std::string_view what, std::string_view name = {});

  /// Saves or loads values: numbers, enumerations and plain structs; Eigen vectors and matrices and
  /// std::vector of those, whose sizes must be as saved; parts with a state() of their own.
  /// @throws InputError when loading and what comes is of another size or missing
  template <class... T>
  void operator()(T&... values) {
    (one(values), ...);
  }
  /// A vector whose size the run changes.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void sized(std::vector<T>& values) {
    auto n = static_cast<std::uint64_t>(values.size());
    raw(&n, sizeof n);
    if (loading()) {
      need(n, sizeof(T));
      values.resize(n);
    }
    raw(values.data(), sizeof(T) * values.size());
  }
  /// @throws InputError when loading and something is left
  void finish() const;

 private:
  template <class T>
  void one(T& value) {
    if constexpr (requires { value.state(*this); }) {
      value.state(*this);
    } else if constexpr (std::is_base_of_v<Eigen::PlainObjectBase<T>, T>) {
      same_size(static_cast<std::uint64_t>(value.rows()));
      same_size(static_cast<std::uint64_t>(value.cols()));
      raw(value.data(), sizeof(typename T::Scalar) * static_cast<std::size_t>(value.size()));
    } else if constexpr (requires {
                           value.data();
                           value.begin();
                           value.size();
                         }) {
      same_size(value.size());
      using Item = typename T::value_type;
      // parts one by one: between their members there is room whose bytes mean nothing
      if constexpr (std::is_trivially_copyable_v<Item> &&
                    !requires(Item item, StateArchive a) { item.state(a); })
        raw(value.data(), sizeof(Item) * value.size());
      else
        for (auto& item : value) one(item);
    } else {
      static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
      raw(&value, sizeof value);
    }
  }
  void same_size(std::uint64_t size);
  void need(std::uint64_t count, std::size_t each) const;
  void raw(void* data, std::size_t bytes);

  std::vector<std::byte>* into_ = nullptr;
  std::span<const std::byte> from_;
  std::size_t at_ = 0;
  const char* part_ = "its start";
  char name_[64] = {};
};

}  // namespace handspan
