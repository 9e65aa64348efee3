// Whether this program has a sanitizer, which keeps freed memory, and makes system calls itself.
#pragma once

#include <cstddef>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NEXUSFIX_IS_SANITIZED 1
#else
#define NEXUSFIX_IS_SANITIZED 0
#endif

namespace nexusfix {

inline constexpr bool kIsSanitized = NEXUSFIX_IS_SANITIZED == 1;

// The step through the cases of an exhaustive test. Code with a sanitizer is many times slower, and
// takes one case in `one_in`; the release build takes each.
constexpr std::size_t case_step(std::size_t one_in) { return kIsSanitized ? one_in : 1; }

}  // namespace nexusfix
