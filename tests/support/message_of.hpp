#pragma once
#include <string>

#include "core/error.hpp"

namespace handspan::test {

/// What an InputError says; "no error" when there is none.
template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace handspan::test
