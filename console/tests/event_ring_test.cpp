#include "console/site/event_ring.hpp"

#include <gtest/gtest.h>

namespace nexusfix::web {
namespace {

void write(EventRing& ring, const std::string& text) {
  ring.write({.time = {}, .id = EventId::LoggedOn, .session = "S", .text = text});
}

TEST(EventRing, keeps_the_newest_events_with_their_numbers) {
  EventRing ring;
  for (std::size_t i = 1; i <= EventRing::kEventsMax + 5; ++i) write(ring, std::to_string(i));
  const auto all = ring.after(0, 2'000);
  ASSERT_EQ(all.size(), EventRing::kEventsMax);
  EXPECT_EQ(all.front().number, 6U);
  EXPECT_EQ(all.back().text, "1005");
}

TEST(EventRing, returns_what_came_after_a_number_at_most_the_count) {
  EventRing ring;
  for (const char* const text : {"a", "b", "c"}) write(ring, text);
  EXPECT_EQ(ring.after(3, 10).size(), 0U);
  EXPECT_EQ(ring.after(2, 10).at(0).text, "c");
  EXPECT_EQ(ring.after(0, 2).at(0).text, "b") << "the newest ones";
  EXPECT_EQ(ring.after(99, 10).size(), 3U) << "a number of an earlier run";
}

TEST(EventRing, long_text_is_cut) {
  EventRing ring;
  write(ring, std::string(EventRing::kTextBytesMax + 1, 'x'));
  EXPECT_EQ(ring.after(0, 1).at(0).text.size(), EventRing::kTextBytesMax);
}

}  // namespace
}  // namespace nexusfix::web
