// The reference: what somebody writes who knows C++ and FIX and gives speed no thought. Its parser
// is a std::map<int, std::string>, its numbers are std::from_chars, its encoder is snprintf().
#pragma once

#include <memory>

#include "bench/subject.hpp"

namespace nexusfix::bench {

[[nodiscard]] std::unique_ptr<Subject> make_reference_subject();

}  // namespace nexusfix::bench
