// Finding a message by its number: what is read of the log for it does not grow with the sessions
// that share the log, and what is found is what was appended.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "store/api/journal_format.hpp"
#include "store/format/reading_sizes.hpp"
#include "store/scan/log_reader.hpp"
#include "support/disks/fake_disk.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using testing::FakeDisk;
using ::testing::HasSubstr;

constexpr std::uint64_t kMessageBytes = 200;
// With this number a group of neighbouring messages is longer than what is read as a whole.
constexpr SessionKey kManySessions = 300;

void open_sessions(Store& store, SessionKey count) {
  for (SessionKey key = 0; key < count; ++key) open_session(store, "S" + std::to_string(key));
}

// Counts what is read of files, and those that are open.
class CountedReads final : public Disk {
 public:
  FakeDisk disk;
  std::uint64_t bytes = 0;
  int open_files = 0;
  std::uint64_t bad_offset = UINT64_MAX;  // in any file: cannot be read

  DiskResult<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    auto file = disk.open(path, mode);
    if (!file) return file;
    return std::make_unique<CountedFile>(*this, std::move(*file));
  }
  DiskResult<void> make_directories(const std::string& path) override {
    return disk.make_directories(path);
  }
  DiskResult<std::vector<std::string>> list(const std::string& path) override {
    return disk.list(path);
  }
  DiskResult<void> remove(const std::string& path) override { return disk.remove(path); }
  DiskResult<void> sync_directory(const std::string& path) override {
    return disk.sync_directory(path);
  }

 private:
  class CountedFile final : public File {
   public:
    CountedFile(CountedReads& reads, std::unique_ptr<File> file)
        : reads_{reads}, file_{std::move(file)} {
      ++reads_.open_files;
    }
    ~CountedFile() override { --reads_.open_files; }
    CountedFile(const CountedFile&) = delete;
    CountedFile& operator=(const CountedFile&) = delete;
    DiskResult<void> write_at(std::uint64_t offset, std::span<const char> bytes) override {
      return file_->write_at(offset, bytes);
    }
    DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) override {
      const std::uint64_t bad = reads_.bad_offset;
      if (offset <= bad && bad - offset < bytes.size()) {
        return std::unexpected{DiskError{.path = "it", .operation = "read", .error_number = EIO}};
      }
      auto read = file_->read_at(offset, bytes);
      if (read) reads_.bytes += *read;
      return read;
    }
    DiskResult<void> sync() override { return file_->sync(); }
    DiskResult<std::uint64_t> size() override { return file_->size(); }
    DiskResult<void> truncate(std::uint64_t size_bytes) override {
      return file_->truncate(size_bytes);
    }
    DiskResult<bool> try_lock() override { return file_->try_lock(); }

   private:
    CountedReads& reads_;
    std::unique_ptr<File> file_;
  };
};

std::string message_of(SessionKey key, std::uint64_t number) {
  std::string text = std::to_string(key) + '/' + std::to_string(number) + ' ';
  text.resize(kMessageBytes, 'm');
  return text;
}

// Sessions that send in turn.
class SharedLog {
 public:
  SharedLog(SessionKey sessions, std::uint64_t messages) : sessions_{sessions} {
    journal_ = open_or_fail(disk_, {.folder = "/journal",
                                    .durability = Durability::None,
                                    .segment_bytes = 12U << 20U,
                                    .background = false});
    open_sessions(*journal_.store, sessions);
    for (std::uint64_t number = 1; number <= messages; ++number) {
      for (SessionKey key = 0; key < sessions; ++key) {
        EXPECT_TRUE(append_message(*journal_.store, key, number, message_of(key, number)));
      }
      EXPECT_TRUE(journal_.store->flush());
    }
  }
  // How many bytes of the log are read for it.
  std::uint64_t find(SessionKey key, std::uint64_t first, std::uint64_t last) {
    disk_.bytes = 0;
    std::vector<KeptMessage> expected;
    for (std::uint64_t number = first; number <= last; ++number) {
      expected.push_back({number, message_of(key, number)});
    }
    EXPECT_EQ(read_all(*journal_.store, key, first, last), expected);
    return disk_.bytes;
  }
  [[nodiscard]] SessionKey sessions() const { return sessions_; }
  [[nodiscard]] std::uint64_t bytes() const { return journal_.store->appended(); }

 private:
  SessionKey sessions_;
  CountedReads disk_;
  OpenedJournal journal_;
};

TEST(JournalLookUp, reads_as_little_with_thousands_of_sessions_as_with_one) {
  constexpr std::uint64_t kWindow = 4096;
  constexpr std::uint64_t kLookUps = 200;
  for (const auto& [sessions, messages] :
       {std::pair{1U, 20'000U}, {40U, 1'000U}, {400U, 200U}, {4'000U, 24U}}) {
    SCOPED_TRACE(std::to_string(sessions) + " sessions");
    SharedLog log{sessions, messages};
    // The first caller has a part of the log read for all, once.
    std::uint64_t sum_of_first = log.find(0, 1, messages);
    EXPECT_LE(sum_of_first, log.bytes() + log.bytes() / 4);
    SeededRandom random{1};
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < kLookUps; ++i) {
      const auto key = static_cast<SessionKey>(random.below(sessions));
      const std::uint64_t number = 1 + random.below(messages);
      sum_of_first += log.find(key, number, number);
      const std::uint64_t read = log.find(key, number, number);
      ASSERT_LE(read, ReadingSizes{}.scanned_bytes + 2 * kWindow) << key << ' ' << number;
      sum += read;
    }
    // Each part of it is read again at most once, to keep the places of its messages.
    EXPECT_LE(sum_of_first, 2 * log.bytes() + log.bytes() / 4 + sum);
    EXPECT_LE(sum / kLookUps, 8 * kWindow);
  }
}

TEST(JournalLookUp, a_resend_in_slices_reads_near_what_it_sends_however_many_sessions) {
  constexpr std::uint64_t kSlice = 8;
  SharedLog log{4'000, 24};
  for (SessionKey key = 0; key < log.sessions(); key += 97) {
    log.find(key, 1, 24);
    std::uint64_t read = 0;
    for (std::uint64_t first = 1; first <= 24; first += kSlice) {
      read += log.find(key, first, first + kSlice - 1);
    }
    // A window of 4 KiB for each, one more a slice, and again where another window begins.
    ASSERT_LE(read, (24U + 2 * 3) * 4096) << key;
  }
}

// One that sends as much as all the others: what it is asked for first is near one of its groups.
TEST(JournalLookUp, the_first_one_reads_little_more_than_a_group_and_no_more_than_a_block) {
  CountedReads disk;
  const OpenedJournal journal = open_or_fail(
      disk, {.folder = "/journal", .durability = Durability::None, .background = false});
  open_sessions(*journal.store, 4'001);
  constexpr std::uint64_t kMessages = 100'000;
  const std::string text(300, 'o');
  for (std::uint64_t number = 1; number <= kMessages; ++number) {
    ASSERT_TRUE(append_message(*journal.store, 0, number, message_of(0, number)));
    const auto other = static_cast<SessionKey>(1 + number % 4'000);
    ASSERT_TRUE(append_message(*journal.store, other, 1 + number / 4'000, text));
  }
  ASSERT_TRUE(journal.store->flush());
  disk.bytes = 0;
  EXPECT_EQ(read_all(*journal.store, 0, kMessages / 2, kMessages / 2 + 99).size(), 100U);
  EXPECT_LE(disk.bytes, 5U << 20U);
}

// 300 sessions in turn, 300 messages each: 21 MiB in one segment.
class JournalLookUpFaults : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kMessages = 300;
  static constexpr SessionKey kKey = 5;
  JournalLookUpFaults() {
    journal_ = open_or_fail(
        disk_, {.folder = "/journal", .durability = Durability::None, .background = false});
    open_sessions(store(), kManySessions);
    for (std::uint64_t number = 1; number <= kMessages; ++number) {
      for (SessionKey key = 0; key < kManySessions; ++key) {
        if (number == kMessages / 2 && key == kKey)
          middle_ = store().appended() + kMessageBytes / 2;
        EXPECT_TRUE(append_message(store(), key, number, message_of(key, number)));
      }
      EXPECT_TRUE(store().flush());
    }
    disk_.bytes = 0;
  }
  [[nodiscard]] Store& store() { return *journal_.store; }
  StoreResult<void> read(std::uint64_t first, std::uint64_t last) {
    std::uint64_t next = first;
    auto read = store().read(kKey, first, last, [&](std::uint64_t number, std::string_view bytes) {
      EXPECT_EQ(number, next++);
      EXPECT_EQ(bytes, message_of(kKey, number));
      return true;
    });
    if (read) {
      EXPECT_EQ(next, last + 1);
    }
    return read;
  }

  CountedReads disk_;
  OpenedJournal journal_;
  std::uint64_t middle_ = 0;  // in a message of this session
};

TEST_F(JournalLookUpFaults, what_lies_before_is_not_read) {
  ASSERT_TRUE(read(kMessages - 3, kMessages));
  EXPECT_LE(disk_.bytes, 3U << 20U);
}

TEST_F(JournalLookUpFaults, what_cannot_be_read_ends_no_resend_before_it_or_after) {
  disk_.bad_offset = middle_;
  for (int i = 0; i < 2; ++i) {
    for (const std::uint64_t first : {kMessages - 3, kMessages / 2 + 40, kMessages / 2 - 40}) {
      const auto found = read(first, first + 3);
      EXPECT_TRUE(found) << first << ": " << found.error().text;
    }
  }
  const auto found = read(1, kMessages);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, StoreErrorCode::Disk);
  disk_.bad_offset = UINT64_MAX;
  EXPECT_TRUE(read(1, kMessages));
}

TEST_F(JournalLookUpFaults, nothing_is_read_after_damage_for_what_is_before) {
  const std::string path = "/journal/" + segment_file_name(1);
  std::string bytes = disk_.disk.contents(path);
  for (std::size_t at = middle_; at < bytes.size(); at += 4096) bytes[at] ^= 1;
  disk_.disk.set_contents(path, bytes);
  ASSERT_TRUE(read(kMessages / 2 - 40, kMessages / 2 - 37));
  EXPECT_LE(disk_.bytes, 5U << 20U);
}

TEST(JournalLookUp, few_files_stay_open_for_what_was_read) {
  CountedReads disk;
  const OpenedJournal journal = open_or_fail(disk, {.folder = "/journal",
                                                    .durability = Durability::None,
                                                    .segment_bytes = 1U << 20U,
                                                    .background = false});
  open_sessions(*journal.store, kManySessions);
  for (std::uint64_t number = 1; number <= 40; ++number) {
    for (SessionKey key = 0; key < kManySessions; ++key) {
      ASSERT_TRUE(append_message(*journal.store, key, number, message_of(key, number)));
    }
  }
  const int open_before = disk.open_files;
  EXPECT_EQ(read_all(*journal.store, 1, 1, 20).size(), 20U);
  EXPECT_FALSE(scan_all(*journal.store).empty());
  EXPECT_LE(disk.open_files, open_before + static_cast<int>(OpenSegments::kFilesMax));
}

TEST(OpenSegmentsTest, at_most_sixteen_are_open_and_those_before_a_retirement_are_closed) {
  CountedReads disk;
  const std::string folder = "/journal";
  for (std::uint64_t number = 1; number <= 40; ++number) {
    disk.disk.set_contents(path_of_segment(folder, number), "x");
  }
  OpenSegments segments{disk, folder};
  for (std::uint64_t number = 1; number <= 40; ++number) {
    ASSERT_TRUE(segments.open(number));
    EXPECT_EQ(disk.open_files, static_cast<int>(std::min<std::uint64_t>(number, 16)));
  }
  File* const last = segments.open(40).value();
  EXPECT_EQ(segments.open(25).value(), segments.open(25).value());
  EXPECT_EQ(segments.open(40).value(), last);  // it was not opened again
  EXPECT_FALSE(segments.open(41));
  segments.close_before(39);
  EXPECT_EQ(disk.open_files, 2);
  segments.close_before(41);
  EXPECT_EQ(disk.open_files, 0);
}

TEST(JournalLookUp, a_large_message_is_read_and_little_else) {
  constexpr std::uint64_t kMessages = 40;
  CountedReads disk;
  const OpenedJournal journal = open_or_fail(
      disk, {.folder = "/journal", .durability = Durability::None, .background = false});
  open_session(*journal.store, "S");
  for (std::uint64_t number = 1; number <= kMessages; ++number) {
    ASSERT_TRUE(append_message(*journal.store, 0, number, std::string(1U << 20U, 'm')));
    ASSERT_TRUE(journal.store->flush());
  }
  for (const std::uint64_t number : {kMessages / 2, kMessages / 2, kMessages}) {
    disk.bytes = 0;
    EXPECT_EQ(read_all(*journal.store, 0, number, number).size(), 1U);
    EXPECT_LE(disk.bytes, (1U << 20U) + 2 * ReadingSizes{}.scanned_bytes) << number;
  }
}

class JournalLookUpModel {
 public:
  JournalLookUpModel(std::uint64_t seed, Durability durability) : random_{seed} {
    journal_ = open_or_fail(disk_, {.folder = "/journal",
                                    .durability = durability,
                                    .segment_bytes = 1U << 20U,
                                    .background = false});
    open_sessions(*journal_.store, kManySessions);
  }
  void append_some() {
    for (std::uint64_t count = random_.below(60); count > 0; --count) {
      Transaction transaction;
      std::map<SessionKey, std::uint64_t> next;
      for (std::uint64_t messages = 1 + random_.below(3); messages > 0; --messages) {
        const auto key = static_cast<SessionKey>(random_.below(kSessions));
        std::uint64_t& number =
            next.try_emplace(key, journal_.store->session(key).next_outbound).first->second;
        if (random_.below(80) == 0) {
          transaction.reset(key);
          kept_[key].clear();
          number = 1;
        }
        number += random_.below(10) == 0 ? 1 : 0;
        std::string bytes(random_.below(25'000), static_cast<char>('a' + random_.below(26)));
        transaction.outbound_message(key, number, bytes);
        kept_[key][number++] = std::move(bytes);
      }
      ASSERT_TRUE(journal_.store->append(transaction, at_second(3)));
    }
    const bool is_flushed = random_.below(2) != 0 || journal_.store->flush().has_value();
    ASSERT_TRUE(is_flushed);
  }
  void compare_some() {
    for (int i = 0; i < 4; ++i) {
      const auto key = static_cast<SessionKey>(random_.below(kSessions));
      const std::uint64_t end = journal_.store->session(key).next_outbound;
      const std::uint64_t first = random_.below(end + 1);
      const std::uint64_t last = first + random_.below(random_.below(3) == 0 ? 3 : end);
      std::vector<KeptMessage> expected;
      for (auto at = kept_[key].lower_bound(first); at != kept_[key].end() && at->first <= last;
           ++at) {
        expected.push_back({at->first, at->second});
      }
      ASSERT_EQ(read_all(*journal_.store, key, first, last), expected);
    }
  }

 private:
  static constexpr SessionKey kSessions = 9;
  SeededRandom random_;
  FakeDisk disk_;
  OpenedJournal journal_;
  std::map<SessionKey, std::map<std::uint64_t, std::string>> kept_;
};

TEST(JournalLookUp, finds_what_was_appended_among_resets_gaps_and_records_of_several) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    JournalLookUpModel model{seed, seed % 2 == 0 ? Durability::Process : Durability::Group};
    for (int i = 0; i < 25 && !::testing::Test::HasFailure(); ++i) {
      model.append_some();
      model.compare_some();
    }
  }
}

class JournalLookUpDamage : public ::testing::TestWithParam<bool> {};

// Damage of one session's message among many others.
TEST_P(JournalLookUpDamage, is_reported_to_the_sessions_that_it_concerns_and_never_passed) {
  FakeDisk disk;
  const OpenedJournal journal = open_or_fail(disk, {.folder = "/journal", .background = false});
  Store& store = *journal.store;
  open_sessions(store, kManySessions);
  std::uint64_t damaged = 0;
  for (std::uint64_t number = 1; number <= 100; ++number) {
    for (SessionKey key = 0; key < 3; ++key) {
      if (key == 1 && number == 50) damaged = store.appended() + 2'000;
      ASSERT_TRUE(append_message(store, key, number, std::string(4'000, 'm')));
    }
  }
  ASSERT_TRUE(store.flush());
  const bool is_known = GetParam();  // the places were found before the damage
  if (is_known) {
    EXPECT_EQ(read_all(store, 0).size(), 100U);
  }
  const std::string path = "/journal/" + segment_file_name(1);
  std::string bytes = disk.contents(path);
  bytes[damaged] ^= 1;
  disk.set_contents(path, bytes);
  std::vector<std::uint64_t> numbers;
  const auto read = store.read(1, 40, 60, [&](std::uint64_t number, std::string_view) {
    numbers.push_back(number);
    return true;
  });
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, StoreErrorCode::Corrupt);
  EXPECT_THAT(read.error().text, HasSubstr("numbers 50 to 50 cannot be read"));
  EXPECT_EQ(numbers.size(), 20U);
  EXPECT_EQ(store.read(0, 40, 60, [](std::uint64_t, std::string_view) { return true; }).has_value(),
            is_known);
}

INSTANTIATE_TEST_SUITE_P(Places, JournalLookUpDamage, ::testing::Bool(), [](const auto& info) {
  return info.param ? "known_before" : "not_known";
});

}  // namespace
}  // namespace nexusfix::store
