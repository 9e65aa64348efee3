#include "store/format/crc32c.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include <nexusfix/base/random.hpp>

namespace nexusfix::store {
namespace {

struct Vector {
  std::string bytes;
  std::uint32_t crc;
};

// The check value of the CRC catalogue, and the examples of RFC 3720, appendix B.4.
std::vector<Vector> known_vectors() {
  std::string up(32, '\0');
  for (std::size_t i = 0; i < up.size(); ++i) up[i] = static_cast<char>(i);
  return {{"", 0},
          {"123456789", 0xE3069283},
          {std::string(32, '\0'), 0x8A9136AA},
          {std::string(32, '\xFF'), 0x62A8AB43},
          {up, 0x46DD794E},
          {std::string{up.rbegin(), up.rend()}, 0x113FDB5C}};
}

TEST(Crc32c, every_implementation_gives_the_known_values) {
  for (const Vector& vector : known_vectors()) {
    EXPECT_EQ(crc32c(0, vector.bytes), vector.crc);
    EXPECT_EQ(crc32c_portable(0, vector.bytes), vector.crc);
    if (crc32c_hardware() != nullptr) {
      EXPECT_EQ(crc32c_hardware()(0, vector.bytes), vector.crc);
    }
  }
}

TEST(Crc32c, the_instruction_is_used_where_the_processor_has_it) {
#if defined(__x86_64__)
  const bool has_it = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
#elif defined(__aarch64__)
  const bool has_it = (::getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#else
  const bool has_it = false;
#endif
  EXPECT_EQ(crc32c_hardware() != nullptr, has_it);
}

TEST(Crc32c, pieces_give_the_value_of_the_whole) {
  const std::string_view text = "123456789";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(crc32c(crc32c(0, text.substr(0, cut)), text.substr(cut)), 0xE3069283);
    EXPECT_EQ(crc32c_portable(crc32c_portable(0, text.substr(0, cut)), text.substr(cut)),
              0xE3069283);
  }
}

TEST(Crc32c, instruction_and_table_agree_at_every_length_and_alignment) {
  if (crc32c_hardware() == nullptr) GTEST_SKIP() << "no instruction on this processor";
  SeededRandom random{42};
  std::array<char, 320> bytes{};
  for (char& byte : bytes) byte = static_cast<char>(random.next());
  for (std::size_t begin = 0; begin < 16; ++begin) {
    for (std::size_t length = 0; length <= bytes.size() - begin; ++length) {
      const std::span<const char> part = std::span{bytes}.subspan(begin, length);
      const auto seed = static_cast<std::uint32_t>(random.next());
      ASSERT_EQ(crc32c_hardware()(seed, part), crc32c_portable(seed, part))
          << begin << '+' << length;
    }
  }
}

TEST(Crc32c, all_agree_on_random_parts_of_random_bytes_after_random_sums) {
  SeededRandom random{44};
  std::vector<char> bytes(64U << 10U);
  for (char& byte : bytes) byte = static_cast<char>(random.next());
  std::vector<char> copy(bytes.size() + 64);
  for (int run = 0; run < 2'000; ++run) {
    const auto begin = static_cast<std::size_t>(random.below(bytes.size()));
    const std::uint64_t length_max = random.below(2) == 0 ? 600 : bytes.size();
    const auto length = static_cast<std::size_t>(
        std::min<std::uint64_t>(random.below(length_max), bytes.size() - begin));
    const std::span<const char> part = std::span{bytes}.subspan(begin, length);
    const auto seed = static_cast<std::uint32_t>(random.next());
    const std::uint32_t expected = crc32c_portable(seed, part);
    ASSERT_EQ(crc32c(seed, part), expected) << "run " << run;
    const Crc32cFront front{.first = random.next(),
                            .second = random.next(),
                            .third = static_cast<std::uint32_t>(random.next())};
    const auto offset = static_cast<std::size_t>(random.below(64));
    const std::uint32_t sum = crc32c_copy(seed, front, part, copy.data() + offset);
    ASSERT_EQ(sum, crc32c_copy_portable()(seed, front, part, copy.data())) << "run " << run;
  }
}

TEST(Crc32c, a_copy_is_whole_and_its_sum_is_that_of_the_numbers_and_the_bytes) {
  const Crc32cFront front{
      .first = 0x0807060504030201, .second = 0x100F0E0D0C0B0A09, .third = 0x14131211};
  std::array<char, 20> text;
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i + 1);
  SeededRandom random{43};
  std::array<char, 320> bytes{};
  for (char& byte : bytes) byte = static_cast<char>(random.next());
  for (const Crc32cCopyFunction copy_and_sum : {&crc32c_copy, crc32c_copy_portable()}) {
    for (std::size_t length = 0; length <= bytes.size(); ++length) {
      const std::span<const char> part = std::span{bytes}.first(length);
      const auto seed = static_cast<std::uint32_t>(random.next());
      std::vector<char> copy(length + 16, '-');
      ASSERT_EQ(copy_and_sum(seed, front, part, copy.data()),
                crc32c_portable(crc32c_portable(seed, text), part))
          << length;
      std::vector<char> expected(part.begin(), part.end());
      expected.insert(expected.end(), 16, '-');
      ASSERT_EQ(copy, expected) << length;
    }
  }
}

}  // namespace
}  // namespace nexusfix::store
