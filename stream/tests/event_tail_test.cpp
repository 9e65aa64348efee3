// Event files as log records of OpenTelemetry.
#include "stream/otlp/event_tail.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdlib.h>

namespace nexusfix::stream {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr WallTime kNow{std::chrono::nanoseconds{2'000'000'000'000'000'000}};
constexpr const char* kFile = "FIX.4.4-VENUE-TRADER.event.current.log";

std::string attribute(const json& record, std::string_view name) {
  for (const json& one : record["attributes"]) {
    if (one["key"] == name) return one["value"]["stringValue"];
  }
  return "";
}

TEST(LogRecord, line_of_text_has_time_severity_event_and_session) {
  const json record = json::parse(to_log_record(
      "20240115-10:30:00.123456789 WARN NXF-1001 : logged on, next MsgSeqNum in 2, out 2",
      "FIX.4.4-VENUE-TRADER", kNow));
  EXPECT_EQ(record["timeUnixNano"], "1705314600123456789");
  EXPECT_EQ(record["observedTimeUnixNano"], "2000000000000000000");
  EXPECT_EQ(record["severityNumber"], 13);
  EXPECT_EQ(record["severityText"], "WARN");
  EXPECT_EQ(record["body"]["stringValue"], "logged on, next MsgSeqNum in 2, out 2");
  EXPECT_EQ(record["eventName"], "NXF-1001");
  EXPECT_EQ(attribute(record, "nexusfix.event_id"), "NXF-1001");
  EXPECT_EQ(attribute(record, "fix.session"), "FIX.4.4:VENUE->TRADER");
}

TEST(LogRecord, line_of_json_has_its_members) {
  const json record = json::parse(to_log_record(
      R"({"time":"2024-01-15T10:30:00.123456789Z","id":"NXF-1001","severity":"INFO",)"
      R"("category":"session","session":"FIX.4.4:VENUE->TRADER:desk","text":"logged on"})",
      "FIX.4.4-VENUE-TRADER-desk", kNow));
  EXPECT_EQ(record["timeUnixNano"], "1705314600123456789");
  EXPECT_EQ(record["severityNumber"], 9);
  EXPECT_EQ(record["body"]["stringValue"], "logged on");
  EXPECT_EQ(attribute(record, "fix.session"), "FIX.4.4:VENUE->TRADER:desk");
  EXPECT_EQ(attribute(record, "nexusfix.category"), "session");
}

TEST(LogRecord, other_lines_are_texts_without_a_time) {
  for (const char* const line :
       {"terminate called", "{\"time\":\"never\"}", "{", "20240115-10:30:00.1 LOST : 12 lines",
        "\xff\"\x01", "99999999-99:99:99 INFO NXF-1 : x"}) {
    const json record = json::parse(to_log_record(line, "GLOBAL", kNow));
    EXPECT_FALSE(record.contains("timeUnixNano")) << line;
    EXPECT_FALSE(record["body"]["stringValue"].get<std::string>().empty()) << line;
    EXPECT_EQ(attribute(record, "fix.session"), "");
  }
}

TEST(SessionOfFile, is_its_name_unless_it_has_more_parts) {
  EXPECT_EQ(session_of_file("FIX.4.4-VENUE-TRADER"), "FIX.4.4:VENUE->TRADER");
  EXPECT_EQ(session_of_file("FIX.4.4-VEN%2DUE-TRADER"), "FIX.4.4:VEN-UE->TRADER");
  EXPECT_EQ(session_of_file("FIX.4.4-VENUE-TRADER-desk"), "FIX.4.4-VENUE-TRADER-desk");
  EXPECT_EQ(session_of_file("FIX.4.4-VENUE--DESK-TRADER"), "FIX.4.4-VENUE--DESK-TRADER");
  EXPECT_EQ(session_of_file("GLOBAL"), "");
  EXPECT_EQ(session_of_file("x"), "x");
  EXPECT_EQ(session_of_file("%-%2-%zz"), "%:%2->%zz");
}

class Tail : public ::testing::Test {
 protected:
  Tail() {
    std::string name = (fs::temp_directory_path() / "event_tail.XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Tail() override { fs::remove_all(folder_); }
  void write(const std::string& name, std::string_view text) {
    std::ofstream{folder_ / name, std::ios::app} << text;
  }
  // The texts of the new records.
  std::vector<std::string> read(EventTail& tail) {
    std::vector<std::string> texts;
    for (const std::string& one : tail.read(kNow)) {
      texts.push_back(json::parse(one)["body"]["stringValue"]);
    }
    return texts;
  }
  using Texts = std::vector<std::string>;

  PosixDisk disk_;
  fs::path folder_;
};

TEST_F(Tail, lines_that_come_are_read_and_older_ones_are_not) {
  write(kFile, "old\n");
  EventTail tail{disk_, folder_};
  EXPECT_EQ(read(tail), Texts{});
  write(kFile, "one\ntwo\n");
  EXPECT_EQ(read(tail), (Texts{"one", "two"}));
  EXPECT_EQ(read(tail), Texts{});
}

TEST_F(Tail, line_is_read_when_it_has_its_end) {
  EventTail tail{disk_, folder_};
  write(kFile, "on");
  EXPECT_EQ(read(tail), Texts{});
  write(kFile, "e\nt");
  EXPECT_EQ(read(tail), Texts{"one"});
}

TEST_F(Tail, file_that_appears_is_read_from_its_begin_and_other_files_are_not) {
  EventTail tail{disk_, folder_};
  write("GLOBAL.event.current.log", "one\n");
  write("GLOBAL.messages.current.log", "8=FIX\n");
  write("GLOBAL.event.backup.1.log", "old\n");
  EXPECT_EQ(read(tail), Texts{});  // it is found
  EXPECT_EQ(read(tail), Texts{"one"});
}

TEST_F(Tail, rotated_file_is_read_to_its_end) {
  write(kFile, "");
  EventTail tail{disk_, folder_};
  write(kFile, "one\n");
  fs::rename(folder_ / kFile, folder_ / "FIX.4.4-VENUE-TRADER.event.backup.1.log");
  write(kFile, "two\n");
  Texts all;
  for (int i = 0; i < 4; ++i) {
    for (std::string& text : read(tail)) all.push_back(std::move(text));
  }
  EXPECT_EQ(all, (Texts{"one", "two"}));
}

TEST_F(Tail, file_that_was_cut_is_read_from_its_begin) {
  write(kFile, "a long old line\n");
  EventTail tail{disk_, folder_};
  fs::resize_file(folder_ / kFile, 0);
  write(kFile, "new\n");
  EXPECT_EQ(read(tail), Texts{"new"});
}

TEST_F(Tail, much_is_read_in_pieces_and_a_line_longer_than_a_piece_is_cut) {
  write(kFile, "");
  EventTail tail{disk_, folder_};
  write(kFile, std::string(EventTail::kBytesMax + 10, 'x') + "\nafter\n");
  Texts all;
  for (int i = 0; i < 4; ++i) {
    for (std::string& text : read(tail)) all.push_back(std::move(text));
  }
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].size() + all[1].size(), EventTail::kBytesMax + 10);
  EXPECT_EQ(all[2], "after");
}

TEST_F(Tail, folder_that_is_absent_is_a_fault_until_it_is_there) {
  const fs::path later = folder_ / "later";
  EventTail tail{disk_, later};
  EXPECT_EQ(read(tail), Texts{});
  EXPECT_NE(tail.fault(), "");
  fs::create_directory(later);
  EXPECT_EQ(read(tail), Texts{});
  EXPECT_EQ(tail.fault(), "");
}

}  // namespace
}  // namespace nexusfix::stream
