#include <cstdio>
#include <cstdlib>

#include <nexusfix/base/language.hpp>

namespace nexusfix::detail {

void assertion_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace nexusfix::detail
