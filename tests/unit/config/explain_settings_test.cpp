// A configuration explained, and the descriptions of its keys.
#include "config/api/explain_settings.hpp"

#include <algorithm>
#include <set>

#include "config/keys/dialects.hpp"
#include "config/keys/find_key.hpp"
#include "settings_fixture.hpp"
#include "support/disks/fake_disk.hpp"

namespace nexusfix::config {
namespace {

using nexusfix::testing::FakeDisk;

ExplainedSession explained(std::string_view lines) {
  FakeDisk disk;
  disk.set_contents("t.cfg", joined(kInitiator, lines));
  auto result = explain_settings(disk, "t.cfg");
  if (result) return result->sessions.front();
  ADD_FAILURE() << result.error().front().what();
  return {};
}

const EffectiveValue& value_of(const ExplainedSession& session, std::string_view key) {
  static const EffectiveValue kNone;
  const auto place = std::ranges::find_if(
      session.values, [&](const EffectiveValue& one) { return one.key->name == key; });
  if (place != session.values.end()) return *place;
  ADD_FAILURE() << key;
  return kNone;
}

TEST(ExplainedSettings, a_logon_tag_shows_its_field_and_not_what_it_has) {
  const ExplainedSession session =
      explained("LogonTag=553=me\nLogonTag1=554=CANARY\nLogonTag2=9001=CANARY\n");
  std::vector<std::string> shown;
  for (const EffectiveValue& one : session.values) {
    if (one.key->name == "LogonTag") shown.push_back(one.numbered + "=" + one.value);
  }
  EXPECT_THAT(shown, ::testing::ElementsAre("=553=...", "LogonTag1=554=...", "LogonTag2=9001=..."));
}

TEST(ExplainedSettings, tls_that_a_file_brings_shows_at_its_switch_and_says_which) {
  const ExplainedSession session = explained("CertificationAuthoritiesFile=a.pem\n");
  for (const char* key : {"SocketUseSSL", "SSLEnable"}) {
    EXPECT_EQ(value_of(session, key).value, "Y");
    EXPECT_EQ(value_of(session, key).because, "CertificationAuthoritiesFile in line 11");
  }
  EXPECT_EQ(value_of(session, "NeedClientAuth").because, "");  // of an acceptor
  const ExplainedSession named = explained("SSLEnable=Y\n");
  EXPECT_EQ(value_of(named, "SSLEnable").because, "");
  EXPECT_EQ(value_of(named, "SocketUseSSL").value, "Y");
  EXPECT_EQ(value_of(named, "SocketUseSSL").because, "SSLEnable in line 11");
  EXPECT_EQ(value_of(explained(""), "SocketUseSSL").value, "N");
  EXPECT_EQ(value_of(explained(""), "SocketUseSSL").because, "");
}

TEST(ExplainedSettings, a_comment_after_a_value_is_reported_and_shows_no_secret) {
  EXPECT_THAT(warnings_of("SenderSubID=DESK # one\nLogonTag=554=CANARY # secret\nText=a#b"),
              ::testing::IsSupersetOf(
                  {"t.cfg:11: SenderSubID=DESK # one: all of it is the value; a # begins a comment "
                   "only at the start of a line",
                   "t.cfg:12: LogonTag=...: all of it is the value; a # begins a comment only at "
                   "the start of a line"}));
  EXPECT_THAT(
      errors(joined(kInitiator, "MaxLatency=60 # seconds")).front(),
      ::testing::EndsWith("was expected; a # begins a comment only at the start of a line"));
}

TEST(ExplainedSettings, a_comment_with_a_semicolon_is_reported) {
  EXPECT_THAT(warnings_of("SenderSubID=DESK ; one\n; Password=CANARY"),
              ::testing::IsSupersetOf(
                  {"t.cfg:11: SenderSubID=DESK ; one: all of it is the value; a # begins a comment "
                   "only at the start of a line",
                   "t.cfg:12: the line begins with ; and is ignored; a comment begins with #"}));
}

// An error of a later check is printed without the warnings of its line.
TEST(ExplainedSettings, an_error_of_a_value_with_a_comment_explains_the_comment) {
  for (const char* const line :
       {"StartTime=00:00:00 ; open\nEndTime=17:00:00", "TimeZone=Europe/London # ours"}) {
    const std::string times = std::string{line}.starts_with("T") ? "StartTime=08:00:00\n"
                                                                   "EndTime=17:00:00\n"
                                                                 : "";
    EXPECT_THAT(errors(joined(kInitiator, times + line)),
                ::testing::ElementsAre(::testing::AllOf(
                    ::testing::HasSubstr("a time zone of the tz database"),
                    ::testing::EndsWith("; a # begins a comment only at the start of a line"))))
        << line;
  }
}

TEST(ExplainedSettings, an_address_with_a_port_names_the_keys_of_both) {
  EXPECT_THAT(errors(joined(kInitiator, "SocketConnectHost=10.0.0.1:9876")),
              ::testing::Contains(::testing::EndsWith(
                  "; address and port have a key each: SocketConnectHost=10.0.0.1 and "
                  "SocketConnectPort=9876")));
  EXPECT_THAT(errors(joined(kInitiator, "ProxyPort=[::1]:80")),
              ::testing::Contains(::testing::EndsWith(
                  "; address and port have a key each: ProxyHost=[::1] and ProxyPort=80")));
}

TEST(ExplainedSettings, the_error_of_a_password_key_names_application_keys) {
  for (const char* const key : {"MyPassword", "VenuePasswordFile", "DeskSecret"}) {
    EXPECT_THAT(errors(joined(kInitiator, std::string{key} + "=CANARY")),
                ::testing::Contains(::testing::EndsWith(
                    "; a key of the program's own is to be listed in ApplicationKeys")))
        << key;
  }
}

TEST(DescribedKeys, every_honoured_key_is_described_once) {
  std::set<std::string_view> names;
  for (const KeyDescription& key : described_keys()) {
    const KeyMatch match = find_key(key.name);
    ASSERT_NE(match.rule, nullptr) << key.name;
    EXPECT_EQ(match.rule->name, key.name);
    EXPECT_EQ(match.rule->handling, Handling::Honoured) << key.name;
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
  }
}

TEST(DescribedKeys, a_dialect_names_keys_of_the_table_each_once) {
  std::set<std::string_view> names;
  for (const DialectRow& row : kDialectRows) {
    for (const std::string_view name : words_of(row.keys)) {
      const KeyMatch match = find_key(name);
      ASSERT_NE(match.rule, nullptr) << name;
      EXPECT_EQ(match.rule->handling, Handling::Honoured) << name;
      EXPECT_EQ(match.rule->name, name);
      EXPECT_TRUE(names.insert(name).second) << name;
      EXPECT_EQ(dialects_of(name), row.engines) << name;
    }
  }
  EXPECT_EQ(dialects_of("MaxPendingLogons"), Dialects{});
}

TEST(DescribedKeys, another_name_is_of_a_key_with_a_name_of_its_own) {
  for (const KeyDescription& key : described_keys()) {
    if (key.same_as.empty()) continue;
    const auto main = std::ranges::find(described_keys(), key.same_as, &KeyDescription::name);
    ASSERT_NE(main, described_keys().end()) << key.name;
    EXPECT_EQ(main->same_as, "") << key.name;
    EXPECT_EQ(main->type, key.type) << key.name;
  }
}

TEST(DescribedKeys, what_counts_without_a_key_is_a_value_that_it_takes) {
  for (const KeyDescription& key : described_keys()) {
    if (key.fallback.empty() || key.fallback == "built-in") continue;
    EXPECT_EQ(find_key(key.name).rule->key.row().rule.error(key.fallback), "") << key.name;
  }
}

TEST(DescribedKeys, what_counts_without_a_key_is_what_counts_with_its_fallback) {
  const SessionSettings without = session_with("");
  for (const KeyDescription& key : described_keys()) {
    if (key.fallback.empty() || key.fallback == "built-in" || key.group == "store") continue;
    const SessionSettings with =
        session_with(std::string{key.name} + "=" + std::string{key.fallback} + "\n");
    EXPECT_EQ(with.session.logon.timeout, without.session.logon.timeout) << key.name;
    EXPECT_EQ(with.session.logon.logout_timeout, without.session.logon.logout_timeout) << key.name;
    EXPECT_EQ(with.session.header.max_latency, without.session.header.max_latency) << key.name;
    EXPECT_EQ(with.session.header.check_latency, without.session.header.check_latency) << key.name;
    EXPECT_EQ(with.session.header.check_comp_id, without.session.header.check_comp_id) << key.name;
    EXPECT_EQ(with.session.heartbeat.test_request_delay,
              without.session.heartbeat.test_request_delay)
        << key.name;
    EXPECT_EQ(with.session.heartbeat.timeout, without.session.heartbeat.timeout) << key.name;
    EXPECT_EQ(with.session.heartbeat.heart_bt_int_max, without.session.heartbeat.heart_bt_int_max)
        << key.name;
    EXPECT_EQ(with.session.header.time_precision, without.session.header.time_precision)
        << key.name;
    EXPECT_EQ(with.session.resend.persist_messages, without.session.resend.persist_messages)
        << key.name;
    EXPECT_EQ(with.reconnect.intervals, without.reconnect.intervals) << key.name;
    EXPECT_EQ(with.limits.out_of_order_bytes_max, without.limits.out_of_order_bytes_max)
        << key.name;
    EXPECT_EQ(with.limits.garbled_per_second_max, without.limits.garbled_per_second_max)
        << key.name;
    EXPECT_EQ(with.throttle.action, without.throttle.action) << key.name;
    EXPECT_EQ(with.dictionary.is_used, without.dictionary.is_used) << key.name;
    EXPECT_EQ(with.schedule.is_non_stop(), without.schedule.is_non_stop()) << key.name;
  }
}

TEST(ExplainSettings, a_value_is_reported_with_the_line_that_it_came_from) {
  const ExplainedSession session = explained("LogonTimeout=7\n");
  EXPECT_EQ(session.name, "FIX.4.4:TRADER->VENUE");
  EXPECT_EQ(session.line, 7U);
  const EffectiveValue& own = value_of(session, "LogonTimeout");
  EXPECT_EQ(own.value, "7");
  EXPECT_EQ(own.line, 11U);
  EXPECT_FALSE(own.is_of_default);
  const EffectiveValue& of_default = value_of(session, "HeartBtInt");
  EXPECT_EQ(of_default.line, 3U);
  EXPECT_TRUE(of_default.is_of_default);
  const EffectiveValue& fallback = value_of(session, "LogoutTimeout");
  EXPECT_EQ(fallback.value, "2");
  EXPECT_EQ(fallback.line, 0U);
}

TEST(ExplainSettings, a_role_that_was_not_given_is_reported_with_the_key_that_says_so) {
  FakeDisk disk;
  disk.set_contents("go.cfg",
                    "[SESSION]\nBeginString=FIX.4.0\nSenderCompID=A\nTargetCompID=B\n"
                    "SocketAcceptPort=0\n");
  const auto all = explain_settings(disk, "go.cfg");
  ASSERT_TRUE(all);
  const EffectiveValue& role = value_of(all->sessions.front(), "ConnectionType");
  EXPECT_EQ(role.value, "acceptor");
  EXPECT_EQ(role.because, "SocketAcceptPort in line 5");
  const EffectiveValue& folder = value_of(all->sessions.front(), "FileStorePath");
  EXPECT_EQ(folder.value, "store");
  EXPECT_EQ(folder.line, 0U);
}

TEST(ExplainSettings, a_store_in_memory_has_no_folder) {
  FakeDisk disk;
  disk.set_contents("a.cfg",
                    "[SESSION]\nBeginString=FIX.4.0\nSenderCompID=A\nTargetCompID=B\n"
                    "SocketAcceptPort=0\nStore=memory\n");
  const auto all = explain_settings(disk, "a.cfg");
  ASSERT_TRUE(all);
  EXPECT_EQ(value_of(all->sessions.front(), "FileStorePath").value, "");
}

TEST(ExplainSettings, addresses_by_number_are_reported_one_by_one) {
  const ExplainedSession session =
      explained("SocketConnectHost2=backup\nSocketConnectPort2=5002\n");
  std::vector<std::string> hosts;
  for (const EffectiveValue& one : session.values) {
    if (one.key->name == "SocketConnectHost") hosts.push_back(one.numbered + "=" + one.value);
  }
  EXPECT_THAT(hosts, ::testing::ElementsAre("=127.0.0.1", "SocketConnectHost2=backup"));
}

// What config_fuzz found: it was shown as AppDataDictionary9, which is no key.
TEST(ExplainSettings, a_dictionary_of_a_version_is_reported_by_the_key_that_gives_it) {
  const ExplainedSession session = explained(
      "AppDataDictionary=a.xml\nAppDataDictionary.FIX.5.0SP2=b.xml\n"
      "AppDataDictionary.4=c.xml\n");
  std::vector<std::string> files;
  for (const EffectiveValue& one : session.values) {
    if (one.key->name == "AppDataDictionary") files.push_back(one.numbered + "=" + one.value);
  }
  EXPECT_THAT(files, ::testing::ElementsAre("=a.xml", "AppDataDictionary.FIX.4.2=c.xml",
                                            "AppDataDictionary.FIX.5.0SP2=b.xml"));
}

TEST(ExplainSettings, secrets_are_not_shown) {
  EXPECT_EQ(value_of(explained("Password=pa55word\n"), "Password").value, "...");
}

TEST(ExplainSettings, a_file_that_is_wrong_is_answered_as_when_it_is_loaded) {
  FakeDisk disk;
  disk.set_contents("t.cfg", joined(kInitiator, "LogonTimeout=never\n"));
  const auto explained = explain_settings(disk, "t.cfg");
  const auto loaded = config::load_settings(disk, "t.cfg");
  ASSERT_FALSE(explained);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(texts(explained.error()), texts(loaded.error()));
  EXPECT_FALSE(explain_settings(disk, "missing.cfg"));
}

}  // namespace
}  // namespace nexusfix::config
