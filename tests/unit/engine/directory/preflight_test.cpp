// Files, folders, addresses and CPUs that a configuration names: `config check` and a start check
// them before anything is created.
#include "config/api/preflight.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

#include "config/api/explain_settings.hpp"
#include "support/disks/fake_disk.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class PreflightTest : public AcceptorTest {
 protected:
  [[nodiscard]] config::Settings settings() {
    auto parsed = config::parse_settings(config(port), "venue.cfg");
    EXPECT_TRUE(parsed.has_value()) << parsed.error().front().what();
    parsed->segment_bytes = kSegmentBytes;
    return std::move(*parsed);
  }
  // Empty, or the reason why the engine does not start.
  [[nodiscard]] std::string why_not() {
    const auto opened = Engine::open(settings(), venue, options());
    return opened ? std::string{} : opened.error().what();
  }
  [[nodiscard]] std::string looked() {
    std::string all;
    PosixDisk disk;
    const auto found = config::preflight(settings(), disk);
    if (found) return all;
    for (const auto& error : found.error()) all += (all.empty() ? "" : "\n") + error.what();
    return all;
  }
  // The line of a key, as an error names it.
  [[nodiscard]] std::string line_of(const std::string& key) const {
    const std::string text = config(port);
    const std::size_t at = text.find(key + "=");
    EXPECT_NE(at, std::string::npos) << key;
    return "venue.cfg:" +
           std::to_string(
               std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1) +
           ": " + key;
  }
  void expect_nothing_made() const {
    EXPECT_FALSE(std::filesystem::exists(folder.path() + "/store"));
    EXPECT_FALSE(std::filesystem::exists(folder.path() + "/log"));
  }

  std::uint16_t port = 0;
};

TEST_F(PreflightTest, valid_configuration_passes_and_creates_nothing) {
  extra = "FileLogPath=" + folder.path() + "/log/deep";
  EXPECT_EQ(looked(), "");
  expect_nothing_made();
  EXPECT_EQ(why_not(), "");
}

TEST_F(PreflightTest, folders_accessible_to_others_are_a_warning_with_a_remedy) {
  namespace fs = std::filesystem;
  const std::string store = folder.path() + "/store";
  const std::string logs = folder.path() + "/log";
  extra = "FileLogPath=" + logs;
  const auto warned = [&] {
    PosixDisk disk;
    std::string all;
    const auto found = config::preflight(settings(), disk);
    if (found)
      for (const auto& one : *found) all += one.what() + "\n";
    return all;
  };
  EXPECT_EQ(warned(), "");  // they are made for the owner alone
  fs::create_directories(store);
  fs::create_directories(logs);
  fs::permissions(store, fs::perms::owner_all | fs::perms::group_read);
  fs::permissions(logs, fs::perms::owner_all | fs::perms::others_exec);
  const std::string may_look =
      ": others than the owner may look into the folder, which was there before: chmod 700 ";
  const std::string of_store = line_of("FileStorePath") + may_look + store;
  const std::string of_logs = line_of("FileLogPath") + may_look + logs;
  EXPECT_EQ(warned(), of_store + "\n" + of_logs + "\n");
  open();
  EXPECT_TRUE(log.has(of_store)) << log.all();
  EXPECT_TRUE(log.has(of_logs)) << log.all();
  fs::permissions(store, fs::perms::owner_all);
  extra += "\nLogFileMode=0640";
  EXPECT_EQ(warned(), "");  // that of the logs is meant
  extra = "FileLogPath=" + logs;
  fs::permissions(logs, fs::perms::owner_all);
  EXPECT_EQ(warned(), "");
}

TEST_F(PreflightTest, missing_and_invalid_dictionaries_are_all_errors_with_their_lines) {
  std::ofstream{folder.path() + "/none.xml"} << "no dictionary";
  dictionary = "DataDictionary=" + folder.path() + "/none.xml";
  sessions += "DataDictionary=" + folder.path() + "/missing.xml\n";
  extra = "FileLogPath=" + folder.path() + "/log";
  const std::string errors = looked();
  EXPECT_THAT(errors, AllOf(HasSubstr(line_of("DataDictionary") + ": "), HasSubstr("/none.xml"),
                            HasSubstr("venue.cfg:18: DataDictionary: the file cannot be read: ")));
  EXPECT_EQ(why_not(), errors);
  expect_nothing_made();
  extra += "\nEventLoops=2";
  EXPECT_THAT(why_not(), HasSubstr("/none.xml"));
  expect_nothing_made();
}

// QuickFIX/J finds DataDictionary=FIX44.xml on its class path.
TEST_F(PreflightTest, standard_dictionary_name_means_the_built_in_one_with_a_note) {
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=A\n"  // 9 to 12
      "DataDictionary=FIX44.xml\n"
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=B\n"  // 14 to 17
      "DataDictionary=FIX44.xml\n"
      "[SESSION]\nBeginString=FIXT.1.1\nSenderCompID=VENUE\nTargetCompID=C\n"  // 19 to 22
      "DefaultApplVerID=9\nTransportDataDictionary=FIXT11.xml\nAppDataDictionary=FIX50SP2.xml\n"
      "AppDataDictionary.FIX.5.0SP1=FIX50SP1.xml\n";
  dictionary = "";
  PosixDisk disk;
  const auto found = config::preflight(settings(), disk);
  ASSERT_TRUE(found) << found.error().front().what();
  std::string all;
  for (const auto& one : *found) {
    EXPECT_TRUE(one.is_note) << one.what();
    all += one.what() + "\n";
  }
  const std::string rest = " is used\n";
  const std::string words = ".xml is not there: the built-in dictionary of FIX";
  for (const std::string& warning :
       {"13: DataDictionary: FIX44" + words + ".4.4 is used (and the same of 1 other line: 18)\n",
        "24: TransportDataDictionary: FIXT11" + words + "T.1.1" + rest,
        "25: AppDataDictionary: FIX50SP2" + words + ".5.0SP2" + rest,
        "26: AppDataDictionary.FIX.5.0SP1: FIX50SP1" + words + ".5.0SP1" + rest}) {
    EXPECT_THAT(all, HasSubstr("venue.cfg:" + warning));
  }
  EXPECT_EQ(std::ranges::count(all, '\n'), 4) << all;
  open();
  EXPECT_TRUE(
      log.has(observe::Severity::Info, "venue.cfg:13: DataDictionary: FIX44.xml is not there"))
      << log.all();
}

TEST_F(PreflightTest, missing_dictionary_path_is_an_error_of_its_key) {
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=A\n"
      "DataDictionary=../spec/FIX44.xml\n"
      "[SESSION]\nBeginString=FIXT.1.1\nSenderCompID=VENUE\nTargetCompID=C\n"
      "DefaultApplVerID=9\nAppDataDictionary.FIX.5.0SP1=mine.xml\n"
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=D\n"
      "DataDictionary=..\\spec\\FIX44.xml\n";
  dictionary = "";
  const std::string errors = looked();
  EXPECT_THAT(errors, HasSubstr("venue.cfg:13: DataDictionary: the file cannot be read: "));
  EXPECT_THAT(errors, HasSubstr("; without the key, or with FIX44.xml alone, the built-in "
                                "dictionary is used\n"));
  EXPECT_THAT(errors, HasSubstr("venue.cfg:19: AppDataDictionary.FIX.5.0SP1: the file cannot be "
                                "read: "));
  EXPECT_THAT(errors, HasSubstr("; folders are separated by / here; without the key, or with "
                                "FIX44.xml alone"));
}

TEST_F(PreflightTest, missing_dictionary_of_the_default_version_names_its_key) {
  FakeDisk disk;
  disk.set_contents("f.cfg",
                    "[SESSION]\nBeginString=FIXT.1.1\nSenderCompID=A\nTargetCompID=B\n"
                    "Store=memory\nSocketAcceptPort=0\nDefaultApplVerID=9\n"
                    "AppDataDictionary.FIX.5.0SP2=mine.xml\n");
  const auto explained = config::explain_settings(disk, "f.cfg");
  ASSERT_TRUE(explained);
  const auto found = config::preflight(explained->settings, disk);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().front().what(),
              HasSubstr("f.cfg:8: AppDataDictionary.FIX.5.0SP2: the file cannot be read"));
}

TEST_F(PreflightTest, unwritable_folders_are_errors_with_their_lines) {
  const std::string file = folder.path() + "/file";
  std::ofstream{file} << "no folder";
  extra = "FileLogPath=" + file + "/log\nFileLogBackupPath=" + file;
  EXPECT_THAT(looked(), AllOf(HasSubstr(line_of("FileLogPath")), HasSubstr("Not a directory"),
                              HasSubstr(line_of("FileLogBackupPath"))));
  EXPECT_EQ(why_not(), looked());
  expect_nothing_made();
  extra = "FileStorePath=" + file + "/store";  // the last one counts
  EXPECT_THAT(looked(), HasSubstr("venue.cfg:8: FileStorePath: write into folder " + file));
  EXPECT_EQ(why_not(), looked());
}

TEST_F(PreflightTest, missing_cpus_are_errors_with_their_line) {
  extra = "EventLoopCpu=1023";
  EXPECT_THAT(looked(), HasSubstr(line_of("EventLoopCpu") + "=1023: "));
  EXPECT_EQ(why_not(), looked());
  expect_nothing_made();
}

TEST_F(PreflightTest, address_of_another_machine_is_an_error_and_nothing_is_created) {
  extra = "SocketAcceptAddress=192.0.2.1\nFileLogPath=" + folder.path() + "/log";
  const std::string error = why_not();
  EXPECT_THAT(error, AllOf(HasSubstr("venue.cfg:8: SocketAcceptAddress=192.0.2.1: listen "),
                           HasSubstr("an address of this machine was expected")));
  expect_nothing_made();
  const auto missing = config::missing_addresses(settings());
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing.front().what(),
            "venue.cfg:8: SocketAcceptAddress=192.0.2.1: Cannot assign requested address; an "
            "address of this machine was expected");
}

// `config check` of the file with which an engine runs.
TEST_F(PreflightTest, address_is_valid_even_if_its_port_is_in_use) {
  AcceptorTest::open();
  port = acceptor->accept_port();
  EXPECT_TRUE(config::missing_addresses(settings()).empty());
}

TEST_F(PreflightTest, store_that_cannot_be_opened_is_an_error_with_its_line) {
  std::filesystem::create_directories(folder.path() + "/store/lock");
  EXPECT_THAT(why_not(), HasSubstr(line_of("FileStorePath") + ": "));
}

TEST_F(PreflightTest, port_in_use_is_an_error_and_nothing_is_created) {
  AcceptorTest::open();
  port = acceptor->accept_port();
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=THIRD\n"
      "FileStorePath=" +
      folder.path() + "/second\nFileLogPath=" + folder.path() + "/log\n";
  EXPECT_THAT(why_not(), AllOf(HasSubstr(line_of("SocketAcceptPort") + "=" + std::to_string(port) +
                                         ": listen 127.0.0.1:" + std::to_string(port)),
                               HasSubstr("a port was expected that is free")));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/second"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/log"));
  sessions = "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=THIRD\n";
  EXPECT_THAT(acceptor->add_sessions(settings()).error().what(),
              HasSubstr(line_of("SocketAcceptPort")));
}

}  // namespace
}  // namespace nexusfix::testing
