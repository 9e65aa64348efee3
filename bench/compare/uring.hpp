// The bare connection by io_uring instead of plain socket calls: it shows whether an engine would
// gain by it.
#pragma once

#include <memory>

#include "bench/subject.hpp"

namespace nexusfix::bench {

// Null if the kernel has no io_uring, or refuses it.
std::unique_ptr<Subject> make_uring_subject();

}  // namespace nexusfix::bench
