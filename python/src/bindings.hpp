#pragma once
// The extension module handspan._handspan: what Python needs of the loop and of logs, and nothing
// that Python can do as well. The package python/handspan is made of it.
#include <nanobind/nanobind.h>

namespace handspan {

void bind_log(nanobind::module_& module);
void bind_session(nanobind::module_& module);

}  // namespace handspan
