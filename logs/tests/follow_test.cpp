// Logs that grow, are rotated and truncated while they are read. Between two reads the test changes
// them, so that no test waits.
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "logs/source/log_reader.hpp"
#include "store/api/journal.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"

namespace nexusfix::logs {
namespace {

using testing::bar;
using ::testing::ElementsAre;
using testing::fix;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string order(int number) {
  return fix("FIX.4.4", "35=D|34=" + std::to_string(number) +
                            "|49=T|52=20240115-10:30:00|56=V|11=A" + std::to_string(number) + "|");
}

class FollowedLog : public ::testing::Test {
 protected:
  FollowedLog() : folder_{std::filesystem::temp_directory_path() / "nexusfix-follow-XXXXXX"} {
    std::string name = folder_.string();
    folder_ = ::mkdtemp(name.data());
  }
  ~FollowedLog() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  void append(const std::string& name, const std::string& text) const {
    std::ofstream{path(name), std::ios::app} << text;
  }

  // Runs one step each time that nothing is new, and ends after the last one.
  std::vector<std::string> follow(Disk& disk, LogRequest request,
                                  std::vector<std::function<void()>> steps) {
    std::vector<std::string> found;
    request.is_followed = true;
    std::size_t at = 0;
    int idle = 0;
    report_ = read_logs(disk, request,
                        {.each =
                             [&](const LogMessage& message) {
                               const std::string text = bar(message.bytes);
                               const std::size_t begin = text.find("|11=") + 4;
                               found.push_back(text.substr(begin, text.find('|', begin) - begin));
                               return AfterMessage::Continue;
                             },
                         .drained = [] {},
                         .failed = [&](std::string_view error) { errors_.emplace_back(error); },
                         .wait =
                             [&] {
                               // A rotated file is read again, in case that its writer still
                               // had it open.
                               if (++idle % 3 != 0) return true;
                               if (at == steps.size()) return false;
                               steps[at++]();
                               return true;
                             }});
    return found;
  }
  std::vector<std::string> follow(std::vector<std::function<void()>> steps) {
    return follow(posix_, LogRequest{.files = {path("log")}}, std::move(steps));
  }

  std::filesystem::path folder_;
  PosixDisk posix_;
  std::vector<std::string> errors_;
  LogReport report_;
};

TEST_F(FollowedLog, passes_what_is_appended_also_in_pieces) {
  append("log", order(1));
  const std::string second = order(2);
  EXPECT_THAT(follow({[&] { append("log", "\n" + second.substr(0, 20)); },
                      [&] { append("log", second.substr(20) + "\n"); },
                      [&] { append("log", order(3) + order(4)); }}),
              ElementsAre("A1", "A2", "A3", "A4"));
  EXPECT_THAT(errors_, IsEmpty());
  EXPECT_FALSE(report_.has_unread());
}

TEST_F(FollowedLog, goes_on_with_the_new_file_after_a_rotation) {
  append("log", order(1));
  EXPECT_THAT(follow({[&] {
                        std::filesystem::rename(path("log"), path("log.1"));
                        append("log.1", order(2));  // its writer still has it open
                      },
                      [&] { append("log", order(3)); }, [&] { append("log", order(4)); }}),
              ElementsAre("A1", "A2", "A3", "A4"));
  EXPECT_THAT(errors_, IsEmpty());
  EXPECT_EQ(report_.files.size(), 1U);
}

TEST_F(FollowedLog, ends_a_message_that_is_cut_with_the_file_that_it_is_in) {
  const std::string second = order(2);
  append("log", order(1) + "\n" + second.substr(0, second.size() - 8));
  EXPECT_THAT(follow({[&] {
                std::filesystem::rename(path("log"), path("log.1"));
                append("log", order(3));
              }}),
              ElementsAre("A1", "A2", "A3"));
}

TEST_F(FollowedLog, begins_again_after_a_truncation_and_says_so) {
  append("log", order(1) + "\n" + order(2) + "\n");
  EXPECT_THAT(follow({[&] { std::ofstream{path("log")} << order(3); }}),
              ElementsAre("A1", "A2", "A3"));
  EXPECT_THAT(errors_, ElementsAre(HasSubstr("log: the file was truncated")));
}

TEST_F(FollowedLog, reads_several_files_by_turns_and_rotated_ones_once) {
  append("log.1", order(1));
  append("log", order(2));
  append("other", order(3));
  EXPECT_THAT(
      follow(posix_, LogRequest{.files = {path("log"), path("other")}, .with_rotated = true},
             {[&] { append("other", order(4)); }, [&] { append("log", order(5)); }}),
      ElementsAre("A1", "A2", "A3", "A4", "A5"));
}

TEST_F(FollowedLog, counts_places_that_are_no_message_in_all_files_of_the_path) {
  append("log", "8=FIX is no message\n" + order(1));
  EXPECT_THAT(follow({[&] {
                std::filesystem::rename(path("log"), path("log.1"));
                append("log", "8=FIX is none, too\n" + order(2));
              }}),
              ElementsAre("A1", "A2"));
  EXPECT_EQ(report_.skipped(), 2U);
}

TEST_F(FollowedLog, does_not_wait_for_a_file_that_is_not_there) {
  EXPECT_THAT(follow({[] { FAIL() << "it waits"; }}), IsEmpty());
  EXPECT_TRUE(report_.has_unopened());
}

TEST_F(FollowedLog, passes_the_messages_that_come_into_a_live_journal) {
  auto opened =
      store::open_journal(posix_, {.folder = path("store"), .background = false}, WallTime{});
  ASSERT_TRUE(opened.has_value());
  const auto key = opened->store->open_session("FIX.4.4:T->V", WallTime{});
  ASSERT_TRUE(key.has_value());
  const auto send = [&](int number) {
    store::Transaction transaction;
    transaction.outbound_message(*key, static_cast<std::uint64_t>(number), order(number));
    ASSERT_TRUE(opened->store->append(transaction, WallTime{}).has_value());
    ASSERT_TRUE(opened->store->flush().has_value());
  };
  send(1);
  // The journal is read by another thread, in its own time.
  std::vector<std::string> found;
  int sent = 1;
  read_logs(posix_, LogRequest{.files = {path("store")}, .is_followed = true},
            {.each =
                 [&](const LogMessage& message) {
                   found.push_back(bar(message.bytes));
                   if (sent < 3) send(++sent);
                   return found.size() == 3 ? AfterMessage::Stop : AfterMessage::Continue;
                 },
             .drained = [] {},
             .failed = [&](std::string_view error) { errors_.emplace_back(error); },
             .wait =
                 [] {
                   std::this_thread::yield();
                   return true;
                 }});
  EXPECT_THAT(found, ElementsAre(HasSubstr("|11=A1|"), HasSubstr("|11=A2|"), HasSubstr("|11=A3|")));
  EXPECT_THAT(errors_, IsEmpty());
}

TEST_F(FollowedLog, goes_on_after_damage_in_a_journal_and_reports_it_once) {
  const auto open = [&] {
    return store::open_journal(
        posix_, {.folder = path("store"), .segment_bytes = 1U << 20U, .background = false},
        WallTime{});
  };
  auto opened = open();
  ASSERT_TRUE(opened.has_value());
  const auto key = opened->store->open_session("FIX.4.4:T->V", WallTime{});
  ASSERT_TRUE(key.has_value());
  const auto send = [&](int number) {
    store::Transaction transaction;
    transaction.outbound_message(*key, static_cast<std::uint64_t>(number), order(number));
    ASSERT_TRUE(opened->store->append(transaction, WallTime{}).has_value());
    ASSERT_TRUE(opened->store->flush().has_value());
  };
  for (const int number : {1, 2, 3}) send(number);
  const std::string segment = path("store/0000000001.journal");
  std::string bytes{std::istreambuf_iterator{std::ifstream{segment}.rdbuf()}, {}};
  std::fstream{segment, std::ios::in | std::ios::out}.seekp(
      static_cast<std::streamoff>(bytes.find("11=A2")))
      << "11=XX";
  std::vector<std::string> found;
  read_logs(posix_, LogRequest{.files = {path("store")}, .is_followed = true},
            {.each =
                 [&](const LogMessage& message) {
                   found.push_back(bar(message.bytes));
                   return found.size() == 4 ? AfterMessage::Stop : AfterMessage::Continue;
                 },
             .drained = [] {},
             .failed = [&](std::string_view error) { errors_.emplace_back(error); },
             .wait =
                 [&, sent = 3]() mutable {
                   EXPECT_EQ(errors_.size(), 1U);
                   if (found.size() + 1 == static_cast<std::size_t>(sent)) send(++sent);
                   std::this_thread::yield();
                   return true;
                 }});
  EXPECT_THAT(found, ElementsAre(HasSubstr("|11=A1|"), HasSubstr("|11=A3|"), HasSubstr("|11=A4|"),
                                 HasSubstr("|11=A5|")));
  EXPECT_THAT(errors_, ElementsAre(HasSubstr("damaged at offset")));
}

}  // namespace
}  // namespace nexusfix::logs
