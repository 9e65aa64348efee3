// Names of sessions: one for each, and unique.
#include <gtest/gtest.h>
#include <map>
#include <string>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/session/identity.hpp>

#include "support/sanitized.hpp"

namespace nexusfix::session {
namespace {

SessionId identity(std::string sender, std::string target, std::string qualifier = {}) {
  return {.begin_string = "FIX.4.4",
          .sender_comp_id = std::move(sender),
          .target_comp_id = std::move(target),
          .qualifier = std::move(qualifier)};
}

TEST(SessionIdName, ordinary_ones_are_unchanged) {
  SessionId id = identity("VENUE", "TRADER-1_x.y", "desk7");
  EXPECT_EQ(id.to_string(), "FIX.4.4:VENUE->TRADER-1_x.y:desk7");
  id.sender_sub_id = "BOOK";
  id.sender_location_id = "LDN";
  id.target_location_id = "NYC";
  EXPECT_EQ(id.to_string(), "FIX.4.4:VENUE/BOOK/LDN->TRADER-1_x.y//NYC:desk7");
  EXPECT_EQ(id.to_string(), id.former_name());
}

TEST(SessionIdName, separators_are_escaped_within_a_part) {
  EXPECT_EQ(identity("VENUE", "A->B").to_string(), "FIX.4.4:VENUE->A-%3EB");
  EXPECT_EQ(identity("VENUE->A", "B").to_string(), "FIX.4.4:VENUE-%3EA->B");
  EXPECT_EQ(identity("A/B", "C:D", "e:f").to_string(), "FIX.4.4:A%2FB->C%3AD:e%3Af");
  EXPECT_EQ(identity("5%", "%2F").to_string(), "FIX.4.4:5%->%252F");
  EXPECT_EQ(identity("a\tb", "\xC3\xA9").to_string(), "FIX.4.4:a%09b->%C3%A9");
  EXPECT_EQ(identity("VENUE->A", "B").former_name(), identity("VENUE", "A->B").former_name());
}

TEST(SessionIdName, other_spellings_are_no_names) {
  for (const char* const name :
       {"", "FIX.4.4", "FIX.4.4:A", "FIX.4.4:->B", "FIX.4.4:A->", ":A->B", "FIX.4.4:A->B->C",
        "FIX.4.4:%41->B", "FIX.4.4:A%2f->B:", "FIX.4.4:A->B:", "FIX.4.4:A/->B", "FIX.4.4:A->B/C/",
        "FIX.4.4:A->B/C/D/E", "FIX.4.4:A->B:c:d", "FIX.4.4:A%3a->B\t"}) {
    EXPECT_FALSE(SessionId::parse(name)) << name;
  }
}

// Parts of separators, escapes and bytes that are not printable.
std::string random_part(SeededRandom& random, std::size_t bytes_min) {
  constexpr std::string_view kBytes = "A-->>//::%%2F35\t\xE9";
  std::string part;
  for (std::size_t i = bytes_min + random.below(5); i > 0; --i) {
    part += kBytes[random.below(kBytes.size())];
  }
  return part;
}

TEST(SessionIdName, different_identities_have_different_names_and_each_is_read_back) {
  SeededRandom random{20240115};
  std::map<std::string, SessionId> seen;
  constexpr std::size_t kRounds = 200'000 / case_step(8);
  for (std::size_t i = 0; i < kRounds; ++i) {
    SessionId id = identity(random_part(random, 1), random_part(random, 1), random_part(random, 0));
    if (random.below(2) == 0) {
      id.sender_sub_id = random_part(random, 0);
      id.sender_location_id = random_part(random, 0);
      id.target_sub_id = random_part(random, 0);
      id.target_location_id = random_part(random, 0);
    }
    const std::string name = id.to_string();
    const auto [place, is_new] = seen.emplace(name, id);
    ASSERT_EQ(place->second, id) << name;
    const auto read = SessionId::parse(name);
    ASSERT_TRUE(read) << name;
    ASSERT_EQ(*read, id) << name;
    for (const char c : name) ASSERT_TRUE(c >= ' ' && c <= '~') << name;
  }
}

}  // namespace
}  // namespace nexusfix::session
