// Keys of the program's own: passed on when they are listed, and never shown.
#include <algorithm>

#include "config/api/explain_settings.hpp"
#include "settings_fixture.hpp"
#include "support/disks/fake_disk.hpp"

namespace nexusfix::config {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::string with_default(std::string_view lines, std::string_view session = {}) {
  return joined("[DEFAULT]\n", lines) +
         joined(kInitiator.substr(std::string_view{"[DEFAULT]\n"}.size()), session);
}

auto keys_of(const std::string& text) { return accepted(text).sessions.at(0).application; }

TEST(ApplicationKeys, those_that_are_listed_are_passed_on_without_a_word) {
  const std::string text = with_default("ApplicationKeys=Account, Risk* api.secret\nAccount=A1\n",
                                        "RiskLimit=5\nRISKDesk=NY\nApi.Secret=x=y\n");
  EXPECT_THAT(accepted(text).warnings, IsEmpty());
  EXPECT_THAT(keys_of(text),
              UnorderedElementsAre(Pair("account", "A1"), Pair("risklimit", "5"),
                                   Pair("riskdesk", "NY"), Pair("api.secret", "x=y")));
}

TEST(ApplicationKeys, those_with_the_prefix_need_no_list) {
  const std::string text = joined(kInitiator, "Application.Account=A1\napplication.HeartBtInt=7\n");
  EXPECT_THAT(accepted(text).warnings, IsEmpty());
  EXPECT_THAT(keys_of(text), UnorderedElementsAre(Pair("account", "A1"), Pair("heartbtint", "7")));
  EXPECT_EQ(accepted(text).sessions.at(0).session.heartbeat.heart_bt_int.count(), 30);
}

TEST(ApplicationKeys, a_session_overrides_default_and_may_list_more_for_itself) {
  const std::string text = with_default("ApplicationKeys=Account\nAccount=A1\nDesk=NY\n",
                                        "Account=A2\nApplicationKeys=Desk\nDesk=LDN\n");
  EXPECT_THAT(keys_of(text), UnorderedElementsAre(Pair("account", "A2"), Pair("desk", "LDN")));
  EXPECT_THAT(texts(accepted(text).warnings),
              ElementsAre(HasSubstr("t.cfg:4: Desk: unknown key, ignored")))
      << "in [DEFAULT] nothing lists it";
}

TEST(ApplicationKeys, the_list_of_one_session_is_not_that_of_the_next) {
  const std::string text =
      joined(kInitiator,
             "ApplicationKeys=Desk\nDesk=NY\n"
             "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\nDesk=LDN\n");
  EXPECT_THAT(texts(accepted(text).warnings),
              ElementsAre(HasSubstr("t.cfg:17: Desk: unknown key, ignored")));
}

TEST(ApplicationKeys, the_list_may_stand_after_them) {
  EXPECT_THAT(keys_of(joined(kInitiator, "Account=A1\nApplicationKeys=Account\n")),
              ElementsAre(Pair("account", "A1")));
}

TEST(ApplicationKeys, what_the_engine_honours_or_refuses_is_never_the_programs) {
  for (const std::string list :
       {"HeartBtInt", "heartbtint", "SocketInsecureSkipVerify", "Socket*", "Log*", "*", "a=b",
        "Account,Password", "SocketConnectHost1", "b,,*", "AppDataDictionary.FIX.4.4"}) {
    EXPECT_THAT(errors_of("ApplicationKeys=" + list),
                ElementsAre(HasSubstr("names of the program's own keys, such as Account,Risk*")))
        << list;
  }
  EXPECT_THAT(warnings_of("ApplicationKeys=Description\nDescription=ours"), IsEmpty())
      << "the engine does nothing with it";
  EXPECT_THAT(warnings_of("ApplicationKeys="), IsEmpty());
}

TEST(ApplicationKeys, a_secret_may_be_one_only_if_it_is_listed) {
  EXPECT_THAT(errors_of("ApiPassword=CANARY"), ElementsAre(HasSubstr("unknown, and not to be")));
  EXPECT_THAT(warnings_of("ApplicationKeys=ApiPassword\nApiPassword=CANARY"), IsEmpty());
}

TEST(ApplicationKeys, a_value_is_never_shown) {
  const std::string keys =
      "ApplicationKeys=ApiPassword,Account\nApiPassword=CANARY # one\nAccount=CANARY${x}\n"
      "Account=CANARY\nApplication.Token=CANARY\n";
  const auto reported = texts(accepted(joined(kInitiator, keys)).warnings);
  EXPECT_THAT(reported, ElementsAre("t.cfg:14: Account: given before in this section; the last one "
                                    "counts"));
  EXPECT_THAT(errors_of(keys + "HeartBtInt=x"), Each(Not(HasSubstr("CANARY"))));
  EXPECT_THAT(errors(with_default("ExpandVariables=Y\nApplicationKeys=Token\n"
                                  "Token=a$CANARY_IN_A_PASSWORD\n")),
              Each(Not(HasSubstr("CANARY"))));
  nexusfix::testing::FakeDisk disk;
  disk.set_contents("t.cfg", joined(kInitiator, keys));
  const auto explained = explain_settings(disk, "t.cfg");
  ASSERT_TRUE(explained);
  const ExplainedSession& session = explained->sessions.front();
  for (const EffectiveValue& one : session.values) EXPECT_THAT(one.value, Not(HasSubstr("CANARY")));
  ASSERT_EQ(session.application_keys.size(), 3U);
  EXPECT_EQ(session.application_keys[0].name, "Account");
  EXPECT_EQ(session.application_keys[0].line, 14U);
}

TEST(ApplicationKeys, variables_are_put_in_as_everywhere) {
  ::setenv("NEXUSFIX_T_TOKEN", "t0", 1);
  EXPECT_THAT(keys_of(with_default("ExpandVariables=Y\nApplicationKeys=Token\n"
                                   "Token=${NEXUSFIX_T_TOKEN}\n")),
              ElementsAre(Pair("token", "t0")));
  ::unsetenv("NEXUSFIX_T_TOKEN");
}

}  // namespace
}  // namespace nexusfix::config
