#pragma once

// Schemas of single values. Numbers are read by their digits, whatever the locale, and are finite.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/schema.hpp"
#include "core/time.hpp"

namespace handspan {

/// A finite number in `unit` (SI, documented and part of messages; "" for none). It may be written
/// with a unit: the schema's own, or one that converts to it exactly as written: deg, deg/s and
/// deg/s^2 for rad...; mm and cm for m; mm/s and cm/s for m/s; ms and us for s; g for kg; kHz for
/// Hz.
Schema<double> number(const std::string& unit = "");

/// A number with the SI unit that it was written in, or converts to; "" for none.
struct WrittenNumber {
  double value = 0.0;
  std::string unit;
};

/// A finite number in whatever unit number() knows of any: for those who learn from the text which
/// it is. The value is as number() of that unit has it.
Schema<WrittenNumber> number_with_unit();

/// The same of a text; nullopt when it is not such a thing.
std::optional<WrittenNumber> parse_number_with_unit(const std::string& text);

/// A whole number of 64 bits in base 10, without exponent.
Schema<std::int64_t> integer();

/// `true` or `false`; yes, no, on and off are errors.
Schema<bool> boolean();

/// Any scalar as it is written, not empty.
Schema<std::string> text();

/// A rate: a number of Hz that is a ratio of small integers ("30", "29.97", "0.1", "30000/1001").
Schema<Rate> rate();

/// A file that exists, absolute or from the folder of the YAML file; the value is the joined path.
Schema<std::filesystem::path> file();

/// A folder that exists, otherwise as file().
Schema<std::filesystem::path> folder();

/// A list of numbers, each as number(unit).
Schema<Eigen::VectorXd> dynamic_vector(const std::string& unit = "");

/// A list of three rows of three numbers.
Schema<Eigen::Matrix3d> matrix3();

/// [x, y, z, w] of a norm within 1e-6 of 1, then normalised.
Schema<Eigen::Quaterniond> quaternion();

namespace schema_detail {
std::optional<Eigen::VectorXd> read_numbers(const Node& node, Reader& reader,
                                            const std::string& unit, Eigen::Index size);
std::string numbers_type(Eigen::Index size);
}  // namespace schema_detail

/// A list of N numbers, each as number(unit).
template <int N>
Schema<Eigen::Matrix<double, N, 1>> vector(const std::string& unit = "") {
  using Vector = Eigen::Matrix<double, N, 1>;
  Description description;
  description.type = schema_detail::numbers_type(N);
  description.unit = unit;
  return Schema<Vector>(
      [unit](const Node& node, Reader& reader) -> std::optional<Vector> {
        const auto values = schema_detail::read_numbers(node, reader, unit, N);
        if (!values) return std::nullopt;
        return Vector(*values);
      },
      std::move(description));
}

/// One of some words, each of which stands for a value: choice<Side>({{"left", kLeft}, ...}).
template <class E>
Schema<E> choice(std::initializer_list<std::pair<std::string, E>> choices) {
  std::vector<std::pair<std::string, E>> table(choices);
  std::vector<std::string> names;
  for (const auto& [name, value] : table) names.push_back(name);
  return text().one_of(std::move(names)).map([table = std::move(table)](const std::string& name) {
    std::size_t i = 0;
    while (table[i].first != name) ++i;
    return table[i].second;
  });
}

}  // namespace handspan
