// The reference: plain C++ by an author who knows FIX and does not optimise. It parses into a
// std::map<int, std::string>, reads numbers by std::from_chars, and encodes by snprintf().
#pragma once

#include <memory>

#include "bench/subject.hpp"

namespace nexusfix::bench {

[[nodiscard]] std::unique_ptr<Subject> make_reference_subject();

}  // namespace nexusfix::bench
