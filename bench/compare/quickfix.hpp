// Debian's QuickFIX as a subject. C++14, because its headers need it.
#pragma once

#include <memory>

#include "bench/subject.hpp"

namespace nexusfix {
namespace bench {

std::unique_ptr<Subject> make_quickfix_subject();

}  // namespace bench
}  // namespace nexusfix
