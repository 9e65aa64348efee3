// NexusFIX at the jobs of the report, by its public headers alone.
#pragma once

#include <memory>

#include "bench/subject.hpp"

namespace nexusfix::bench {

[[nodiscard]] std::unique_ptr<Subject> make_nexusfix_subject();

}  // namespace nexusfix::bench
