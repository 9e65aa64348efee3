// The Python class LogQuery: what is read of logs, and the streams that read it.
#pragma once

#include <nanobind/nanobind.h>

namespace nexusfix::python {

// Adds the class to the module.
void add_log_query(nanobind::module_& module);

}  // namespace nexusfix::python
