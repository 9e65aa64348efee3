// Seam: random numbers. All of them come from here, so that a seed replays a run exactly.
#pragma once

#include <cstdint>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

// The source of random numbers.
class Random {
 public:
  // The source must outlive everything that uses it.
  virtual ~Random() = default;
  // A random number, uniform over all 64-bit values. One thread at a time.
  [[nodiscard]] virtual std::uint64_t next() noexcept = 0;
};

// The operating system's entropy (getrandom).
class SystemRandom final : public Random {
 public:
  // A random number from the kernel. Any thread.
  [[nodiscard]] std::uint64_t next() noexcept override;
};

// SplitMix64: small, fast, and the same on every machine. Not for secrets.
class SeededRandom final : public Random {
 public:
  // The seed determines all numbers. Any value.
  explicit SeededRandom(std::uint64_t seed) noexcept : state_{seed} {}
  // The next number of the sequence.
  [[nodiscard]] std::uint64_t next() noexcept override;
  // The next number, uniform from 0 to bound - 1. bound: at least 1. The bias of the modulo is
  // below bound / 2^64.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }

 private:
  std::uint64_t state_;
};

}  // namespace nexusfix
