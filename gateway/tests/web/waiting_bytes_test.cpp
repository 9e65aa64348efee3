// Bytes between a WebSocket's two sides, which may come without a pause.
#include "gateway/door/waiting_bytes.hpp"

#include <gtest/gtest.h>
#include <string>

namespace nexusfix::gateway {
namespace {

TEST(WaitingBytesTest, what_is_read_leaves_in_the_order_in_which_it_came) {
  WaitingBytes bytes;
  bytes.add("one");
  bytes.add("two");
  bytes.remove(2);
  EXPECT_EQ(bytes.unread(), "etwo");
  bytes.add("three");
  bytes.remove(4);
  EXPECT_EQ(bytes.unread(), "three");
  bytes.remove(5);
  EXPECT_TRUE(bytes.unread().empty());
}

// A client that streams faster than it is read.
TEST(WaitingBytesTest, memory_does_not_grow_while_some_bytes_always_wait) {
  WaitingBytes bytes;
  bytes.add("x");
  for (int i = 0; i < 1'000; ++i) {
    const std::string more(10'000, static_cast<char>('a' + (i % 26)));
    bytes.add(more);
    ASSERT_EQ(bytes.unread().back(), more.back());
    bytes.remove(10'000);
    ASSERT_EQ(bytes.unread().size(), 1U);
  }
  EXPECT_LT(bytes.capacity(), 1'000'000U);
}

TEST(WaitingBytesTest, memory_of_a_large_message_is_released_when_it_is_read) {
  WaitingBytes bytes;
  bytes.add(std::string(5'000'000, 'x'));
  bytes.remove(5'000'000);
  EXPECT_LT(bytes.capacity(), 1'000'000U);
}

}  // namespace
}  // namespace nexusfix::gateway
