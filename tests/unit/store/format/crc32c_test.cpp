#include "store/api/crc32c.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include <nexusfix/base/clock.hpp>

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

const Crc32cFunction sum_portably = crc32c_kernels().front().sum;

TEST(Crc32c, every_kernel_gives_the_known_values) {
  for (const Vector& vector : known_vectors()) {
    EXPECT_EQ(crc32c(0, vector.bytes), vector.crc);
    for (const Crc32cKernel& kernel : crc32c_kernels()) {
      EXPECT_EQ(kernel.sum(0, vector.bytes), vector.crc) << kernel.name;
    }
  }
}

TEST(Crc32c, there_is_a_kernel_for_each_set_of_instructions_of_the_processor) {
  std::vector<std::string_view> names{"portable"};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx") && __builtin_cpu_supports("pclmul")) names.emplace_back("AVX");
  // Every processor that has the two has the others.
  if (__builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("vpclmulqdq")) {
    names.emplace_back("AVX-512");
  }
#elif defined(__aarch64__)
  if ((::getauxval(AT_HWCAP) & HWCAP_CRC32) != 0) names.emplace_back("ARMv8 CRC");
#endif
  std::vector<std::string_view> found;
  for (const Crc32cKernel& kernel : crc32c_kernels()) found.push_back(kernel.name);
  EXPECT_EQ(found, names);
}

TEST(Crc32c, pieces_give_the_value_of_the_whole) {
  const std::string_view text = "123456789";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(crc32c(crc32c(0, text.substr(0, cut)), text.substr(cut)), 0xE3069283);
    EXPECT_EQ(sum_portably(sum_portably(0, text.substr(0, cut)), text.substr(cut)), 0xE3069283);
  }
}

TEST(Crc32c, kernels_agree_at_every_length_and_alignment) {
  SeededRandom random{42};
  std::array<char, 320> bytes{};
  for (char& byte : bytes) byte = static_cast<char>(random.next());
  for (std::size_t begin = 0; begin < 16; ++begin) {
    for (std::size_t length = 0; length <= bytes.size() - begin; ++length) {
      const std::span<const char> part = std::span{bytes}.subspan(begin, length);
      const auto seed = static_cast<std::uint32_t>(random.next());
      const std::uint32_t expected = sum_portably(seed, part);
      for (const Crc32cKernel& kernel : crc32c_kernels()) {
        ASSERT_EQ(kernel.sum(seed, part), expected) << kernel.name << ' ' << begin << '+' << length;
      }
    }
  }
}

// A record in the words of journal-format.md.
std::string record_of(std::span<const char> bytes, std::uint32_t crc, std::uint64_t offset,
                      std::uint64_t time) {
  const auto number = [](std::uint64_t value, unsigned count) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) text += static_cast<char>(value >> (8 * i) & 0xFFU);
    return text;
  };
  const std::string summed =
      number(bytes.size(), 4) + number(time, 8) + std::string{bytes.begin(), bytes.end()};
  return number(sum_portably(sum_portably(crc, number(offset, 8)), summed), 4) + summed;
}

TEST(Crc32c, a_record_has_its_sum_and_all_bytes_and_nothing_is_written_beside_it) {
  constexpr std::size_t kBeside = 64;
  SeededRandom random{43};
  std::array<char, 420> bytes{};
  for (char& byte : bytes) byte = static_cast<char>(random.next());
  for (const Crc32cKernel& kernel : crc32c_kernels()) {
    for (std::size_t length = 0; length <= bytes.size(); ++length) {
      // At its end, so that a read after it is found.
      const std::vector<char> part(bytes.end() - static_cast<std::ptrdiff_t>(length), bytes.end());
      const auto crc = static_cast<std::uint32_t>(random.next());
      const std::uint64_t offset = random.next();
      const std::uint64_t time = random.next();
      const std::string expected = std::string(kBeside, '-') + record_of(part, crc, offset, time) +
                                   std::string(kBeside, '-');
      std::string found(expected.size(), '-');
      kernel.write_record(found.data() + kBeside, part, crc, offset, time);
      ASSERT_EQ(found, expected) << kernel.name << ' ' << length;
    }
  }
}

TEST(Crc32c, all_agree_on_random_parts_of_random_bytes_after_random_sums) {
  SeededRandom random{44};
  std::vector<char> bytes(64U << 10U);
  for (char& byte : bytes) byte = static_cast<char>(random.next());
  std::vector<char> out(bytes.size() + 80);
  for (int run = 0; run < 2'000; ++run) {
    const auto begin = static_cast<std::size_t>(random.below(bytes.size()));
    const std::uint64_t length_max = random.below(2) == 0 ? 600 : bytes.size();
    const auto length = static_cast<std::size_t>(
        std::min<std::uint64_t>(random.below(length_max), bytes.size() - begin));
    const std::span<const char> part = std::span{bytes}.subspan(begin, length);
    const auto seed = static_cast<std::uint32_t>(random.next());
    const std::uint32_t expected = sum_portably(seed, part);
    ASSERT_EQ(crc32c(seed, part), expected) << "run " << run;
    const std::uint64_t offset = random.next();
    const std::uint64_t time = random.next();
    const std::string record = record_of(part, seed, offset, time);
    char* const at = out.data() + static_cast<std::size_t>(random.below(64));
    write_record(at, part, seed, offset, time);
    ASSERT_EQ((std::string_view{at, record.size()}), record) << "run " << run;
    for (const Crc32cKernel& kernel : crc32c_kernels()) {
      ASSERT_EQ(kernel.sum(seed, part), expected) << kernel.name << " run " << run;
    }
  }
}

}  // namespace
}  // namespace nexusfix::store
