// A library of bench/contestants as a subject.
#pragma once

#include <memory>
#include <string>

#include "bench/subject.hpp"

namespace nexusfix::bench {

// Opens the shared library, which stays open until the program ends. Throws std::runtime_error if
// it cannot be opened, is no contestant, or has another interface than contestant.h.
[[nodiscard]] std::unique_ptr<Subject> open_contestant(const std::string& path);

}  // namespace nexusfix::bench
