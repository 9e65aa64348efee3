// A checkpoint that was encoded ahead says the same as one that is made at once.

#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "store/api/entry.hpp"
#include "store/state/checkpoint.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

// A log that is only a state and a position.
class Log {
 public:
  void apply(std::span<const char> entries, std::uint64_t bytes = 200) {
    const auto applied = state.apply(entries, at_second(100), end, end + bytes);
    ASSERT_TRUE(applied) << applied.error();
    end += bytes;
  }
  void open_session() {
    const std::string name = "S" + std::to_string(state.sessions.size());
    apply(entry({.kind = EntryKind::SessionOpened,
                 .session = static_cast<SessionKey>(state.sessions.size()),
                 .number = 0,
                 .bytes = name}));
  }
  static std::vector<char> entry(const Entry& one) {
    std::vector<char> entries;
    append_entry(entries, one);
    return entries;
  }
  std::vector<char> random_entry(SeededRandom& random) {
    const auto key = static_cast<SessionKey>(random.below(state.sessions.size()));
    const std::uint64_t next = state.sessions.record(key).next_outbound;
    switch (random.below(12)) {
      case 0:
        return entry({.kind = EntryKind::Reset, .session = key, .number = 0, .bytes = {}});
      case 1:
        return entry(
            {.kind = EntryKind::NumbersReserved, .session = key, .number = next + 9, .bytes = {}});
      case 2:
        return entry({.kind = EntryKind::InboundProgress,
                      .session = key,
                      .number = state.sessions.record(key).next_inbound + 1,
                      .bytes = {}});
      case 3:
        return entry(
            {.kind = EntryKind::OutboundNumber, .session = key, .number = next, .bytes = {}});
      default:
        return entry(
            {.kind = EntryKind::OutboundMessage, .session = key, .number = next, .bytes = "text"});
    }
  }

  LogState state;
  LogPosition end = 128;
};

TEST(SessionDraft, says_what_an_encoding_at_once_says_whatever_changes_meanwhile) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    SeededRandom random{seed};
    Log log;
    SessionDraft draft{log.state};
    for (std::uint64_t i = 1 + random.below(30); i > 0; --i) log.open_session();
    for (int segment = 0; segment < 3; ++segment) {
      for (std::uint64_t part = 0; part < 100; ++part) {
        if (part >= 50) draft.advance(log.state.sessions.size() * (part - 49) / 50, 0);
        if (random.below(300) == 0) log.open_session();
        const std::vector<char> entries = log.random_entry(random);
        draft.touch(entries);
        log.apply(entries, 40'000);
      }
      std::vector<char> drafted{'x'};
      std::vector<char> at_once{'x'};
      draft.finish(drafted, 0);
      SessionDraft{log.state}.finish(at_once, 0);
      ASSERT_EQ(drafted, at_once);
    }
  }
}

// With 65 sessions, each may have half as many groups as with 64.
TEST(SessionDraft, is_made_again_when_one_more_session_merges_the_groups_of_another) {
  Log log;
  for (int i = 0; i < 64; ++i) log.open_session();
  for (std::uint64_t number = 1; number <= 10'000; ++number) {
    log.apply(
        Log::entry(
            {.kind = EntryKind::OutboundMessage, .session = 0, .number = number, .bytes = "text"}),
        200'000);
  }
  SessionDraft draft{log.state};
  draft.advance(1, 0);
  const std::size_t groups = log.state.indexes[0].groups().size();
  log.open_session();
  ASSERT_LT(log.state.indexes[0].groups().size(), groups);
  draft.advance(2, 0);
  std::vector<char> drafted;
  std::vector<char> at_once;
  draft.finish(drafted, 0);
  SessionDraft{log.state}.finish(at_once, 0);
  EXPECT_TRUE(drafted == at_once);
}

TEST(SessionDraft, numbers_of_every_size_are_read_back) {
  Log log;
  log.open_session();
  std::vector<std::uint64_t> numbers;
  for (unsigned bits = 0; bits < 62; ++bits) {
    for (const std::uint64_t less : {std::uint64_t{1}, std::uint64_t{0}}) {
      const std::uint64_t number = (std::uint64_t{1} << bits) - less;
      if (number > 0 && (numbers.empty() || number > numbers.back())) numbers.push_back(number);
    }
  }
  for (const std::uint64_t number : numbers) {
    log.end = std::max<LogPosition>(log.end, number);
    // So large that none is in a group with another one.
    log.apply(
        Log::entry(
            {.kind = EntryKind::OutboundMessage, .session = 0, .number = number, .bytes = "text"}),
        100'000);
  }
  Checkpointer checkpointer{log.state};
  checkpointer.start(0, 0);
  SegmentHeader segment;
  segment.log_id = 1;
  segment.number = 2;
  segment.position = log.end;
  std::vector<char> bytes(kSegmentHeaderBytes);
  checkpointer.append(bytes, segment, 1, false);
  segment.start_bytes = static_cast<std::uint32_t>(bytes.size());
  const auto read = decode_checkpoint(segment, std::span{bytes}.subspan(kSegmentHeaderBytes));
  ASSERT_TRUE(read) << describe(read.error());
  std::vector<std::uint64_t> found;
  for (const MessageIndex::Group& group : read->sessions.at(0).groups) {
    found.push_back(group.first);
    EXPECT_EQ(group.end - group.begin, 100'000U);
  }
  EXPECT_EQ(found, numbers);
}

}  // namespace
}  // namespace nexusfix::store
