#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include <nexusfix/deferred.hpp>

namespace nexusfix::deferred {
namespace {

using Buffer = MessageBuffer<100>;

[[nodiscard]] WallTime at(std::int64_t ns) { return WallTime{std::chrono::nanoseconds{ns}}; }

TEST(MessageBuffer, holds_its_bytes_and_time) {
  Buffer buffer;
  EXPECT_EQ(buffer.bytes(), "");
  for (const std::size_t size : {0U, 1U, 99U, 100U}) {
    const std::string text(size, 'x');
    ASSERT_TRUE(buffer.assign(text, at(5)));
    EXPECT_EQ(buffer.bytes(), text);
    EXPECT_EQ(buffer.time(), at(5));
  }
  EXPECT_FALSE(buffer.assign(std::string(101, 'y'), at(6)));
  EXPECT_EQ(buffer.bytes(), std::string(100, 'x'));
  EXPECT_EQ(buffer.time(), at(5));
}

TEST(MessageBuffer, ends_where_its_message_ends) {
  Buffer buffer;
  const auto* const begin = static_cast<const char*>(static_cast<const void*>(&buffer));
  for (const std::size_t size : {0U, 1U, 100U}) {
    ASSERT_TRUE(buffer.assign(std::string(size, 'x'), at(0)));
    EXPECT_EQ(begin + buffer.used_bytes(), buffer.bytes().data() + size);
  }
}

// In a ring the next buffer begins where this one ends.
TEST(MessageBuffer, an_assignment_writes_nothing_after_the_message) {
  Buffer from;
  ASSERT_TRUE(from.assign("message", at(7)));
  auto to = std::make_unique<Buffer>();
  auto* const bytes = static_cast<std::byte*>(static_cast<void*>(to.get()));
  std::memset(bytes + from.used_bytes(), 't', sizeof(Buffer) - from.used_bytes());
  *to = from;
  EXPECT_EQ(to->bytes(), "message");
  EXPECT_EQ(to->time(), at(7));
  for (std::size_t i = to->used_bytes(); i < sizeof(Buffer); ++i) {
    ASSERT_EQ(bytes[i], std::byte{'t'}) << i;
  }
}

TEST(MessageBuffer, a_copy_has_message_and_time) {
  Buffer from;
  ASSERT_TRUE(from.assign("message", at(7)));
  const Buffer copy{from};
  EXPECT_EQ(copy.bytes(), "message");
  EXPECT_EQ(copy.time(), at(7));
  const Buffer& same = from;
  from = same;
  EXPECT_EQ(from.bytes(), "message");
}

}  // namespace
}  // namespace nexusfix::deferred
