#pragma once

// Default values as a schema's documentation shows them.

#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <concepts>
#include <filesystem>
#include <optional>
#include <string>
#include <type_traits>

#include "core/time.hpp"

namespace handspan {

/// `value` as a person would write it in YAML; "" for what has no short spelling (objects,
/// choices).
template <class T>
std::string default_text(const T& value) {
  if constexpr (std::same_as<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_arithmetic_v<T>) {
    return fmt::format("{}", value);
  } else if constexpr (std::same_as<T, std::string>) {
    return value.empty() ? "none" : value;
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    return value.empty() ? "none" : value.string();
  } else if constexpr (std::same_as<T, Rate>) {
    return value.text();
  } else if constexpr (std::same_as<T, Eigen::Quaterniond>) {
    return fmt::format("[{}, {}, {}, {}]", value.x(), value.y(), value.z(), value.w());
  } else if constexpr (std::derived_from<T, Eigen::MatrixBase<T>>) {
    std::string rows;
    for (Eigen::Index i = 0; i < value.rows(); ++i) {
      std::string row;
      for (Eigen::Index j = 0; j < value.cols(); ++j) {
        row += fmt::format("{}{}", j > 0 ? ", " : "", value(i, j));
      }
      if (i > 0) rows += ", ";
      rows += value.cols() > 1 ? "[" + row + "]" : row;
    }
    return "[" + rows + "]";
  } else if constexpr (requires {
                         value.has_value();
                         *value;
                       }) {
    return value.has_value() ? default_text(*value) : "none";
  } else if constexpr (requires {
                         value.empty();
                         value.begin();
                       }) {
    return value.empty() ? "none" : "";
  } else {
    return "";
  }
}

}  // namespace handspan
