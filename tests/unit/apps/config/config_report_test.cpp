#include "nexusfix/config/config_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "support/disks/fake_disk.hpp"

namespace nexusfix::command {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kInitiator =
    "[DEFAULT]\nConnectionType=initiator\nHeartBtInt=30\nNonStopSession=Y\n"
    "SocketConnectHost=127.0.0.1\nSocketConnectPort=5001\n";
constexpr std::string_view kSession =
    "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\n";

config::ExplainedSettings explained(const std::string& more) {
  testing::FakeDisk disk;
  disk.set_contents("a.cfg", std::string{kInitiator} + more + std::string{kSession});
  auto explained = config::explain_settings(disk, "a.cfg");
  EXPECT_TRUE(explained) << explained.error().front().what();
  return std::move(*explained);
}

TEST(ConfigReport, a_store_that_is_not_in_this_program_is_reported_by_line) {
  const auto database = explained("Store=postgresql\nPostgreSQLStoreDatabase=fix\n");
  const config::SettingsErrors missing = missing_parts(database, false);
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].what(),
            "a.cfg:7: Store: this program was built without the PostgreSQL store "
            "(NEXUSFIX_POSTGRES=OFF)");
  EXPECT_TRUE(missing_parts(database, true).empty());
  EXPECT_TRUE(missing_parts(explained("Store=memory\n"), false).empty());
}

TEST(ConfigReport, each_of_several_addresses_has_its_own_name_once) {
  const auto two = explained(
      "Store=memory\nSocketConnectHost1=127.0.0.2\nSocketConnectPort1=5002\n"
      "LogonTag=553=us\nLogonTag1=554=pa55word\n");
  const std::string text = config_text(two, {}, false);
  EXPECT_THAT(text, HasSubstr("    SocketConnectHost1=127.0.0.2  "));
  EXPECT_THAT(text, HasSubstr("    SocketConnectPort1=5002  "));
  EXPECT_THAT(text, HasSubstr("    LogonTag1=554=...  "));
  EXPECT_THAT(text, Not(HasSubstr("SocketConnectHost=SocketConnectHost")));
  const std::string json = config_json(two);
  EXPECT_THAT(json, HasSubstr(R"({"key":"SocketConnectHost1","value":"127.0.0.2")"));
  EXPECT_THAT(json, HasSubstr(R"({"key":"SocketConnectHost","value":"127.0.0.1")"));
}

TEST(ConfigReport, differences_from_other_engines_are_listed_once_for_sessions_with_the_same_ones) {
  const auto two =
      explained("Store=memory\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=C\n");
  ASSERT_EQ(two.sessions.size(), 2U);
  const std::string text = config_text(two, {}, false);
  const std::size_t first = text.find("  not as elsewhere\n");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("  not as elsewhere\n", first + 1), std::string::npos) << text;
  EXPECT_THAT(text, HasSubstr("  not as elsewhere  the same as " + two.sessions[0].name));
}

}  // namespace
}  // namespace nexusfix::command
