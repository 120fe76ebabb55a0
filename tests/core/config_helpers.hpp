#pragma once

#include <string>

#include "core/config.hpp"

namespace handspan::test {

/// The message of the error that reading `text` as the file "t.yaml" throws; "no error" when it is
/// fine.
template <class T>
std::string errors_of(const std::string& text, const Schema<T>& schema) {
  try {
    parse_yaml(text, "t.yaml", schema);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

/// The same of the value at the key "x" of an object, without the place "t.yaml:1: ".
template <class T>
std::string error_at_x(const std::string& value, const Schema<T>& schema) {
  struct Holder {
    T x{};
  };
  const std::string message =
      errors_of("x: " + value, object<Holder>("Holder").required("x", &Holder::x, schema));
  const std::string place = "t.yaml:1: ";
  return message.starts_with(place) ? message.substr(place.size()) : message;
}

/// The value of "x: VALUE".
template <class T>
T value_at_x(const std::string& value, const Schema<T>& schema) {
  struct Holder {
    T x{};
  };
  return parse_yaml("x: " + value, "t.yaml",
                    object<Holder>("Holder").required("x", &Holder::x, schema))
      .x;
}

}  // namespace handspan::test
