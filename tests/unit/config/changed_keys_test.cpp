// What two texts say of a session, compared; and a session of the keys of several texts.
#include "config/api/changed_keys.hpp"

#include <algorithm>
#include <memory>

#include "config/keys/find_key.hpp"
#include "honoured_keys.hpp"
#include "settings_fixture.hpp"
#include "transport/api/tls.hpp"

namespace nexusfix::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kTrader = "FIX.4.4:TRADER->VENUE";

FileKeys file_keys(const std::string& text) {
  return FileKeys{std::make_shared<const std::string>(text)};
}
std::optional<SessionSettings> built(const KeySources& sources, std::string_view name = kTrader) {
  return session_of(sources, name);
}

TEST(ChangedKeys, each_key_of_the_table_is_in_the_list_of_its_class_and_in_no_other) {
  for (const HonouredKey& row : kHonouredKeys) {
    const Key key = find_key(row.name).rule->key;
    const std::string_view base = row.role == session::Role::Acceptor ? kAcceptor : kInitiator;
    const bool is_of_file = key == "ExpandVariables";
    const std::string line = std::string{row.name} + "=" + std::string{row.right} + "\n";
    const std::string before = joined(base, row.beside);
    std::string after = before + line;
    if (is_of_file) after = "[DEFAULT]\n" + line + before.substr(10);
    const FileKeys old_keys = file_keys(before);
    const FileKeys new_keys = file_keys(after);
    const TakesEffect effect = key.row().effect;
    const auto without = parse_settings(before, "t.cfg");  // An error: others need the key.
    const std::string name =
        (without ? *without : accepted(after)).sessions.front().session.id.to_string();
    const ChangedKeys changed = changed_keys({&old_keys, &old_keys, &old_keys}, new_keys, name);
    const auto is_in = [&](const std::vector<std::string>& list) {
      return list == std::vector<std::string>{std::string{row.name}};
    };
    if (effect == TakesEffect::OtherSession) {
      EXPECT_FALSE(new_keys.has(name)) << row.name;
      continue;
    }
    const bool is_as_before = line == "ConnectionType=initiator\n";
    EXPECT_EQ(is_in(changed.at_once), effect == TakesEffect::AtOnce) << row.name;
    EXPECT_EQ(is_in(changed.at_logon), effect == TakesEffect::NextLogon) << row.name;
    EXPECT_EQ(is_in(changed.at_start), effect == TakesEffect::NextStart && !is_as_before)
        << row.name;
    EXPECT_TRUE(changed_keys({&new_keys, &new_keys, &new_keys}, new_keys, name).empty());
    EXPECT_TRUE(built({&old_keys, &new_keys, &new_keys}, name)) << row.name;
  }
}

TEST(ChangedKeys, a_session_has_each_key_from_the_text_of_its_class) {
  const FileKeys old_keys = file_keys(joined(
      kInitiator, "MaxLatency=10\nLogonTimeout=10\nSocketConnectHost1=a\nSocketConnectPort1=1\n"));
  const FileKeys new_keys = file_keys(joined(
      kInitiator, "MaxLatency=20\nLogonTimeout=20\nSocketConnectHost1=b\nSocketConnectPort1=2\n"));
  const auto at_once = built({&old_keys, &old_keys, &new_keys});
  ASSERT_TRUE(at_once);
  EXPECT_EQ(at_once->session.header.max_latency.count(), 20);
  EXPECT_EQ(at_once->session.logon.timeout.count(), 10);
  EXPECT_EQ(at_once->connect.at(1).host, "a");
  const auto whole = built({&old_keys, &new_keys, &new_keys});
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->session.logon.timeout.count(), 20);
  EXPECT_EQ(whole->connect.at(1).port, 2);
}

TEST(ChangedKeys, keys_that_do_not_go_together_build_nothing) {
  const FileKeys old_keys = file_keys(joined(kInitiator, "ConnectionType=initiator\n"));
  const FileKeys new_keys =
      file_keys(joined("[DEFAULT]\nHeartBtInt=30\n",
                       "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n"
                       "SocketAcceptPort=0\nConnectionType=acceptor\n"));
  EXPECT_FALSE(built({&new_keys, &new_keys, &old_keys})) << "an acceptor without a port";
  EXPECT_TRUE(built({&new_keys, &new_keys, &new_keys}));
}

TEST(ChangedKeys, where_a_key_stands_does_not_matter_unless_it_says_something_else) {
  const FileKeys in_session = file_keys(joined(kInitiator, "MaxLatency=10\n"));
  const FileKeys in_default =
      file_keys("[DEFAULT]\nMaxLatency=10\n" + std::string{kInitiator.substr(10)});
  EXPECT_TRUE(changed_keys({&in_session, &in_session, &in_session}, in_default, kTrader).empty());
}

TEST(ChangedKeys, those_of_the_program_are_compared_too) {
  const FileKeys old_keys = file_keys(
      joined(kInitiator, "Application.Desk=NY\nApplication.Same=1\nApplication.Gone=1\n"));
  const FileKeys new_keys = file_keys(
      joined(kInitiator, "Application.Desk=LDN\nApplication.Same=1\nApplication.New=1\n"));
  const ChangedKeys changed = changed_keys({&old_keys, &old_keys, &old_keys}, new_keys, kTrader);
  EXPECT_THAT(changed.at_once, ElementsAre("Desk", "Gone", "New"));
  EXPECT_THAT(changed.at_logon, IsEmpty());
}

TEST(ChangedKeys, a_template_is_found_by_its_name) {
  const FileKeys keys = file_keys(joined(kAcceptor, "DynamicSessions=Y\n"));
  EXPECT_TRUE(keys.has("FIX.4.2:*->*"));
  EXPECT_TRUE(keys.has("FIX.4.2:VENUE->TRADER"));
  EXPECT_FALSE(keys.has("FIX.4.2:VENUE->OTHER"));
}

TEST(ChangedKeys, keys_of_the_next_start_stay_as_they_were_at_the_last_one) {
  const FileKeys old_keys = file_keys(joined(kInitiator, "EventLoops=4\nEventLoop=1\n"));
  const FileKeys new_keys = file_keys(joined(kInitiator, "EventLoops=4\nEventLoop=2\n"));
  const auto session = built({&old_keys, &new_keys, &new_keys});
  ASSERT_TRUE(session);
  EXPECT_EQ(session->event_loop, 1U);
}

TEST(ChangedKeys, session_that_is_added_again_has_the_new_role) {
  const std::string acceptor{kAcceptor};
  const FileKeys old_keys = file_keys(acceptor);
  const FileKeys new_keys = file_keys(acceptor +
                                      "ConnectionType=initiator\nHeartBtInt=30\n"
                                      "SocketConnectHost=a\nSocketConnectPort=1\n");
  const auto session = built({&old_keys, &new_keys, &new_keys}, "FIX.4.2:VENUE->TRADER");
  ASSERT_TRUE(session);
  EXPECT_EQ(session->session.role, session::Role::Initiator);
}

TEST(ChangedKeys, what_files_say_of_a_session_is_copied) {
  SessionSettings source = accepted(joined(kInitiator,
                                           "SocketUseSSL=Y\nStartTime=08:00:00\n"
                                           "EndTime=17:00:00\n"))
                               .sessions.at(0);
  const auto context = std::make_shared<transport::TlsContext>(transport::TlsSettings{}, nullptr);
  source.connect.at(0).tls = context;
  SessionSettings session = session_with("SocketUseSSL=Y\n");
  copy_parts_from_files(session, source);
  EXPECT_EQ(session.connect.at(0).tls, context);
  EXPECT_TRUE(session.schedule.rules());
}

}  // namespace
}  // namespace nexusfix::config
