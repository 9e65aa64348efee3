#include <gtest/gtest.h>
#include <numeric>
#include <string>

#include <nexusfix/wire/frame.hpp>

#include "unit/wire/kernels/guarded_bytes.hpp"

namespace nexusfix::wire {
namespace {

std::uint8_t slow_check_sum(std::string_view bytes) {
  unsigned sum = 0;
  for (const char c : bytes) sum += static_cast<unsigned char>(c);
  return static_cast<std::uint8_t>(sum % 256);
}

TEST(CheckSum, of_a_message_equals_its_trailer) {
  const std::string message =
      "8=FIX.4.4\x01"
      "9=49\x01"
      "35=5\x01"
      "34=1\x01"
      "49=BANZAI\x01"
      "52=20121105-23:24:37\x01"
      "56=EXEC\x01";
  EXPECT_EQ(check_sum(message), slow_check_sum(message));
  EXPECT_EQ(check_sum(""), 0);
  EXPECT_EQ(check_sum("10"), 97);
}

TEST(CheckSum, of_every_size_reads_only_the_bytes) {
  constexpr std::size_t kSizeMax = 700;
  test::GuardedBytes guarded{kSizeMax};
  std::string bytes;
  for (std::size_t size = 0; size <= kSizeMax; ++size) {
    const std::uint8_t wanted = slow_check_sum(bytes);
    ASSERT_EQ(check_sum(guarded.at_begin(bytes)), wanted) << size;
    ASSERT_EQ(check_sum(guarded.at_end(bytes)), wanted) << size;
    bytes += static_cast<char>(size * 197 + 91);
  }
}

// A byte that is missed or counted twice changes the sum by that byte only.
TEST(CheckSum, counts_each_byte_once) {
  for (std::size_t size = 1; size <= 200; ++size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) {
      byte = '\xff';
      ASSERT_EQ(check_sum(bytes), 0xff) << size;
      byte = '\0';
    }
  }
}

TEST(CheckSum, wraps_at_256) {
  EXPECT_EQ(check_sum(std::string(100'000, '\xff')), static_cast<std::uint8_t>(100'000 * 0xff));
}

TEST(CheckSum, of_parts_adds_up) {
  const std::string bytes = "8=FIX.4.4 and some more bytes than one vector holds";
  for (std::size_t at = 0; at <= bytes.size(); ++at) {
    const std::string_view view{bytes};
    EXPECT_EQ(static_cast<std::uint8_t>(check_sum(view.substr(0, at)) + check_sum(view.substr(at))),
              check_sum(bytes));
  }
}

}  // namespace
}  // namespace nexusfix::wire
