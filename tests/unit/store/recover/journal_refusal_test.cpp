// Damage in the middle of a log with many sessions: who is refused, and who is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "store/api/journal_format.hpp"
#include "support/disks/fake_disk.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using testing::FakeDisk;
using ::testing::HasSubstr;

const std::string kFolder = "/journal";
const std::string kFile = kFolder + "/0000000001.journal";

struct Log {
  FakeDisk disk;
  std::vector<std::size_t> begins;  // of the records

  // Each record, in one call of append().
  template <class Build>
  void add(Store& store, Build build) {
    begins.push_back(static_cast<std::size_t>(store.appended()));
    EXPECT_TRUE(append(store, build));
    EXPECT_TRUE(store.flush());
  }
  void damage(std::size_t record) {
    std::string bytes = disk.contents(kFile);
    bytes[begins.at(record) + 20] = static_cast<char>(bytes[begins.at(record) + 20] ^ 1);
    disk.set_contents(kFile, bytes);
  }
  std::unique_ptr<Store> open() { return open_or_fail(disk, {.folder = kFolder}).store; }
};

std::string refusal(Store& store, std::string_view name) {
  const auto key = store.open_session(name, at_second(60));
  return key ? std::string{} : key.error().text;
}

TEST(JournalRefusal, a_session_that_went_on_with_the_expected_number_is_not_refused) {
  Log log;
  {
    const auto store = log.open();
    const SessionKey a = open_session(*store, "A");
    const SessionKey b = open_session(*store, "B");
    const SessionKey c = open_session(*store, "C");
    for (std::uint64_t n = 1; n <= 3; ++n) {
      log.add(*store, [&](Transaction& t) { t.outbound_message(a, n, "a"); });
      log.add(*store, [&](Transaction& t) { t.outbound_message(b, n, "b"); });
    }
    log.add(*store, [&](Transaction& t) { t.outbound_message(c, 1, "c"); });
  }
  log.damage(2);  // A's second
  const auto store = log.open();
  EXPECT_THAT(refusal(*store, "A"), HasSubstr("session A: number 2 of epoch 1 is lost"));
  EXPECT_THAT(refusal(*store, "A"), HasSubstr("sessions that lost nothing are not"));
  EXPECT_EQ(refusal(*store, "B"), "");
  EXPECT_EQ(refusal(*store, "C"), "");
  EXPECT_THAT(refusal(*store, "D"), HasSubstr("may have been opened in it"));
  EXPECT_EQ(read_all(*store, 1).size(), 3U);
  EXPECT_EQ(read_all(*store, 0).size(), 2U);
}

TEST(JournalRefusal, where_all_are_refused_no_text_says_that_others_are_not) {
  Log log;
  {
    const auto store = log.open();
    const SessionKey a = open_session(*store, "A");
    log.add(*store, [&](Transaction& t) { t.outbound_message(a, 1, "a"); });
    log.add(*store, [&](Transaction& t) { t.inbound_progress(a, 2); });
  }
  log.damage(0);
  const auto store = log.open();
  EXPECT_THAT(refusal(*store, "A"), HasSubstr("It is refused, and so is every session"));
}

TEST(JournalRefusal, a_session_without_later_records_is_refused) {
  Log log;
  {
    const auto store = log.open();
    const SessionKey a = open_session(*store, "A");
    const SessionKey b = open_session(*store, "B");
    log.add(*store, [&](Transaction& t) { t.outbound_message(b, 1, "b"); });
    log.add(*store, [&](Transaction& t) { t.outbound_message(a, 1, "a"); });
    log.add(*store, [&](Transaction& t) { t.outbound_message(a, 2, "a"); });
    // Inbound progress says nothing about numbers that were sent.
    log.add(*store, [&](Transaction& t) { t.inbound_progress(b, 5); });
  }
  log.damage(1);
  const auto store = log.open();
  EXPECT_THAT(refusal(*store, "A"), HasSubstr("number 1 of epoch 1 is lost"));
  EXPECT_THAT(refusal(*store, "B"), HasSubstr("it may have used numbers from 2 on"));
}

TEST(JournalRefusal, what_goes_on_is_kept_when_it_is_opened_again_and_again) {
  Log log;
  {
    const auto store = log.open();
    const SessionKey a = open_session(*store, "A");
    const SessionKey b = open_session(*store, "B");
    log.add(*store, [&](Transaction& t) { t.outbound_message(a, 1, "a"); });
    log.add(*store, [&](Transaction& t) { t.outbound_message(b, 1, "b1"); });
  }
  log.damage(0);
  for (std::uint64_t n = 2; n <= 4; ++n) {
    const auto store = log.open();
    EXPECT_THAT(refusal(*store, "A"), HasSubstr(kFile + ": damaged at offset"));
    const SessionKey b = open_session(*store, "B");
    EXPECT_EQ(store->session(b).next_outbound, n);
    EXPECT_TRUE(append_message(*store, b, n, "b" + std::to_string(n)));
    EXPECT_TRUE(store->flush());
    EXPECT_EQ(read_all(*store, b).size(), n);
  }
}

TEST(JournalRefusal, an_operator_who_sets_the_numbers_ends_a_doubt) {
  Log log;
  {
    const auto store = log.open();
    const SessionKey a = open_session(*store, "A");
    log.add(*store, [&](Transaction& t) { t.outbound_message(a, 1, "a"); });
    open_session(*store, "B");
    EXPECT_TRUE(store->flush());
  }
  log.damage(0);
  {
    const auto store = log.open();
    EXPECT_THAT(refusal(*store, "A"), HasSubstr("may have used numbers from 1 on"));
    EXPECT_TRUE(append(*store, [&](Transaction& t) {
      t.set_numbers(0, numbers_change(store->session(0), {.next_inbound = {}, .next_outbound = 2},
                                      at_second(70), "anna"));
    }));
    EXPECT_TRUE(store->flush());
  }
  const auto store = log.open();
  EXPECT_EQ(refusal(*store, "A"), "");
  EXPECT_EQ(store->session(0).next_outbound, 2U);
}

}  // namespace
}  // namespace nexusfix::store
