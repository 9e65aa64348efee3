#include "console/tui/event_files.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <unistd.h>

namespace nexusfix::tui {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr std::int64_t kProcess = 4711;

// A folder of processes, and one of logs, of which process 4711 has two files open.
class EventFilesTest : public testing::Test {
 protected:
  EventFilesTest() {
    fs::create_directories(root_ / "4711/fd");
    fs::create_symlink(session_, root_ / "4711/fd/5");
    fs::create_symlink(global_, root_ / "4711/fd/6");
    fs::create_symlink(root_ / "x.messages.current.log", root_ / "4711/fd/7");
  }
  ~EventFilesTest() override { fs::remove_all(root_); }

  static void write(const fs::path& file, std::string_view text,
                    std::ios::openmode mode = std::ios::app) {
    std::ofstream{file, mode} << text;
  }
  std::vector<std::string> read(EventFiles& files) {
    std::vector<std::string> texts;
    for (const Change& one : files.read(kProcess)) texts.push_back(one.session + "|" + one.text);
    return texts;
  }

  fs::path root_ = fs::path{testing::TempDir()} / ("event_files_" + std::to_string(getpid()));
  fs::path session_ = root_ / "FIX.4.4-VENUE-BROKER.event.current.log";
  fs::path global_ = root_ / "GLOBAL.event.current.log";
  EventFiles files_{root_};
};

TEST_F(EventFilesTest, events_of_all_files_come_in_the_order_of_time) {
  write(session_, "20240115-10:30:00.100 INFO NXF-1001 : logged on\n");
  write(global_, "20240115-10:29:59.000 INFO NXF-3001 : listening\n");
  write(root_ / "x.messages.current.log", "20240115-10:30:00.100 : 8=FIX.4.4\n");
  EXPECT_THAT(read(files_), ElementsAre("|INFO NXF-3001 : listening",
                                        "FIX.4.4-VENUE-BROKER|INFO NXF-1001 : logged on"));
  EXPECT_THAT(read(files_), ElementsAre());
}

TEST_F(EventFilesTest, half_a_line_waits_for_its_end) {
  write(session_, "20240115-10:30:00.100 WARN NXF-1007 : a Log");
  EXPECT_THAT(read(files_), ElementsAre());
  write(session_, "on failed\n");
  EXPECT_THAT(read(files_), ElementsAre("FIX.4.4-VENUE-BROKER|WARN NXF-1007 : a Logon failed"));
}

TEST_F(EventFilesTest, json_lines_name_their_session) {
  write(session_, R"({"time":"2024-01-15T10:30:00.123456789Z","id":"NXF-1001","severity":"INFO",)"
                  R"("category":"session","session":"FIX.4.4:VENUE->BROKER","text":"logged on"})"
                  "\n{\"time\":3}\n");
  const auto events = files_.read(kProcess);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].session, "FIX.4.4:VENUE->BROKER");
  EXPECT_EQ(events[0].text, "INFO NXF-1001 logged on");
  EXPECT_EQ(events[0].seen_at, WallTime{std::chrono::nanoseconds{1'705'314'600'123'456'789}});
}

TEST_F(EventFilesTest, a_new_file_after_a_rotation_is_read_from_its_begin) {
  write(session_, "20240115-10:30:00.100 INFO NXF-1001 : logged on, next MsgSeqNum in 2, out 2\n");
  EXPECT_EQ(read(files_).size(), 1U);
  write(session_, "20240115-10:31:00.100 INFO NXF-1002 : out\n", std::ios::trunc);
  EXPECT_THAT(read(files_), ElementsAre("FIX.4.4-VENUE-BROKER|INFO NXF-1002 : out"));
}

TEST_F(EventFilesTest, of_a_long_file_the_end_is_read_and_no_part_of_a_line) {
  std::string lines;
  for (int i = 0; i < 1'000; ++i) lines += "20240115-10:30:00.100 INFO NXF-1001 : logged on\n";
  write(session_, lines);
  const auto texts = read(files_);
  EXPECT_EQ(texts.size(), EventFiles::kOldBytesMax / 48);
  EXPECT_EQ(texts.front(), "FIX.4.4-VENUE-BROKER|INFO NXF-1001 : logged on");
}

TEST_F(EventFilesTest, last_events_of_a_process_that_has_ended_are_read) {
  write(global_, "20240115-10:29:59.000 INFO NXF-3001 : listening\n");
  EXPECT_EQ(read(files_).size(), 1U);
  fs::remove_all(root_ / "4711");
  write(global_, "20240115-10:35:00.000 ERROR NXF-5010 : the disk is full\n");
  EXPECT_THAT(read(files_), ElementsAre("|ERROR NXF-5010 : the disk is full"));
}

TEST_F(EventFilesTest, no_process_and_lines_without_a_time_give_nothing) {
  write(session_, "no time\n\n\x80\n{\n");
  EXPECT_THAT(read(files_), ElementsAre());
  EXPECT_TRUE(EventFiles{root_}.read(1).empty());
}

}  // namespace
}  // namespace nexusfix::tui
