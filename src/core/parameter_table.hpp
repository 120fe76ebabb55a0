#pragma once

// Live parameters: numbers and switches that may be changed while a loop runs. Who has one adds it
// to the loop's table at set-up, with its unit, its range and how it is read and set. Everything
// that shows or changes parameters (the mode `set`, the operator's inputs, --param, the station and
// its page) goes through the table and knows nothing else of them. A table belongs to one loop: its
// values are read and set between or in ticks of that loop's thread. What it says of parameters
// (names, units, ranges) stays as it is after set-up, and any thread may read it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/state_archive.hpp"

namespace handspan {

/// A number, or a switch, which is on above 0.5 and off below.
enum class ParameterKind : std::uint8_t { kNumber, kSwitch };
/// "number", "switch".
const char* name_of(ParameterKind kind);

/// What is known of a parameter without its value.
struct ParameterInfo {
  std::string name;             // dotted identifiers: "task.left_hand.stiffness"
  std::string unit;             // SI; "" for none
  double min = 0.0, max = 1.0;  // what it may be, in the unit; a switch: 0 and 1
  std::string doc;              // what it does, in a few words for a person
  ParameterKind kind = ParameterKind::kNumber;
  /// The part of min ... max that a person may set while it runs, such as gains that keep an arm
  /// steady; an app's author may use all of it. None: all of it. Two equal ends: persons are not
  /// shown it.
  std::optional<std::array<double, 2>> by_person = {};

  std::array<double, 2> persons_range() const { return by_person.value_or(std::array{min, max}); }
  bool for_persons() const { return persons_range()[0] < persons_range()[1]; }
};

class ParameterTable {
 public:
  using Get = std::function<double()>;
  /// @param time over which it goes there, where it does not jump [s]
  using Set = std::function<void(double value, double time)>;

  ParameterTable() = default;
  ParameterTable(const ParameterTable&) = delete;  // it has the addresses of its owner's values
  ParameterTable& operator=(const ParameterTable&) = delete;

  /// @param get, set in a tick: they allocate and throw nothing. `set` is given values in range
  /// only. The value is part of its owner's state(archive)
  /// @throws InputError: a name that there is already or that is not of dotted identifiers, a range
  /// that is empty or not finite, a persons' range that is not within it
  void add(ParameterInfo info, Get get, Set set);
  /// Of a plain number, which changes at once. The table saves it with the loop's state: its owner
  /// does not. @param value outlives the table, or is not used again before that ends
  void add(ParameterInfo info, double& value);

  std::size_t size() const { return entries_.size(); }
  /// By index, in the order in which they were added.
  const ParameterInfo& info(std::size_t parameter) const { return entries_[parameter].info; }
  /// @throws InputError naming the nearest, or those there are
  std::size_t find(std::string_view name) const;
  /// The same in a tick: none when there is none. Allocates and throws nothing.
  std::optional<std::size_t> look_up(std::string_view name) const noexcept;

  // in a tick; nothing allocates or throws

  /// What the loop has now: on the way to a new value, where it is [the parameter's unit].
  double get(std::size_t parameter) const { return entries_[parameter].get(); }
  /// @param time over which it goes there, where it does not jump [s]
  /// @return false, and nothing changes, when the value is not finite or out of range
  bool set(std::size_t parameter, double value, double time) const;

  /// The values that were added as plain numbers. @throws InputError when loading one that is not
  /// finite
  void state(StateArchive& archive);

 private:
  struct Entry {
    ParameterInfo info;
    Get get;
    Set set;
    double* saved = nullptr;
  };

  void add(Entry entry);

  std::vector<Entry> entries_;
};

/// Values by the parameters' names.
using ParameterValues = std::vector<std::pair<std::string, double>>;

/// "task.hand.weight is 7; it must be 0 to 2", with the unit where it has one: for who asked for a
/// value that is out of the range. @param range such as {info.min, info.max}
std::string out_of_range(const ParameterInfo& info, double value,
                         const std::array<double, 2>& range);

/// Adds parameters of one part (a task, a source, a mode) under the part's name: "radius" of the
/// source circle is "source.circle.radius".
class PartParameters {
 public:
  /// @param part such as "source.circle"  @param table outlives this
  PartParameters(ParameterTable& table, std::string part) : table_(table), part_(std::move(part)) {}

  /// As ParameterTable::add(), the name of `info` being that within the part.
  void add(ParameterInfo info, ParameterTable::Get get, ParameterTable::Set set) {
    table_.add(named(std::move(info)), std::move(get), std::move(set));
  }
  void add(ParameterInfo info, double& value) { table_.add(named(std::move(info)), value); }

 private:
  ParameterInfo named(ParameterInfo info) const {
    info.name = part_ + "." + info.name;
    return info;
  }

  ParameterTable& table_;
  std::string part_;
};

}  // namespace handspan
