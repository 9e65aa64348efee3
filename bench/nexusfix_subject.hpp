// NexusFIX as a subject, with its public headers only.
#pragma once

#include <memory>

#include "bench/subject.hpp"

namespace nexusfix::bench {

[[nodiscard]] std::unique_ptr<Subject> make_nexusfix_subject();

}  // namespace nexusfix::bench
