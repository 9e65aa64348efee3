// Names of log files: different for different sessions, and files of earlier versions are
// continued.
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "observe/api/session_logs.hpp"
#include "support/disks/fake_disk.hpp"

namespace nexusfix::observe {
namespace {

using testing::FakeDisk;

constexpr WallTime kMorning{std::chrono::nanoseconds{1'705'314'600'123'456'789}};

TEST(LogFilePrefix, is_the_one_of_quickfix) {
  EXPECT_EQ(log_file_prefix("FIX.4.4", {"VENUE"}, {"TRADER"}, ""), "FIX.4.4-VENUE-TRADER");
  EXPECT_EQ(log_file_prefix("FIXT.1.1", {"A_1"}, {"B"}, "backup"), "FIXT.1.1-A_1-B-backup");
}

TEST(LogFilePrefix, sub_and_location_ids_follow_their_comp_id) {
  EXPECT_EQ(log_file_prefix("FIX.4.4", {"A", "BOOK", "LDN"}, {"B", "", "NYC"}, ""),
            "FIX.4.4-A--BOOK--LDN-B----NYC");
  EXPECT_EQ(former_log_file_prefix("FIX.4.4", {"A", "BOOK", "LDN"}, {"B", "", "NYC"}, ""),
            "FIX.4.4-A_BOOK_LDN-B_NYC");
}

TEST(LogFilePrefix, leaves_no_folder_and_has_no_control_bytes) {
  EXPECT_EQ(log_file_prefix("FIX.4.4", {"../../etc/x"}, {"A\nB%\x7F"}, ""),
            "FIX.4.4-..%2F..%2Fetc%2Fx-A%0AB%25%7F");
  EXPECT_EQ(log_file_prefix("FIX.4.4", {"d\xC3\xA9sk"}, {"B C"}, ""), "FIX.4.4-d\xC3\xA9sk-B C");
}

// All identities whose parts consist of separators and escapes.
TEST(LogFilePrefix, different_sessions_have_different_prefixes) {
  const std::vector<std::string> ids{"A", "-", "A-", "-A", "A-B", "A--B", "A_B", "A%2DB", "%", "/"};
  const std::vector<std::string> others{"", "B", "-", "B-C"};
  std::map<std::string, std::string> seen;
  const auto check = [&](const LogFileParty& sender, const LogFileParty& target,
                         std::string_view qualifier) {
    std::string who;
    for (const std::string_view part :
         {sender.comp_id, sender.sub_id, sender.location_id, target.comp_id, target.sub_id,
          target.location_id, qualifier}) {
      who.append(part) += '\x01';
    }
    const auto [place, is_new] =
        seen.emplace(log_file_prefix("FIX.4.4", sender, target, qualifier), who);
    EXPECT_TRUE(is_new || place->second == who) << place->first;
  };
  for (const std::string& sender : ids) {
    for (const std::string& target : ids) {
      for (const std::string& sub_id : others) {
        for (const std::string& more : others) {
          check({sender}, {target, sub_id, more}, "");
          check({sender, sub_id, more}, {target}, "");
          check({sender, sub_id}, {target, more}, "");
          check({sender, sub_id}, {target}, more);
        }
      }
    }
  }
}

class FormerFiles : public ::testing::Test {
 protected:
  FormerFiles() {
    files.folder = "log";
    files.free_bytes_min = 0;
  }
  SessionLogOptions session(const LogFileParty& sender, const LogFileParty& target) {
    const std::string name = std::string{sender.comp_id} + " to " + std::string{target.comp_id};
    return {.name = name,
            .prefix = log_file_prefix("FIX.4.4", sender, target, ""),
            .former_prefix = former_log_file_prefix("FIX.4.4", sender, target, ""),
            .files = files,
            .screen = {}};
  }
  // Logs an event for each session.
  void run(std::vector<SessionLogOptions> sessions) {
    const std::size_t count = sessions.size();
    sessions.push_back({.name = "", .prefix = "GLOBAL", .files = files, .screen = {}});
    auto opened = SessionLogs::open(disk, {}, std::move(sessions), kMorning);
    ASSERT_TRUE(opened) << opened.error();
    for (std::size_t i = 0; i < count; ++i) {
      (*opened)->event(i, EventId::LoggedOn, "event " + std::to_string(i), kMorning);
    }
    static_cast<void>((*opened)->turn());
  }
  std::string events_of(const std::string& prefix) {
    const std::string path = "log/" + prefix + ".event.current.log";
    return disk.exists(path) ? disk.contents(path) : "(absent)";
  }

  FakeDisk disk;
  LogFileOptions files;
};

TEST_F(FormerFiles, sessions_that_differ_in_the_place_of_a_hyphen_have_different_files) {
  run({session({"VENUE"}, {"A-B"}), session({"VENUE-A"}, {"B"})});
  EXPECT_NE(events_of("FIX.4.4-VENUE-A%2DB").find("event 0"), std::string::npos);
  EXPECT_NE(events_of("FIX.4.4-VENUE%2DA-B").find("event 1"), std::string::npos);
  EXPECT_EQ(events_of("FIX.4.4-VENUE-A-B"), "(absent)");
}

TEST_F(FormerFiles, files_of_an_earlier_version_are_continued) {
  disk.set_contents("log/FIX.4.4-VENUE-A-B.event.current.log", "before\n");
  run({session({"VENUE"}, {"A-B"})});
  EXPECT_TRUE(events_of("FIX.4.4-VENUE-A-B").starts_with("before\n"));
  EXPECT_NE(events_of("FIX.4.4-VENUE-A-B").find("event 0"), std::string::npos);
  EXPECT_EQ(events_of("FIX.4.4-VENUE-A%2DB"), "(absent)");
}

TEST_F(FormerFiles, a_file_that_two_sessions_may_have_written_is_not_continued) {
  disk.set_contents("log/FIX.4.4-VENUE-A-B.event.current.log", "before\n");
  run({session({"VENUE"}, {"A-B"}), session({"VENUE-A"}, {"B"})});
  EXPECT_EQ(events_of("FIX.4.4-VENUE-A-B"), "before\n");
  EXPECT_NE(events_of("FIX.4.4-VENUE-A%2DB").find("event 0"), std::string::npos);
}

TEST_F(FormerFiles, former_files_are_not_continued_if_files_of_the_present_name_exist) {
  disk.set_contents("log/FIX.4.4-VENUE-A-B.event.current.log", "before\n");
  disk.set_contents("log/FIX.4.4-VENUE-A%2DB.event.current.log", "after\n");
  run({session({"VENUE"}, {"A-B"})});
  EXPECT_EQ(events_of("FIX.4.4-VENUE-A-B"), "before\n");
  EXPECT_TRUE(events_of("FIX.4.4-VENUE-A%2DB").starts_with("after\n"));
}

}  // namespace
}  // namespace nexusfix::observe
