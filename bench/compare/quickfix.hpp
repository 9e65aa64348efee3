// QuickFIX, as Debian packages it, at the same jobs. C++14, as its headers are.
#pragma once

#include <memory>

#include "bench/subject.hpp"

namespace nexusfix {
namespace bench {

std::unique_ptr<Subject> make_quickfix_subject();

}  // namespace bench
}  // namespace nexusfix
