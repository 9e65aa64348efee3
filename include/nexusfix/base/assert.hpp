// Assertions for our own mistakes. No byte from a counterparty, a file or a user may ever fail one:
// bad input is an error value, but a broken invariant ends the process before it harms an order.
#pragma once

#include <nexusfix/base/language.hpp>

namespace nexusfix::detail {

// Prints the condition and its place to standard error and aborts.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace nexusfix::detail

// Ends the process if the condition is false, in every build. The condition must cost O(1).
#define NEXUSFIX_ASSERT(condition)    \
  ((condition) ? static_cast<void>(0) \
               : ::nexusfix::detail::assertion_failed(#condition, __FILE__, __LINE__))

// Checks only in debug, sanitizer and simulation builds. Otherwise the condition is not
// evaluated.
#ifdef NDEBUG
#define NEXUSFIX_DEBUG_ASSERT(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#else
#define NEXUSFIX_DEBUG_ASSERT(condition) NEXUSFIX_ASSERT(condition)
#endif
