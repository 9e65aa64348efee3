#include <cerrno>
#include <cstdint>
#include <sys/random.h>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>

namespace nexusfix {

std::uint64_t SystemRandom::next() noexcept {
  std::uint64_t value = 0;
  ssize_t got = -1;
  do {
    got = ::getrandom(&value, sizeof value, 0);
  } while (got < 0 && errno == EINTR);
  // The kernel never shortens a request of at most 256 bytes. Predictable numbers would be worse
  // than the end of the process.
  NEXUSFIX_ASSERT(got == static_cast<ssize_t>(sizeof value));
  return value;
}

// The constants are those of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
std::uint64_t SeededRandom::next() noexcept {
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

}  // namespace nexusfix
