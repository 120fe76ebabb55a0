// Errors, and where the shipped files are; the rest is in log_bindings.cpp and
// session_bindings.cpp.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "core/error.hpp"
#include "core/suggest.hpp"
#include "scene/data_folder.hpp"

namespace nb = nanobind;

NB_MODULE(_handspan, module) {
  using namespace handspan;
  module.doc() = "The compiled part of handspan; use the package handspan.";
  // the last one that was registered is asked first
  const nb::exception<InputError> input_error(module, "InputError", PyExc_ValueError);
  const nb::exception<ConfigError> config_error(module, "ConfigError", input_error);
  module.def("data_folder", &data_folder,
             "The folder with the robots, scenes, apps and studies that handspan came with.");
  module.def("shown", &shown, nb::arg("value"),
             "A value as messages show it: escaped, and cut after 60 bytes.");
  module.def("did_you_mean", &did_you_mean, nb::arg("name"), nb::arg("candidates"),
             nb::arg("otherwise"), "The hint of a message: the nearest name, or those there are.");
  bind_log(module);
  bind_session(module);
}
