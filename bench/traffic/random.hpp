// The random numbers of the inputs: SplitMix64, which gives the same numbers on every machine and
// with every standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace nexusfix::bench {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_{seed} {}

  // 0 to limit - 1.
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  // 1 to digits_max digits, each length equally often, without a leading zero.
  std::int64_t number(unsigned digits_max) {
    std::int64_t value = static_cast<std::int64_t>(1 + below(9));
    for (std::uint64_t digits = below(digits_max); digits > 0; --digits) {
      value = value * 10 + static_cast<std::int64_t>(below(10));
    }
    return value;
  }
  std::string word(std::size_t least, std::size_t most) {
    std::string text;
    const std::size_t size = least + below(most - least + 1);
    while (text.size() < size) text += static_cast<char>('A' + below(26));
    return text;
  }

 private:
  std::uint64_t next() {
    std::uint64_t value = state_ += 0x9e37'79b9'7f4a'7c15;
    value = (value ^ (value >> 30U)) * 0xbf58'476d'1ce4'e5b9;
    value = (value ^ (value >> 27U)) * 0x94d0'49bb'1331'11eb;
    return value ^ (value >> 31U);
  }

  std::uint64_t state_;
};

}  // namespace nexusfix::bench
