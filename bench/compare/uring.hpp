// The bare connection once more, through io_uring in place of plain socket calls: whether an engine
// would gain by it.
#pragma once

#include <memory>

#include "bench/subject.hpp"

namespace nexusfix::bench {

// Null where the kernel has no io_uring, or refuses it.
std::unique_ptr<Subject> make_uring_subject();

}  // namespace nexusfix::bench
