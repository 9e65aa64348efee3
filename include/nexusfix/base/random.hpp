// Seam: random numbers. All of them come from here, so that a seed replays a run exactly.
#pragma once

#include <cstdint>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

class Random {
 public:
  virtual ~Random() = default;
  // Uniform over all 64-bit values. One thread at a time.
  [[nodiscard]] virtual std::uint64_t next() noexcept = 0;
};

// The operating system's entropy (getrandom).
class SystemRandom final : public Random {
 public:
  [[nodiscard]] std::uint64_t next() noexcept override;
};

// SplitMix64: small, fast, the same on every machine. Not for secrets.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) noexcept : state_{seed} {}
  [[nodiscard]] std::uint64_t next() noexcept override;
  // Uniform in [0, bound); bound > 0. The bias of the modulo is below bound / 2^64.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }

 private:
  std::uint64_t state_;
};

}  // namespace nexusfix
