// Damage in closed segments is found and reported while the journal is in use (catalogue D8).
#include "store/scan/scrub.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nexusfix/base/disk.hpp>

#include "store/api/journal_format.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/disks/gated_disk.hpp"
#include "support/disks/temporary_folder.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using ::testing::AllOf;
using testing::DiskCall;
using testing::FakeDisk;
using testing::GatedDisk;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kFolder = "journal";

std::string path_of(std::uint64_t number) { return kFolder + '/' + segment_file_name(number); }

// A journal in use, and its closed segments as they are found in its files.
class ScrubTest : public ::testing::Test {
 protected:
  void SetUp() override {
    open();
    fill(40);
    add_closed();
  }

  void open() {
    options_.folder = kFolder;
    options_.segment_bytes = 1000;
    store_ = open_or_fail(disk_, options_).store;
    ASSERT_NE(store_, nullptr);
    key_ = open_session(*store_, "A");
  }
  void fill(int count) {
    for (int i = 0; i < count; ++i) {
      const std::uint64_t next = store_->session(key_).next_outbound;
      ASSERT_TRUE(append_message(*store_, key_, next, std::string(90, 'm')));
      ASSERT_TRUE(store_->flush());
    }
  }
  [[nodiscard]] std::optional<SegmentHeader> header_of(std::uint64_t number) const {
    if (!disk_.exists(path_of(number))) return std::nullopt;
    const std::string bytes = disk_.contents(path_of(number));
    const auto header =
        decode_segment_header(std::span{bytes}.first(std::min(bytes.size(), kSegmentHeaderBytes)));
    return header ? std::optional{*header} : std::nullopt;
  }
  void add_closed() {
    for (std::uint64_t number = closed_ + 1;; ++number) {
      const auto header = header_of(number);
      const auto next = header_of(number + 1);
      if (!header || !next) return;
      scrub_.add(*header, next->position - header->position);
      closed_ = number;
    }
  }
  void flip(std::uint64_t number, std::uint64_t offset) {
    std::string bytes = disk_.contents(path_of(number));
    bytes[offset] = static_cast<char>(bytes[offset] ^ 1);
    disk_.set_contents(path_of(number), bytes);
  }
  std::uint64_t run() {
    std::uint64_t read = 0;
    while (const auto piece = scrub_.step()) read += *piece;
    return read;
  }
  std::vector<StoreEvent> events() {
    std::vector<StoreEvent> all;
    while (auto event = events_.take()) all.push_back(std::move(*event));
    return all;
  }

  FakeDisk disk_;
  JournalOptions options_;
  std::unique_ptr<Store> store_;
  SessionKey key_ = 0;
  EventQueue events_;
  Scrub scrub_{disk_, kFolder, events_};
  std::uint64_t closed_ = 0;
};

TEST_F(ScrubTest, an_intact_log_is_read_whole_once_and_nothing_is_reported) {
  ASSERT_GE(closed_, 5U);
  EXPECT_EQ(run(), header_of(closed_ + 1)->position);
  EXPECT_EQ(run(), 0U);
  EXPECT_THAT(events(), IsEmpty());
  fill(20);
  const LogPosition before = header_of(closed_ + 1)->position;
  add_closed();
  EXPECT_EQ(run(), header_of(closed_ + 1)->position - before) << "only what is new";
  scrub_.restart();
  EXPECT_EQ(run(), header_of(closed_ + 1)->position);
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(ScrubTest, each_damaged_byte_of_a_closed_segment_is_reported_with_its_place) {
  const std::uint64_t end = header_of(3)->position - header_of(2)->position;
  const std::uint64_t header_bytes = header_of(2)->header_bytes();
  const std::uint64_t records_at = header_of(2)->records_at();
  for (std::uint64_t offset = 0; offset < end; ++offset) {
    flip(2, offset);
    scrub_.restart();
    run();
    const auto found = events();
    ASSERT_EQ(found.size(), 1U) << offset;
    EXPECT_THAT(found[0].text, HasSubstr(path_of(2))) << offset;
    const bool is_checkpoint = offset >= header_bytes && offset < records_at;
    EXPECT_EQ(found[0].id, is_checkpoint ? EventId::CheckpointUnreadable : EventId::SegmentDamaged)
        << offset;
    if (!is_checkpoint) {
      EXPECT_THAT(found[0].text, AllOf(HasSubstr("damaged at offset "),
                                       HasSubstr("nexusfix journal repair journal --dry-run")))
          << offset;
    }
    flip(2, offset);
  }
  scrub_.restart();
  run();
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(ScrubTest, the_place_of_a_damaged_record_is_where_the_record_begins) {
  const std::uint64_t at = header_of(2)->records_at();
  flip(2, at + 50);
  run();
  const auto found = events();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].text, AllOf(HasSubstr("damaged at offset " + std::to_string(at) + " ("),
                                   HasSubstr("the record's checksum does not match"),
                                   Not(HasSubstr("more place"))));
}

TEST_F(ScrubTest, several_damages_of_a_segment_are_one_event) {
  const std::uint64_t end = header_of(3)->position - header_of(2)->position;
  flip(2, header_of(2)->records_at() + 50);
  flip(2, end - 10);
  run();
  const auto found = events();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].text, HasSubstr("and in 1 more places"));
}

TEST_F(ScrubTest, the_session_goes_on_and_what_is_damaged_is_never_passed_on) {
  flip(2, header_of(2)->records_at() + 50);
  run();
  ASSERT_EQ(events().size(), 1U);
  fill(5);
  std::vector<std::uint64_t> numbers;
  const auto read = store_->read(key_, 1, 45, [&](std::uint64_t number, std::string_view) {
    numbers.push_back(number);
    return true;
  });
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, StoreErrorCode::Corrupt);
  EXPECT_EQ(numbers.size(), 44U) << "all but the damaged one";
  EXPECT_TRUE(store_->open_session("A", at_second(9)));
  EXPECT_TRUE(store_->open_session("NEW", at_second(9)));
}

TEST_F(ScrubTest, a_segment_that_lost_its_end_is_reported) {
  const std::string bytes = disk_.contents(path_of(2));
  const std::uint64_t end = header_of(3)->position - header_of(2)->position;
  disk_.set_contents(path_of(2), bytes.substr(0, end - 1));
  run();
  const auto found = events();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].text, HasSubstr("cut off at offset " + std::to_string(end - 1)));
}

TEST_F(ScrubTest, a_segment_that_cannot_be_read_is_reported_and_the_others_are_read) {
  flip(4, header_of(4)->records_at() + 50);
  disk_.fail(DiskCall::Read, 2, EIO);
  run();
  const auto found = events();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0].text,
              AllOf(HasSubstr(path_of(2)), HasSubstr("cannot be read"), HasSubstr("Input/output")));
  EXPECT_THAT(found[1].text, AllOf(HasSubstr(path_of(4)), HasSubstr("damaged at offset")));
}

TEST_F(ScrubTest, a_segment_that_is_gone_is_reported_unless_it_was_retired) {
  ASSERT_TRUE(disk_.remove(path_of(1)));
  run();
  auto found = events();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].text, AllOf(HasSubstr(path_of(1)), HasSubstr("No such file")));
  scrub_.forget_before(2);
  scrub_.restart();
  run();
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(ScrubTest, a_segment_may_be_retired_while_it_is_read) {
  flip(1, header_of(1)->records_at() + 5);
  ASSERT_TRUE(scrub_.step());  // its header
  scrub_.forget_before(2);
  ASSERT_TRUE(disk_.remove(path_of(1)));
  EXPECT_GT(run(), 0U);
  EXPECT_THAT(events(), IsEmpty()) << "it is not missed";
}

TEST_F(ScrubTest, large_segments_are_read_in_pieces) {
  options_.segment_bytes = 4 * Scrub::kPieceBytes;
  store_ = nullptr;
  disk_ = FakeDisk{};
  closed_ = 0;
  scrub_.forget_before(UINT64_MAX);
  store_ = open_or_fail(disk_, options_).store;
  open_session(*store_, "A");
  fill(1);
  while (!header_of(2)) fill(1000);
  add_closed();
  std::uint64_t steps = 0;
  while (const auto piece = scrub_.step()) {
    EXPECT_LE(*piece, Scrub::kPieceBytes + 200);
    ++steps;
  }
  EXPECT_GE(steps, 4U);
  EXPECT_THAT(events(), IsEmpty());
}

TEST(EventQueue, a_user_that_takes_nothing_loses_the_last_ones_and_hears_of_it) {
  EventQueue box;
  for (std::size_t i = 0; i < EventQueue::kEventsMax + 3; ++i) {
    box.put(EventId::SegmentsRetired, std::to_string(i));
  }
  std::optional<StoreEvent> last;
  for (std::size_t i = 0; i < EventQueue::kEventsMax; ++i) {
    last = box.take();
    ASSERT_TRUE(last);
  }
  EXPECT_EQ(last->text, "63; 3 more events were dropped");
  EXPECT_FALSE(box.take());
}

// On the real disk, with the thread.
class ScrubInBackground : public ::testing::TestWithParam<Durability> {
 protected:
  void open() {
    options_.folder = folder_.file("journal");
    options_.segment_bytes = 16 << 10;
    options_.durability = GetParam();
    options_.scrub.bytes_per_second = rate_;
    options_.on_durable = settler_.wake();
    store_ = open_or_fail(disk_, options_).store;
    ASSERT_NE(store_, nullptr);
    key_ = open_session(*store_, "A");
    ASSERT_TRUE(settler_.settle(*store_));
  }
  void fill(int count) {
    for (int i = 0; i < count; ++i) {
      const std::uint64_t next = store_->session(key_).next_outbound;
      ASSERT_TRUE(append_message(*store_, key_, next, std::string(1000, 'm')));
      ASSERT_TRUE(settler_.settle(*store_));
    }
  }
  void flip(std::uint64_t number, std::uint64_t offset) {
    PosixDisk disk;
    const auto file =
        disk.open(options_.folder + '/' + segment_file_name(number), OpenMode::ReadWrite);
    ASSERT_TRUE(file);
    char byte = 0;
    ASSERT_TRUE((*file)->read_at(offset, std::span{&byte, 1}));
    byte = static_cast<char>(byte ^ 1);
    ASSERT_TRUE((*file)->write_at(offset, std::span{&byte, 1}));
  }
  StoreEvent wait_for_event() {
    for (;;) {
      if (auto event = store_->next_event()) return *event;
      std::this_thread::yield();
    }
  }

  testing::TemporaryFolder folder_;
  GatedDisk disk_;
  Settler settler_;
  JournalOptions options_;
  std::uint64_t rate_ = std::uint64_t{1} << 40U;
  std::unique_ptr<Store> store_;
  SessionKey key_ = 0;
};

TEST_P(ScrubInBackground, damage_in_a_running_journal_is_reported_and_wakes_its_user) {
  options_.scrub.every = std::chrono::seconds{0};
  open();
  fill(60);
  const std::uint64_t wakes = settler_.wakes();
  flip(2, 5000);
  const StoreEvent event = wait_for_event();
  EXPECT_EQ(event.id, EventId::SegmentDamaged);
  EXPECT_THAT(event.text, AllOf(HasSubstr(segment_file_name(2)), HasSubstr("damaged at offset")));
  if (settler_.wakes() == wakes) settler_.wait(wakes);
  fill(20);
  EXPECT_TRUE(store_->close());
}

TEST_P(ScrubInBackground, damage_of_before_is_found_soon_after_the_opening) {
  open();
  fill(60);
  ASSERT_TRUE(store_->close());
  store_.reset();
  flip(1, 5000);
  open();
  EXPECT_THAT(wait_for_event().text, HasSubstr(segment_file_name(1)));
}

TEST_P(ScrubInBackground, segments_that_were_closed_are_read_without_waiting_for_the_next_round) {
  open();
  flip(1, 3);  // its header: a mapping does not write it again
  fill(30);
  EXPECT_THAT(wait_for_event().text, AllOf(HasSubstr(segment_file_name(1)), HasSubstr("header")));
}

TEST_P(ScrubInBackground, segments_are_retired_and_the_journal_is_closed_under_a_scrub) {
  options_.scrub.every = std::chrono::seconds{0};
  options_.retention = {.keep_bytes = 64 << 10, .even_current = true};
  for (int round = 0; round < 5; ++round) {
    open();
    fill(200);
    if (round % 2 == 0) {
      ASSERT_TRUE(store_->close());
    }
    while (const auto event = store_->next_event()) {
      EXPECT_EQ(event->id, EventId::SegmentsRetired) << event->text;
    }
    store_.reset();
  }
}

TEST_P(ScrubInBackground, zero_bytes_a_second_are_none) {
  open();
  fill(60);
  ASSERT_TRUE(store_->close());
  store_.reset();
  flip(1, 5000);
  rate_ = 0;
  open();
  fill(60);
  EXPECT_FALSE(store_->next_event());
}

INSTANTIATE_TEST_SUITE_P(Modes, ScrubInBackground,
                         ::testing::Values(Durability::None, Durability::Process, Durability::Group,
                                           Durability::Sync),
                         [](const auto& info) { return std::string{to_string(info.param)}; });

}  // namespace
}  // namespace nexusfix::store
