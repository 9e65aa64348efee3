// A row of the table of chunks comes from a database that others can write to: it is read right, or
// refused, and nothing outside of it is read.
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "cluster/postgres/batch.hpp"
#include "cluster/postgres/chunk.hpp"
#include "cluster/postgres/server/array_column.hpp"
#include "store/api/entry.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store::postgres {
namespace {

struct Row {
  std::string keys;
  std::string epochs;
  std::string entries;
};

// The row of a batch with these entries, of sessions in their second epoch.
Row row_of(const std::vector<char>& entries) {
  LogEnd log{.heads = std::vector<SessionHead>(3, {.epoch = 2})};
  Batch batch;
  batch.clear(1'000);
  batch.make_room(entries, log);
  batch.add(entries, at_second(1), log);
  const auto columns = batch.chunk_sessions().parameters();
  return {std::string{columns[0]}, std::string{columns[1]}, std::string{batch.chunk()}};
}

Row some_row() {
  std::vector<char> entries;
  const auto message = [&](SessionKey session, std::uint64_t number, std::string_view bytes) {
    append_entry(
        entries,
        {.kind = EntryKind::OutboundMessage, .session = session, .number = number, .bytes = bytes});
  };
  const auto other = [&](EntryKind kind, SessionKey session, std::uint64_t number) {
    append_entry(entries, {.kind = kind, .session = session, .number = number, .bytes = {}});
  };
  other(EntryKind::Reset, 1, 0);
  message(1, 1, "one");
  message(0, 4, "");
  other(EntryKind::InboundProgress, 2, 9);
  other(EntryKind::Reset, 1, 0);
  message(1, 1, "two");
  append_numbers_change(
      entries, 0, {.before = {1, 5, 2}, .after = {1, 3, 7}, .created = {}, .text = "by hand"});
  message(0, 3, "three");
  return row_of(entries);
}

TEST(PostgresChunk, each_message_has_the_epoch_in_which_it_was_sent) {
  const Row row = some_row();
  Chunk chunk;
  for (int time = 0; time < 2; ++time) {  // nothing is left of the chunk before
    ASSERT_TRUE(chunk.read(1'000, row.keys, row.epochs, row.entries));
    std::string found;
    for (const Chunk::Message& one : chunk.messages()) {
      found += std::to_string(one.session) + ' ' + std::to_string(one.epoch) + ' ' +
               std::to_string(one.number) + ' ' + std::string{one.bytes} + '\n';
    }
    EXPECT_EQ(found, "1 3 1 one\n0 2 4 \n1 4 1 two\n0 7 3 three\n");
    EXPECT_EQ(chunk.end(), 1'000 + row.entries.size());
  }
}

TEST(PostgresChunk, a_row_that_is_cut_or_damaged_is_refused_or_stays_within_itself) {
  const Row row = some_row();
  Chunk chunk;
  SeededRandom random{2025};
  const auto stays_within = [&](const std::string& entries) {
    return std::ranges::all_of(chunk.messages(), [&](const Chunk::Message& one) {
      return one.bytes.empty() ||
             (one.bytes.data() >= entries.data() &&
              one.bytes.data() + one.bytes.size() <= entries.data() + entries.size());
    });
  };
  for (std::size_t size = 1; size < row.keys.size(); ++size) {
    EXPECT_FALSE(chunk.read(0, row.keys.substr(0, size), row.epochs, row.entries)) << size;
    EXPECT_FALSE(chunk.read(0, row.keys, row.epochs.substr(0, size), row.entries)) << size;
  }
  std::uint64_t refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    Row damaged = row;
    for (std::uint64_t count = 1 + random.below(3); count > 0; --count) {
      std::string* const columns[] = {&damaged.keys, &damaged.epochs, &damaged.entries};
      std::string& column = *columns[random.below(3)];
      column[random.below(column.size())] = static_cast<char>(random.below(256));
    }
    if (random.below(4) == 0) damaged.entries.resize(random.below(damaged.entries.size()));
    // A copy of its own size, so that a sanitizer sees what is read after it.
    const std::string entries = damaged.entries;
    if (chunk.read(0, damaged.keys, damaged.epochs, entries)) {
      ASSERT_TRUE(stays_within(entries)) << round;
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, 5'000U);
  ASSERT_TRUE(chunk.read(0, row.keys, row.epochs, row.entries));
}

TEST(PostgresChunk, a_message_of_a_session_that_the_row_does_not_name_is_refused) {
  const Row row = some_row();
  std::vector<char> entries;
  append_entry(entries,
               {.kind = EntryKind::OutboundMessage, .session = 2, .number = 1, .bytes = "x"});
  Chunk chunk;
  EXPECT_FALSE(chunk.read(0, row.keys, row.epochs, {entries.data(), entries.size()}));
  const Row other = row_of(entries);
  EXPECT_TRUE(chunk.read(0, other.keys, other.epochs, other.entries));
  EXPECT_FALSE(chunk.read(0, other.keys, row.epochs, other.entries)) << "a row of columns of two";
}

}  // namespace
}  // namespace nexusfix::store::postgres
