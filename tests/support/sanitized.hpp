// Whether this program has a sanitizer, which keeps freed memory, and makes system calls itself.
#pragma once

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NEXUSFIX_IS_SANITIZED 1
#else
#define NEXUSFIX_IS_SANITIZED 0
#endif

namespace nexusfix::testing {

inline constexpr bool kIsSanitized = NEXUSFIX_IS_SANITIZED == 1;

}  // namespace nexusfix::testing
