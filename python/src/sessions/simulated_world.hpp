// The Python class SimulatedWorld: engines in virtual time, with applications in Python.
#pragma once

#include <nanobind/nanobind.h>

namespace nexusfix::python {

void add_simulated_world(nanobind::module_& module);

}  // namespace nexusfix::python
