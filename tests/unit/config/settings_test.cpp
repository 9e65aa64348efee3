#include <algorithm>
#include <cerrno>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "settings_fixture.hpp"

namespace nexusfix::config {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Settings, an_initiator_is_read_with_the_defaults_of_quickfix) {
  const Settings settings = accepted(kInitiator);
  EXPECT_THAT(settings.warnings, IsEmpty());
  EXPECT_EQ(settings.file, "t.cfg");
  EXPECT_EQ(settings.store, StoreKind::Journal);
  EXPECT_EQ(settings.store_folder, "store");
  EXPECT_EQ(settings.durability, store::Durability::Process);
  ASSERT_THAT(settings.sessions, SizeIs(1));
  const SessionSettings& session = settings.sessions[0];
  EXPECT_EQ(session.line, 7U);
  EXPECT_THAT(session.reconnect.intervals, ElementsAre(std::chrono::seconds{30}));
  ASSERT_THAT(session.connect, SizeIs(1));
  EXPECT_EQ(session.connect[0].host, "127.0.0.1");
  EXPECT_EQ(session.connect[0].port, 5001);
  EXPECT_FALSE(session.accept.has_value());
  const session::SessionConfig& config = session.session;
  EXPECT_EQ(config.role, session::Role::Initiator);
  EXPECT_EQ(config.id.begin_string, "FIX.4.4");
  EXPECT_EQ(config.id.sender_comp_id, "TRADER");
  EXPECT_EQ(config.id.target_comp_id, "VENUE");
  EXPECT_EQ(config.id.qualifier, "");
  EXPECT_EQ(config.heartbeat.heart_bt_int.count(), 30);
  EXPECT_EQ(config.logon.timeout.count(), 10);
  EXPECT_EQ(config.logon.logout_timeout.count(), 2);
  EXPECT_EQ(config.header.max_latency.count(), 120);
  EXPECT_TRUE(config.header.check_comp_id && config.header.check_latency &&
              config.resend.persist_messages);
  EXPECT_TRUE(config.header.requires_orig_sending_time);
  EXPECT_FALSE(config.reset.on_logon || config.reset.on_logout || config.reset.on_disconnect);
  EXPECT_EQ(config.header.time_precision, wire::TimePrecision::Millis);
}

TEST(Settings, an_acceptor_listens_on_every_address_unless_an_address_is_given) {
  const Settings any = accepted(kAcceptor);
  EXPECT_EQ(any.sessions.at(0).session.role, session::Role::Acceptor);
  EXPECT_EQ(any.sessions.at(0).accept.value().host, "");
  EXPECT_EQ(any.sessions.at(0).accept.value().port, 5001);
  EXPECT_THAT(any.sessions.at(0).connect, IsEmpty());
  for (const std::string_view key : {"SocketAcceptAddress=::1", "SocketAcceptHost=::1"}) {
    EXPECT_EQ(accepted(joined(kAcceptor, key)).sessions.at(0).accept.value().host, "::1");
  }
  EXPECT_EQ(accepted(joined(kAcceptor, "SocketAcceptPort=0")).sessions.at(0).accept.value().port,
            0);
}

TEST(Settings, every_honoured_key_reaches_the_session) {
  const SessionSettings session = session_with(
      "SessionQualifier=desk7\nHeartBtInt=5\nReconnectInterval=7\nLogonTimeout=11\n"
      "LogoutTimeout=13\nMaxLatency=17\nPersistMessages=N\nResetOnLogon=Y\nResetOnLogout=Y\n"
      "ResetOnDisconnect=Y\nCheckCompID=N\nCheckLatency=N\nSendRedundantResendRequests=Y\n"
      "RequiresOrigSendingTime=N\nTimestampPrecision=6\nTestRequestDelayMultiplier=0.5\n"
      "HeartBeatTimeoutMultiplier=2\nNonStopSession=Y\n");
  const session::SessionConfig& config = session.session;
  EXPECT_EQ(config.id.qualifier, "desk7");
  EXPECT_EQ(config.heartbeat.heart_bt_int.count(), 5);
  EXPECT_THAT(session.reconnect.intervals, ElementsAre(std::chrono::seconds{7}));
  EXPECT_EQ(config.logon.timeout.count(), 11);
  EXPECT_EQ(config.logon.logout_timeout.count(), 13);
  EXPECT_EQ(config.header.max_latency.count(), 17);
  EXPECT_FALSE(config.resend.persist_messages || config.header.check_comp_id ||
               config.header.check_latency || config.header.requires_orig_sending_time);
  EXPECT_TRUE(config.reset.on_logon && config.reset.on_logout && config.reset.on_disconnect &&
              config.gap.send_redundant_resend_requests);
  EXPECT_EQ(config.header.time_precision, wire::TimePrecision::Micros);
  EXPECT_EQ(config.heartbeat.test_request_delay, 0.5);
  EXPECT_EQ(config.heartbeat.timeout, 2.0);
}

TEST(Settings, every_version_is_spoken) {
  // FIX 4.0 to 4.4, and FIX 5.0 over FIXT 1.1.
  for (const std::string version : {"FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4"}) {
    EXPECT_EQ(session_with("BeginString=" + version + "\n").session.id.begin_string, version);
  }
  const std::string fixt = "BeginString=FIXT.1.1\nDefaultApplVerID=";
  EXPECT_EQ(session_with(fixt + "FIX.5.0\n").session.fixt.default_appl_ver_id, "7");
  EXPECT_EQ(session_with(fixt + "FIX.5.0SP1\n").session.fixt.default_appl_ver_id, "8");
  EXPECT_EQ(session_with(fixt + "9\n").session.fixt.default_appl_ver_id, "9");
  EXPECT_EQ(session_with(fixt + "FIX.4.4\n").session.fixt.default_appl_ver_id, "6");
  EXPECT_THAT(errors_of("BeginString=FIXT.1.1"),
              ElementsAre("t.cfg:7: [SESSION]: DefaultApplVerID is missing: the version of a "
                          "FIXT.1.1 session's messages, such as FIX.5.0SP2"));
}

TEST(Settings, a_fixt_session_has_a_dictionary_for_the_transport_and_one_for_each_version) {
  // The keys of QuickFIX: AppDataDictionary alone is that of DefaultApplVerID.
  const DictionarySettings dictionary =
      session_with(
          "BeginString=FIXT.1.1\nDefaultApplVerID=FIX.5.0SP2\n"
          "TransportDataDictionary=t.xml\nAppDataDictionary=a.xml\n"
          "appdatadictionary.FIX.5.0=b.xml\n"
          "AppDataDictionary.8=c.xml\n")
          .dictionary;
  EXPECT_EQ(dictionary.file, "t.xml");
  EXPECT_EQ(dictionary.line, 13U);
  ASSERT_THAT(dictionary.applications, SizeIs(3));
  EXPECT_EQ(dictionary.applications.at('9').path, "a.xml");
  EXPECT_EQ(dictionary.applications.at('9').line, 14U);
  EXPECT_EQ(dictionary.applications.at('7').path, "b.xml");
  EXPECT_EQ(dictionary.applications.at('8').path, "c.xml");
  const DictionarySettings both =
      session_with(
          "BeginString=FIXT.1.1\nDefaultApplVerID=9\n"
          "AppDataDictionary.FIX.5.0SP2=b.xml\nAppDataDictionary=a.xml\n")
          .dictionary;
  EXPECT_EQ(both.applications.at('9').path, "b.xml");
}

TEST(Settings, keys_of_logons_and_resends_reach_the_session_by_each_of_their_names) {
  const session::SessionConfig config =
      session_with(
          "Username=me\nPassword=secret\nNewPassword=new\n"
          "ResendRequestChunkSize=5\nClosedResendInterval=Y\n"
          "SendNextExpectedMsgSeqNum=Y\nEnableLastMsgSeqNumProcessed=Y\n")
          .session;
  EXPECT_EQ(config.logon.username + config.logon.password + config.logon.new_password,
            "mesecretnew");
  EXPECT_EQ(config.gap.resend_request_chunk, 5U);
  EXPECT_TRUE(config.gap.closed_resend_requests && config.logon.send_next_expected_msg_seq_num &&
              config.header.send_last_msg_seq_num_processed);
  EXPECT_TRUE(
      session_with("EnableNextExpectedMsgSeqNum=Y\n").session.logon.send_next_expected_msg_seq_num);
  EXPECT_EQ(session_with("MaxMessagesInResendRequest=7\n").session.gap.resend_request_chunk, 7U);
  EXPECT_THAT(texts(accepted(joined(kAcceptor, "SendNextExpectedMsgSeqNum=Y")).warnings),
              ElementsAre(HasSubstr("it came with FIX.4.4")));
}

TEST(Settings, outbound_limits_reach_the_session) {
  EXPECT_FALSE(session_with("").outbound.is_set());
  const OutboundLimitSettings all =
      session_with(
          "OutboundMessages=50\nOutboundInterval=10\nOutboundMessagesByType=D:20; AE:1\n"
          "OutboundLimitRule=cancelsfirst\nOutboundQueueMessages=7\n")
          .outbound;
  const OutboundLimitSettings expected{.messages_max = 50,
                                       .by_type = {{"D", 20}, {"AE", 1}},
                                       .interval = std::chrono::seconds{10},
                                       .rule = OutboundLimitRule::CancelsFirst,
                                       .queued_max = 7};
  EXPECT_EQ(all, expected);
  EXPECT_TRUE(session_with("OutboundMessagesByType=D:20\n").outbound.is_set());
}

TEST(Settings, limits_reach_the_session) {
  const SessionSettings plain = session_with("");
  EXPECT_EQ(plain.throttle.messages_max, 0U);
  EXPECT_TRUE(plain.sends_while_logged_out);
  EXPECT_EQ(plain.limits.resends_per_second_max, 500'000U);
  const SessionSettings settings = session_with(
      "MaxResendMessages=1\nMaxResendsPerSecond=2\nMaxResendAge=4\n"
      "ThrottleMessages=6\nThrottleInterval=7\nThrottleAction=logout\n"
      "SendWhileLoggedOut=N\nDisconnectNoticeDelay=8\nMaxAdminMessagesPerSecond=9\n");
  EXPECT_EQ(settings.session.resend.messages_max, 1U);
  EXPECT_EQ(settings.limits.resends_per_second_max, 2U);
  EXPECT_EQ(settings.limits.resend_age_max.count(), 4);
  EXPECT_EQ(settings.throttle.messages_max, 6U);
  EXPECT_EQ(settings.throttle.interval.count(), 7);
  EXPECT_EQ(settings.throttle.action, ThrottleAction::LogOut);
  EXPECT_FALSE(settings.outbound.is_set());
  EXPECT_FALSE(settings.sends_while_logged_out);
  EXPECT_EQ(settings.disconnect_notice_delay.count(), 8);
  EXPECT_EQ(settings.limits.admin_messages_per_second_max, 9U);
}

TEST(Settings, patience_with_a_slow_consumer_is_the_operating_systems_too) {
  const auto settings_with = [](const std::string& keys) {
    return accepted(joined(kAcceptor, keys)).sessions.at(0);
  };
  const SessionSettings plain = settings_with("");
  EXPECT_EQ(plain.limits.slow_consumer_timeout.count(), 60);
  EXPECT_EQ(plain.accept->options.user_timeout.count(), 60);
  const SessionSettings patient = settings_with("SlowConsumerTimeout=90\n");
  EXPECT_EQ(patient.limits.slow_consumer_timeout.count(), 90);
  EXPECT_EQ(patient.accept->options.user_timeout.count(), 90);
  EXPECT_EQ(settings_with("SlowConsumerTimeout=5\n").accept->options.user_timeout.count(), 60);
}

TEST(Settings, what_silence_means_reaches_the_session) {
  const session::SessionConfig plain = session_with("").session;
  EXPECT_TRUE(plain.heartbeat.disconnects_on_silence);
  EXPECT_FALSE(plain.heartbeat.says_logout_on_silence || plain.heartbeat.imposes_heart_bt_int);
  const session::SessionConfig config =
      session_with("DisableHeartBeatCheck=Y\nSendLogoutBeforeDisconnectFromTimeout=Y\n").session;
  EXPECT_FALSE(config.heartbeat.disconnects_on_silence);
  EXPECT_TRUE(config.heartbeat.says_logout_on_silence);
}

TEST(Settings, acceptor_may_impose_its_heart_bt_int_and_has_to_name_it_then) {
  const std::string acceptor =
      "[SESSION]\nConnectionType=acceptor\nBeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\n"
      "SocketAcceptPort=0\nFileStorePath=s\nHeartBtIntOverride=Y\n";
  const auto right = config::parse_settings(acceptor + "HeartBtInt=20\n", "x.cfg");
  ASSERT_TRUE(right.has_value()) << right.error().front().what();
  EXPECT_TRUE(right->sessions[0].session.heartbeat.imposes_heart_bt_int);
  EXPECT_EQ(right->sessions[0].session.heartbeat.heart_bt_int.count(), 20);
  const auto without = config::parse_settings(acceptor, "x.cfg");
  ASSERT_FALSE(without.has_value());
  EXPECT_EQ(without.error().front().what(),
            "x.cfg:8: HeartBtIntOverride: HeartBtInt is missing: it is what counts then");
  EXPECT_THAT(errors_of("HeartBtIntOverride=Y"),
              ElementsAre(HasSubstr("HeartBtIntOverride: an initiator proposes its")));
}

TEST(Settings, policies_about_the_counterparty_reach_the_session) {
  const session::SessionConfig plain = session_with("").session;
  EXPECT_TRUE(plain.reset.allows_reset_seq_num_flag && plain.reset.allows_sequence_reset);
  EXPECT_EQ(plain.heartbeat.heart_bt_int_min.count(), 0);
  EXPECT_EQ(plain.heartbeat.heart_bt_int_max.count(), 3'600);
  const session::SessionConfig config = session_with(
                                            "AllowResetSeqNumFlag=N\nAllowSequenceReset=N\n"
                                            "MinHeartBtInt=5\nMaxHeartBtInt=60\n")
                                            .session;
  EXPECT_FALSE(config.reset.allows_reset_seq_num_flag || config.reset.allows_sequence_reset);
  EXPECT_EQ(config.heartbeat.heart_bt_int_min.count(), 5);
  EXPECT_EQ(config.heartbeat.heart_bt_int_max.count(), 60);
  EXPECT_THAT(errors_of("MinHeartBtInt=61\nMaxHeartBtInt=60"),
              ElementsAre(HasSubstr("MinHeartBtInt is above MaxHeartBtInt")));
}

TEST(Settings, a_password_is_not_shown_in_a_mistake) {
  // Event logs are read by many.
  const std::string password(300, 'p');
  EXPECT_THAT(errors_of("Password=" + password), ElementsAre(::testing::Not(HasSubstr("ppp"))));
}

TEST(Settings, a_session_overrides_the_defaults_and_the_next_one_has_them_again) {
  const Settings settings = accepted(
      joined(kInitiator,
             "HeartBtInt=5\n[SESSION]\nBeginString=FIX.4.2\nSenderCompID=A\nTargetCompID=B\n"));
  ASSERT_THAT(settings.sessions, SizeIs(2));
  EXPECT_EQ(settings.sessions[0].session.heartbeat.heart_bt_int.count(), 5);
  EXPECT_EQ(settings.sessions[1].session.heartbeat.heart_bt_int.count(), 30);
  EXPECT_EQ(settings.sessions[1].line, 12U);
}

TEST(Settings, numbered_addresses_are_tried_in_the_order_of_their_numbers) {
  const SessionSettings session = session_with(
      "SocketConnectPort2=7\nSocketConnectHost2=second\nSocketConnectHost1=first\n"
      "SocketConnectPort1=6\n");
  ASSERT_THAT(session.connect, SizeIs(3));
  EXPECT_EQ(session.connect[0].host, "127.0.0.1");
  EXPECT_EQ(session.connect[1].host, "first");
  EXPECT_EQ(session.connect[2].host, "second");
  EXPECT_EQ(session.connect[2].port, 7);
  EXPECT_THAT(errors_of("SocketConnectHost3=third"),
              ElementsAre("t.cfg:11: SocketConnectHost3: SocketConnectPort3 is missing"));
  EXPECT_THAT(errors_of("SocketConnectPort3=3"),
              ElementsAre("t.cfg:11: SocketConnectPort3: SocketConnectHost3 is missing"));
}

TEST(Settings, a_wrong_default_is_reported_once_with_its_own_line_even_if_it_is_overridden) {
  std::string text{kInitiator};
  text.replace(text.find("HeartBtInt=30"), 13, "HeartBtInt=xx");
  text += "HeartBtInt=10\n[SESSION]\nBeginString=FIX.4.2\nSenderCompID=A\nTargetCompID=B\n";
  EXPECT_THAT(errors(text), ElementsAre(HasSubstr("t.cfg:3: HeartBtInt=xx: ")));
}

TEST(Settings, all_mistakes_are_reported_at_once_in_the_order_of_their_lines) {
  EXPECT_THAT(
      errors("[SESSION]\nHeartBtInt=x\nConnectionType=initiator\nResetOnLogon=?\n"),
      ElementsAre("t.cfg:1: [SESSION]: BeginString is missing",
                  "t.cfg:1: [SESSION]: SenderCompID is missing",
                  HasSubstr("t.cfg:1: [SESSION]: SocketConnectHost and"),
                  "t.cfg:1: [SESSION]: TargetCompID is missing", HasSubstr("t.cfg:2: HeartBtInt=x"),
                  HasSubstr("t.cfg:4: ResetOnLogon=?")));
}

TEST(Settings, what_a_session_lacks_is_reported_at_its_section) {
  EXPECT_THAT(
      errors("[SESSION]\nBeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\nStore=memory"),
      ElementsAre("t.cfg:1: [SESSION]: ConnectionType is missing: initiator or acceptor; there is "
                  "neither a SocketAcceptPort nor a SocketConnectHost"));
  std::string text{kInitiator};
  text.erase(text.find("HeartBtInt"), 14);
  EXPECT_THAT(errors(text), ElementsAre(HasSubstr("t.cfg:6: [SESSION]: HeartBtInt is missing")));
  std::string acceptor{kAcceptor};
  acceptor.erase(acceptor.find("SocketAcceptPort"), 22);
  EXPECT_THAT(errors(acceptor),
              ElementsAre(HasSubstr("t.cfg:4: [SESSION]: SocketAcceptPort is missing")));
}

TEST(Settings, two_sessions_of_one_identity_are_an_error) {
  const std::string again =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n";
  EXPECT_THAT(errors_of(again), ElementsAre(HasSubstr("t.cfg:11: [SESSION]: the same")));
  EXPECT_THAT(errors_of(again), ElementsAre(HasSubstr("session in line 7")));
  EXPECT_THAT(accepted(joined(kInitiator, again + "SessionQualifier=2\n")).sessions, SizeIs(2));
}

TEST(Settings, an_acceptor_cannot_have_a_qualifier) {
  EXPECT_THAT(errors(joined(kAcceptor, "SessionQualifier=x")),
              ElementsAre(HasSubstr("t.cfg:9: SessionQualifier: an acceptor cannot")));
}

TEST(Settings, the_two_names_of_the_accept_address_must_agree) {
  EXPECT_THAT(errors(joined(kAcceptor, "SocketAcceptHost=::1\nSocketAcceptAddress=127.0.0.1")),
              ElementsAre(HasSubstr("t.cfg:10: SocketAcceptAddress and SocketAcceptHost")));
}

TEST(Settings, giving_up_before_asking_is_an_error) {
  EXPECT_THAT(errors_of("TestRequestDelayMultiplier=2"),
              ElementsAre(HasSubstr("HeartBeatTimeoutMultiplier must be larger")));
}

TEST(Settings, a_key_of_the_journal_without_effect_is_a_warning) {
  EXPECT_THAT(warnings_of("Store=memory\nJournalDurability=sync\nJournalKeepDays=1"),
              ElementsAre(HasSubstr("JournalDurability: not used with Store=memory"),
                          HasSubstr("JournalKeepDays: not used with Store=memory")));
  EXPECT_THAT(warnings_of("JournalDurability=none\nFileStoreSync=Y"),
              ElementsAre(HasSubstr("FileStoreSync=Y: not used; line")));
  EXPECT_THAT(warnings_of("JournalDurability=sync\nFileStoreSync=Y"), IsEmpty());
  EXPECT_THAT(warnings_of("JournalDurability=none\nFileStoreSync=N"), IsEmpty());
}

TEST(Settings, the_store_is_one_for_all_sessions) {
  const std::string other = "[SESSION]\nBeginString=FIX.4.2\nSenderCompID=A\nTargetCompID=B\n";
  EXPECT_EQ(accepted(joined(kInitiator, "Store=memory")).store, StoreKind::Memory);
  EXPECT_EQ(accepted(joined(kInitiator, "JournalDurability=sync")).durability,
            store::Durability::Sync);
  EXPECT_EQ(accepted(joined(kInitiator, "JournalDurability=none")).durability,
            store::Durability::None);
  const Settings group =
      accepted(joined(kInitiator, "JournalDurability=Group\nJournalStallTimeout=2"));
  EXPECT_EQ(group.durability, store::Durability::Group);
  EXPECT_EQ(group.journal_stall_timeout, std::chrono::seconds{2});
  const store::Retention none = group.journal_retention;
  EXPECT_FALSE(none.is_wanted());
  const store::Retention some = accepted(joined(kInitiator,
                                                "JournalKeepBytes=5000000000\nJournalKeepDays=7\n"
                                                "JournalRetireCurrent=Y\nJournalRetired=keep"))
                                    .journal_retention;
  EXPECT_EQ(some.keep_bytes, 5'000'000'000U);
  EXPECT_EQ(some.keep_for, std::chrono::days{7});
  EXPECT_TRUE(some.even_current);
  EXPECT_EQ(some.retired, store::RetiredSegments::Keep);
  EXPECT_THAT(errors_of("JournalRetired=burn"), ElementsAre(HasSubstr("delete or keep")));
  EXPECT_THAT(texts(accepted(joined(kInitiator, "JournalRetireCurrent=Y")).warnings),
              ElementsAre(HasSubstr("it does nothing")));
  EXPECT_THAT(
      errors_of("Store=memory\n" + other + "Store=journal\n"),
      ElementsAre("t.cfg:16: Store: differs from line 11, but all sessions share one store"));
  const Settings two = accepted(joined(kInitiator, other + "FileStorePath=elsewhere\n"));
  EXPECT_EQ(two.store_folder, "store");
  EXPECT_THAT(texts(two.warnings), ElementsAre("t.cfg:15: FileStorePath: not used; one journal "
                                               "holds all sessions, in store"));
}

TEST(Settings, a_journal_without_a_folder_is_kept_beside_the_program_with_a_warning) {
  std::string text{kInitiator};
  text.erase(text.find("FileStorePath"), 20);
  const Settings settings = accepted(text);
  EXPECT_EQ(settings.store, StoreKind::Journal);
  EXPECT_EQ(settings.store_folder, "store");
  EXPECT_EQ(settings.store_folder_line, 6U);
  EXPECT_THAT(texts(settings.warnings),
              ElementsAre(HasSubstr("t.cfg:6: [SESSION]: FileStorePath is missing: the journal is "
                                    "kept in the folder store of the working directory")));
  EXPECT_THAT(texts(accepted(text + "JdbcURL=jdbc:x").warnings),
              Contains(HasSubstr("FileStorePath is missing: the journal is kept")));
  const Settings memory = accepted(text + "Store=memory");
  EXPECT_EQ(memory.store_folder, "");
  EXPECT_THAT(memory.warnings, IsEmpty());
}

// Sequence numbers would begin at 1 in another folder.
TEST(Settings, a_folder_that_was_meant_and_cannot_be_read_is_not_replaced_by_another) {
  std::string text{kInitiator};
  text.replace(text.find("FileStorePath"), 13, "FileStorPath");
  EXPECT_THAT(errors(text), Contains(HasSubstr("[SESSION]: FileStorePath is missing: the folder")));
  text.erase(text.find("FileStorPath"), 19);
  EXPECT_THAT(errors("FileStorePath=a\n" + text),
              ElementsAre(HasSubstr("[SESSION]: FileStorePath is missing: the folder")));
  EXPECT_THAT(errors(text + "[DEFAULT]\nFileStorePath=a\n"),
              ElementsAre(HasSubstr("[SESSION]: FileStorePath is missing: the folder")));
  for (const std::string line :
       {"FileStorePath: /var/fix", "FileStorePath /var/fix", "StoreFolder=a", "JournalPath=a"}) {
    EXPECT_THAT(errors(text + line + "\n"),
                Contains(HasSubstr("[SESSION]: FileStorePath is missing: the folder")))
        << line;
  }
}

// In QuickFIX/Go the program says who connects, and no file has a ConnectionType.
TEST(Settings, a_configuration_of_quickfix_go_starts_and_says_what_was_taken) {
  const std::string session = "[SESSION]\nBeginString=FIX.4.0\n";
  const Settings initiator = accepted(
      "[DEFAULT]\nSocketConnectHost=127.0.0.1\nSocketConnectPort=5001\nHeartBtInt=30\n"
      "SenderCompID=TW\nTargetCompID=ISLD\nResetOnLogon=Y\nFileLogPath=tmp\n" +
      session);
  ASSERT_EQ(initiator.sessions.size(), 1U);
  EXPECT_EQ(initiator.sessions.front().session.role, session::Role::Initiator);
  EXPECT_EQ(initiator.sessions.front().connect.size(), 1U);
  EXPECT_THAT(texts(initiator.warnings),
              ElementsAre("t.cfg:9: [SESSION]: ConnectionType is missing: taken as initiator, "
                          "because of SocketConnectHost in line 2",
                          HasSubstr("t.cfg:9: [SESSION]: FileStorePath is missing")));
  const Settings acceptor = accepted(
      "[DEFAULT]\nSocketAcceptPort=5001\nSenderCompID=ISLD\nTargetCompID=TW\nResetOnLogon=Y\n"
      "FileLogPath=tmp\n" +
      session);
  EXPECT_EQ(acceptor.sessions.front().session.role, session::Role::Acceptor);
  ASSERT_TRUE(acceptor.sessions.front().accept);
  EXPECT_EQ(acceptor.sessions.front().accept->port, 5'001);
  EXPECT_THAT(texts(acceptor.warnings),
              Contains("t.cfg:7: [SESSION]: ConnectionType is missing: taken as acceptor, because "
                       "of SocketAcceptPort in line 2"));
}

TEST(Settings, a_session_with_the_keys_of_both_roles_must_say_which_it_has) {
  std::string text{kInitiator};
  text.erase(text.find("ConnectionType"), 25);
  EXPECT_EQ(accepted(text).sessions.front().session.role, session::Role::Initiator);
  EXPECT_THAT(errors(text + "SocketAcceptPort=5002\n"),
              ElementsAre("t.cfg:6: [SESSION]: ConnectionType is missing: initiator or acceptor; "
                          "there are both a SocketAcceptPort and an address to connect to"));
}

// A venue must not connect, nor a trader listen, because a letter is wrong.
TEST(Settings, a_role_that_was_meant_and_cannot_be_read_is_not_guessed) {
  std::string text{kInitiator};
  text.erase(text.find("ConnectionType"), 25);
  for (const std::string line : {"ConectionType=acceptor", "ConnectionType: acceptor",
                                 "SocketAceptPort=1", "[ACCEPTOR]\nConnectionType=acceptor"}) {
    EXPECT_THAT(errors(text + line + "\n"),
                Contains(HasSubstr("[SESSION]: ConnectionType is missing: initiator or acceptor; "
                                   "what the file says of it is misspelt, or ignored")))
        << line;
  }
}

TEST(Settings, a_database_takes_the_keys_of_quickfix) {
  std::string text{kInitiator};
  text.erase(text.find("FileStorePath"), 20);
  const std::string keys =
      "PostgreSQLStoreHost=db\nPostgreSQLStorePort=5433\nPostgreSQLStoreDatabase=fix\n"
      "PostgreSQLStoreUser=engine\nPostgreSQLStorePassword=pa55word\n"
      "PostgreSQLStoreConnection=sslmode=verify-full\nPostgreSQLStoreSchema=desk\n"
      "PostgreSQLStoreUseConnectionPool=N\nPostgreSQLStoreStandby=strict\n"
      "PostgreSQLStoreKeepPosition=N\nPostgreSQLStoreOutageTimeout=3\n"
      "PostgreSQLStorePeerTimeout=5\n";
  const Settings settings = accepted(text + "Store=postgresql\n" + keys);
  EXPECT_EQ(settings.store, StoreKind::PostgreSQL);
  EXPECT_EQ(settings.postgres.host, "db");
  EXPECT_EQ(settings.postgres.port, "5433");
  EXPECT_EQ(settings.postgres.database, "fix");
  EXPECT_EQ(settings.postgres.user, "engine");
  EXPECT_EQ(settings.postgres.password, "pa55word");
  EXPECT_EQ(settings.postgres.connection, "sslmode=verify-full");
  EXPECT_EQ(settings.postgres.schema, "desk");
  EXPECT_EQ(settings.postgres.standby, store::StandbyPolicy::Strict);
  EXPECT_EQ(settings.postgres.note_folder, "");
  EXPECT_EQ(settings.postgres.outage_max, std::chrono::seconds{3});
  EXPECT_EQ(settings.postgres.peer_timeout, std::chrono::seconds{5});
  EXPECT_THAT(settings.warnings, IsEmpty());
  EXPECT_EQ(accepted(text + "Store=PostgreSQL\nPostgreSQLStorePort=0\n").postgres.port, "");
}

TEST(Settings, a_replica_of_the_journal_is_refused_with_what_takes_its_place) {
  for (const std::string policy : {"strict", "available", "Strict"}) {
    EXPECT_THAT(errors_of("JournalReplica=" + policy),
                ElementsAre(AllOf(HasSubstr("t.cfg:11: JournalReplica was removed: "),
                                  HasSubstr("Store=postgresql takes its place"),
                                  HasSubstr("docs/operations/from-journal-replica.md"),
                                  HasSubstr("does not start without what was asked"))));
  }
  EXPECT_THAT(warnings_of("JournalReplica=None\nJournalReplicaNumbersAhead=5000"),
              ElementsAre(HasSubstr("t.cfg:11: JournalReplica was removed: "),
                          HasSubstr("JournalReplicaNumbersAhead was removed: a journal has no "
                                    "replica")));
}

TEST(Settings, refresh_on_logon_makes_a_standby_where_engines_share_a_store) {
  std::string text{kInitiator};
  const std::string database = text + "Store=postgresql\n";
  EXPECT_EQ(accepted(database).postgres.if_owned, store::IfOwned::Refuse);
  EXPECT_EQ(accepted(database + "RefreshOnLogon=N\n").postgres.if_owned, store::IfOwned::Refuse);
  const Settings standby = accepted(database + "RefreshOnLogon=Y\n");
  EXPECT_EQ(standby.postgres.if_owned, store::IfOwned::Wait);
  EXPECT_THAT(standby.warnings, IsEmpty());
  const Settings given = accepted(database + "RefreshOnLogon=Y\nPostgreSQLStoreIfOwned=refuse\n");
  EXPECT_EQ(given.postgres.if_owned, store::IfOwned::Refuse);
  EXPECT_EQ(accepted(database + "PostgreSQLStoreIfOwned=wait\n").postgres.if_owned,
            store::IfOwned::Wait);
  // One that takes a log over needs all of it, unless the file says otherwise.
  EXPECT_EQ(standby.postgres.standby, store::StandbyPolicy::Strict);
  EXPECT_EQ(given.postgres.standby, store::StandbyPolicy::Available);
  EXPECT_EQ(accepted(database + "PostgreSQLStoreIfOwned=wait\n").postgres.standby,
            store::StandbyPolicy::Strict);
  EXPECT_EQ(accepted(database + "PostgreSQLStoreIfOwned=wait\nPostgreSQLStoreStandby=available\n")
                .postgres.standby,
            store::StandbyPolicy::Available);
  const Settings journal = accepted(text + "RefreshOnLogon=Y\n");
  ASSERT_EQ(journal.warnings.size(), 1U);
  EXPECT_THAT(journal.warnings.front().what(), HasSubstr("RefreshOnLogon is not honoured: "));
}

TEST(Settings, a_database_serves_one_event_loop) {
  std::string text{kInitiator};
  text.erase(text.find("FileStorePath"), 20);
  text += "PostgreSQLStoreKeepPosition=N\nStore=postgresql\nEventLoops=";
  EXPECT_EQ(accepted(text + "1\n").event_loops, 1U);
  const auto line = std::ranges::count(text, '\n') + 1;
  EXPECT_THAT(
      errors(text + "2\n"),
      ElementsAre("t.cfg:" + std::to_string(line) +
                  ": EventLoops above 1 with Store=postgresql: one loop writes one log. Run "
                  "an engine for each loop, with a PostgreSQLStoreSchema of its own"));
}

TEST(Settings, a_database_has_a_folder_for_the_note_of_what_it_confirmed) {
  std::string text{kInitiator};
  text.erase(text.find("FileStorePath"), 20);
  EXPECT_EQ(accepted(text + "Store=postgresql\nFileStorePath=here\n").postgres.note_folder, "here");
  const Settings settings = accepted(text + "Store=postgresql\n");
  EXPECT_EQ(settings.postgres.note_folder, "store");
  ASSERT_EQ(settings.warnings.size(), 1U);
  EXPECT_THAT(settings.warnings[0].what(),
              HasSubstr("FileStorePath is missing: the note of what the database confirmed is kept "
                        "in the folder store of the working directory. "
                        "PostgreSQLStoreKeepPosition=N does without"));
  EXPECT_EQ(accepted(text + "Store=memory\n").postgres.note_folder, "");
}

TEST(Settings, keys_of_a_database_that_is_not_used_are_answered_and_passwords_never_shown) {
  EXPECT_THAT(warnings_of("PostgreSQLStoreHost=db\nPostgreSQLStorePassword=pa55word"),
              ElementsAre("t.cfg:11: PostgreSQLStoreHost: not used without Store=postgresql",
                          "t.cfg:12: PostgreSQLStorePassword: not used without Store=postgresql"));
  EXPECT_THAT(warnings_of("Store=postgresql\nPostgreSQLStoreUseConnectionPool=Y"),
              ElementsAre(HasSubstr("t.cfg:12: PostgreSQLStoreUseConnectionPool is not honoured: "
                                    "the store has one connection to write")));
  for (const std::string key : {"PostgreSQLStorePassword", "PostgreSQLStoreConnection"}) {
    EXPECT_THAT(errors_of(key + "=s3cret" + std::string(5'000, 'x')),
                ElementsAre("t.cfg:11: " + key + "=...: a shorter text was expected"));
  }
}

TEST(Settings, security_asked_for_in_a_section_that_is_ignored_is_refused) {
  EXPECT_THAT(errors_of("[DEFAULT]\nSocketUseSSL=Y"),
              ElementsAre(HasSubstr("t.cfg:12: SocketUse")));
  EXPECT_THAT(errors_of("[OTHER]\nSocketUseSSL=Y"), ElementsAre(HasSubstr("t.cfg:12: SocketUse")));
  EXPECT_THAT(errors(joined("SocketUseSSL=Y\n", kInitiator)),
              ElementsAre(HasSubstr("t.cfg:1: SocketUse")));
}

// A disk with one file.
class OneFile final : public Disk, public File {
 public:
  explicit OneFile(std::string text) : text_{std::move(text)} {}
  DiskResult<std::unique_ptr<File>> open(const std::string& path, OpenMode) override {
    if (path == "there.cfg") return std::make_unique<OneFile>(text_);
    return std::unexpected{DiskError{path, "open", ENOENT}};
  }
  DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) override {
    if (offset >= text_.size()) return 0;
    return text_.copy(bytes.data(), bytes.size(), offset);
  }
  DiskResult<std::uint64_t> size() override { return text_.size(); }
  DiskResult<void> make_directories(const std::string&) override { return {}; }
  DiskResult<std::vector<std::string>> list(const std::string&) override { return {}; }
  DiskResult<void> remove(const std::string&) override { return {}; }
  DiskResult<void> sync_directory(const std::string&) override { return {}; }
  DiskResult<void> write_at(std::uint64_t, std::span<const char>) override { return {}; }
  DiskResult<void> sync() override { return {}; }
  DiskResult<void> truncate(std::uint64_t) override { return {}; }
  DiskResult<bool> try_lock() override { return true; }

 private:
  std::string text_;
};

TEST(Settings, are_loaded_from_a_file_and_a_missing_one_is_named) {
  OneFile disk{std::string{kInitiator}};
  const auto settings = config::load_settings(disk, "there.cfg");
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->file, "there.cfg");
  const auto missing = config::load_settings(disk, "absent.cfg");
  ASSERT_FALSE(missing.has_value());
  ASSERT_THAT(missing.error(), SizeIs(1));
  EXPECT_THAT(
      missing.error()[0].what(),
      HasSubstr("absent.cfg: the configuration cannot be read: open absent.cfg: No such file"));
}

// QuickFIX/J's way to send credentials, and whatever else a venue wants in a Logon.
TEST(Settings, further_fields_of_a_logon_are_taken_in_the_order_of_their_numbers) {
  const SessionSettings session =
      session_with("LogonTag2=9001=x=y\nLogonTag=553=me\nLogonTag1=554=pa55word\n");
  ASSERT_EQ(session.session.logon.fields.size(), 3U);
  EXPECT_EQ(session.session.logon.fields[0].tag, 553U);
  EXPECT_EQ(session.session.logon.fields[0].value, "me");
  EXPECT_EQ(session.session.logon.fields[1].tag, 554U);
  EXPECT_EQ(session.session.logon.fields[2].value, "x=y");
}

TEST(Settings, length_of_a_further_field_of_a_logon_precedes_its_data_and_is_correct) {
  const auto fields_of = [](const std::string& keys) {
    std::string text;
    for (const auto& field : session_with(keys).session.logon.fields) {
      text += std::to_string(field.tag) + "=" + field.value + "|";
    }
    return text;
  };
  EXPECT_EQ(fields_of("LogonTag=95=3\nLogonTag1=96=abc"), "95=3|96=abc|");
  EXPECT_EQ(fields_of("LogonTag=96=abc\nLogonTag1=9001=x\nLogonTag2=95=03"), "95=3|96=abc|9001=x|");
  EXPECT_EQ(fields_of("LogonTag=91=abcd\nLogonTag1=347=UTF-8"), "90=4|91=abcd|347=UTF-8|");
  EXPECT_EQ(fields_of("LogonTag=96=" + std::string(4'096, 'x')).size(), 8U + 4'099U + 1U);
  EXPECT_THAT(errors_of("LogonTag=95=4\nLogonTag1=96=abc"),
              ElementsAre(HasSubstr("LogonTag: field 95 is not the number of bytes of field 96")));
  EXPECT_THAT(errors_of("LogonTag=95=x\nLogonTag1=96=abc"), SizeIs(1));
  EXPECT_THAT(errors_of("LogonTag=95=4"),
              ElementsAre(HasSubstr("field 95 is the length of field 96, which is missing")));
  EXPECT_THAT(errors_of("LogonTag=9001=" + std::string(4'097, 'x')),
              ElementsAre(HasSubstr("of at most 4096 bytes")));
  const std::string large = std::string(4'000, 'x') + "\n";
  EXPECT_THAT(
      errors_of("LogonTag=9001=" + large + "LogonTag1=9002=" + large + "LogonTag2=9003=" + large),
      ElementsAre(HasSubstr("all fields together have more than 8192 bytes")));
  const std::string half(4'096, 'x');
  EXPECT_THAT(warnings_of("LogonTag=9001=" + half + "\nLogonTag1=9002=" + half), IsEmpty());
}

TEST(Settings, a_further_field_of_a_logon_that_the_session_writes_itself_is_an_error) {
  for (const std::string wrong : {"108=30", "49=ME", "553", "553=", "=me", "x=me", "0=me"}) {
    EXPECT_THAT(errors_of("LogonTag=" + wrong), ElementsAre(HasSubstr("LogonTag=...: a field")));
  }
  EXPECT_THAT(errors_of("Username=me\nLogonTag=553=me"),
              ElementsAre("t.cfg:12: LogonTag: field 553 is given twice, here and by another key"));
  EXPECT_THAT(errors_of("LogonTag=9001=a\nLogonTag1=9001=b"), SizeIs(1));
}

TEST(Settings, an_event_loop_is_one_of_those_there_are) {
  const std::string two = joined(kAcceptor, "EventLoops=2\n");
  EXPECT_EQ(accepted(joined(two, "EventLoop=1\n")).sessions.at(0).event_loop, 1U);
  EXPECT_THAT(errors(joined(two, "EventLoop=2\n")),
              ElementsAre(HasSubstr("EventLoop=2, and there are 2 EventLoops, counted from 0")));
}

TEST(Settings, each_event_loop_has_a_cpu) {
  const std::string two = joined(kAcceptor, "EventLoops=2\n");
  EXPECT_THAT(accepted(joined(two, "EventLoopCpu=0 1\n")).threads.cpus, SizeIs(2));
  for (const std::string_view cpus : {"EventLoopCpu=0\n", "EventLoopCpu=0 1 2\n"}) {
    EXPECT_THAT(errors(joined(two, cpus)), ElementsAre(HasSubstr("2 CPUs were expected")));
  }
}

TEST(Settings, usernames_without_a_password_file_are_an_error) {
  EXPECT_THAT(errors(joined(kAcceptor, "AllowedUsernames=anna\n")),
              ElementsAre(HasSubstr("there is no PasswordFile to check them with")));
}

TEST(Settings, tls_in_a_section_that_is_ignored_is_an_error) {
  EXPECT_THAT(errors_of("[OTHER]\nSocketUseSSL=Y"),
              Contains(HasSubstr("SocketUseSSL: asks for TLS in a section that is ignored")));
}

TEST(Settings, a_session_of_any_counterparty_has_no_comp_ids) {
  const Settings settings = accepted(joined(kAcceptor, "DynamicSessions=Y\n"));
  ASSERT_THAT(settings.sessions, SizeIs(2));
  EXPECT_FALSE(settings.sessions[0].is_template);
  EXPECT_TRUE(settings.sessions[1].is_template);
  EXPECT_EQ(settings.sessions[1].session.id.sender_comp_id, "*");
  EXPECT_EQ(settings.sessions[1].session.id.target_comp_id, "*");
}

TEST(Settings, received_messages_are_kept_by_the_journal_and_postgresql) {
  EXPECT_THAT(errors(joined(kAcceptor, "Store=memory\nJournalInbound=Y\n")),
              ElementsAre(HasSubstr("Store=journal or Store=postgresql was expected")));
}

TEST(Settings, the_console_of_http_accept_port_has_no_acts) {
  const Settings settings = accepted(joined(kAcceptor, "HttpAcceptPort=8080\nConsoleActs=Y\n"));
  EXPECT_EQ(settings.web.console_port, 8080);
  EXPECT_FALSE(settings.web.allows_acts);
}

TEST(Settings, a_version_of_tls_can_be_taken_away) {
  const auto tls = session_with("SocketUseSSL=Y\nEnabledProtocols=all -TLSv1.2\n").tls;
  ASSERT_NE(tls, nullptr);
  EXPECT_EQ(tls->settings.version_min, transport::TlsVersion::V1_3);
}

TEST(Settings, warnings_beyond_the_limit_are_counted) {
  std::string text{kInitiator};
  for (int i = 0; i < 103; ++i) text += "Qqqqqqqqqqqq" + std::to_string(i) + "=1\n";
  const Settings settings = accepted(text);
  ASSERT_THAT(settings.warnings, SizeIs(101));
  EXPECT_THAT(settings.warnings.back().what(), HasSubstr("and 3 more of this kind"));
}

TEST(Settings, metrics_and_console_have_two_ports) {
  EXPECT_THAT(errors(joined(kAcceptor, "MetricsPort=9000\nConsolePort=9000\n")),
              Contains(HasSubstr("two different ones were expected")));
}

TEST(Settings, a_console_for_other_machines_needs_a_certificate) {
  EXPECT_THAT(errors(joined(kAcceptor, "ConsolePort=9000\nConsoleHost=0.0.0.0\n")),
              Contains(HasSubstr("needs ConsoleCertificateFile")));
}

TEST(Settings, a_test_request_comes_before_the_timeout) {
  EXPECT_THAT(errors_of("TestRequestDelayMultiplier=1.5\nHeartBeatTimeoutMultiplier=1.5"),
              ElementsAre(HasSubstr("HeartBeatTimeoutMultiplier must be larger")));
}

}  // namespace
}  // namespace nexusfix::config
