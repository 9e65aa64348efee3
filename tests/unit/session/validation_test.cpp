// A session that validates messages with a dictionary. Test case numbers are those of "FIX Session
// Layer Test Cases"; the expected answers are those of the QuickFIX acceptance scripts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using dictionary::Validator;
using dictionary::Version;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

SessionConfig validating(std::string_view begin_string = "FIX.4.2",
                         const dictionary::ValidationRules& rules = {}) {
  SessionConfig config = acceptor_config(begin_string);
  if (begin_string == "FIXT.1.1") {
    config.validation.validator =
        Validator::make(
            dictionary::FixtDictionaries{dictionary::builtin_dictionary(Version::Fixt11),
                                         dictionary::builtin_dictionary(Version::Fix50Sp2)},
            rules)
            .value();
  } else {
    const Version version = dictionary::version_of_begin_string(begin_string).value();
    config.validation.validator =
        Validator::make(dictionary::builtin_dictionary(version), rules).value();
  }
  return config;
}

// The answer to one message in an established session.
std::vector<std::string> answer_to(std::string_view fields, const SessionConfig& config) {
  Side acceptor{config};
  acceptor.establish();
  acceptor.in(fields);
  EXPECT_EQ(acceptor.next_in(), 3U) << fields;
  return acceptor.sent();
}

struct Script {
  std::string_view fields;
  std::string_view answer;
};

// The third message with these tags is only compared: the validator knows the sequence.
TEST(Validation, poss_dup_and_poss_resend_after_known_headers_are_passed_to_the_application) {
  for (const std::string_view flag : {"", "97=Y|", "43=Y|122=20240115-10:30:00.000|"}) {
    SessionConfig config = validating("FIX.4.4");
    config.validation.memory = std::make_shared<dictionary::ValidationMemory>();
    Side acceptor{config};
    acceptor.establish();
    for (unsigned number = 2; number < 10; ++number) {
      const std::string_view of_this = number < 5 ? std::string_view{} : flag;
      acceptor.in("35=D|34=" + std::to_string(number) +
                  "|49=TRADER|52=20240115-10:30:00.000|56=VENUE|" + std::string{of_this} +
                  "11=ID|55=INTC|54=1|60=20240115-10:30:00.000|40=1|38=5");
      ASSERT_EQ(acceptor.delivered.size(), number - 1) << flag;
      EXPECT_EQ(acceptor.delivered.back().poss_dup, of_this.starts_with("43")) << number;
      EXPECT_EQ(acceptor.delivered.back().poss_resend, of_this.starts_with("97")) << number;
    }
  }
}

constexpr std::string_view kOrder = "35=D|34=2|11=ID|21=1|40=1|54=1|55=INTC|60=20240115-10:30:00|";

TEST(Validation, rejects_are_as_in_the_acceptance_scripts) {
  const Script scripts[] = {
      // TC 14a to 14i, 2q.
      {"35=0|34=2|999=HI", "35=3|34=2|45=2|58=Invalid tag number|371=999|372=0|373=0"},
      {"35=0|34=2|0=HI", "35=3|34=2|45=2|58=Invalid tag number|371=0|372=0|373=0"},
      {"35=0|34=2|-1=HI", "35=3|34=2|45=2|58=Invalid tag number|371=-1|372=0|373=0"},
      {"35=0|34=2|2147483647=HI",
       "35=3|34=2|45=2|58=Invalid tag number|371=2147483647|372=0|373=0"},
      {"35=0|34=2|abc=HI", "35=3|34=2|45=2|58=Invalid tag number (abc)|372=0|373=0"},
      {"35=0|34=2|noequals",
       "35=3|34=2|45=2|58=Tag specified without a value (noequals)|372=0|373=4"},
      {"35=0|34=2|5000=HI", "35=3|34=2|45=2|58=Invalid tag number|371=5000|372=0|373=0"},
      {"35=D|34=2|40=1|60=20240115-10:30:00|54=1|21=3|11=id",
       "35=3|34=2|45=2|58=Required tag missing|371=55|372=D|373=1"},
      {"35=0|34=2|55=MSFT",
       "35=3|34=2|45=2|58=Tag not defined for this message type|371=55|372=0|373=2"},
      {"35=0|34=2|112=", "35=3|34=2|45=2|58=Tag specified without a value|371=112|372=0|373=4"},
      {"35=D|34=2|11=ID|21=4|40=1|54=1|55=INTC|60=20240115-10:30:00",
       "35=3|34=2|45=2|58=Value is incorrect (out of range) for this tag|371=21|372=D|373=5"},
      {"35=D|34=2|11=ID|21=1|40=1|54=1|38=+200.00|55=INTC|60=20240115-10:30:00",
       "35=3|34=2|45=2|58=Incorrect data format for value|371=38|372=D|373=6"},
      {"35=D|55=MSFT|34=2|11=id|21=3|40=1|54=1|60=20240115-10:30:00",
       "35=3|34=2|45=2|58=Tag specified out of required order|371=34|372=D"},
      {"35=D|34=2|11=ID|21=1|40=1|40=2|54=1|55=INTC|60=20240115-10:30:00",
       "35=3|34=2|45=2|58=Tag appears more than once|371=40|372=D"},
      {"35=D|34=2|11=ID|21=1|40=1|54=1|55=INTC|386=3|336=PRE-OPEN|336=AFTER-HOURS|"
       "60=20240115-10:30:00",
       "35=3|34=2|45=2|58=Incorrect NumInGroup count for repeating group|371=386|372=D"},
      {"35=*|34=2", "35=3|34=2|45=2|58=Invalid MsgType|372=*|373=11"},
  };
  for (const Script& script : scripts) {
    EXPECT_THAT(answer_to(script.fields, validating()), ElementsAre(script.answer))
        << script.fields;
  }
}

TEST(Validation, sequence_number_of_zero_is_out_of_range_in_every_version) {
  // FIX 4.4 volume 1, "FIX Datatypes": a SeqNum is positive. FIX 4.2 has an int in its place.
  for (const char* version : {"FIX.4.2", "FIX.4.4"}) {
    EXPECT_THAT(answer_to("35=2|34=2|7=0|16=0", validating(version)),
                ElementsAre("35=3|34=2|45=2|58=Value is incorrect (out of range) for this tag|"
                            "371=7|372=2|373=5"));
    EXPECT_THAT(answer_to("35=4|34=2|36=0|123=Y", validating(version)),
                ElementsAre("35=3|34=2|45=2|58=Value is incorrect (out of range) for this tag|"
                            "371=36|372=4|373=5"));
  }
}

TEST(Validation, fix_40_names_the_tag_in_the_text) {
  // TC 14c; FIX 4.0, Reject: RefSeqNum and Text only.
  EXPECT_THAT(answer_to("35=0|34=2|55=MSFT", validating("FIX.4.0")),
              ElementsAre("35=3|34=2|45=2|58=Tag not defined for this message type (55)"));
  EXPECT_THAT(answer_to("35=0|34=2|abc=MSFT", validating("FIX.4.0")),
              ElementsAre("35=3|34=2|45=2|58=Invalid tag number (abc)"));
}

TEST(Validation, fixt_messages_have_two_dictionaries) {
  // TC 14a, 14b; FIXT 1.1: a dictionary of the transport and one of the application.
  EXPECT_THAT(answer_to("35=0|34=2|999=HI", validating("FIXT.1.1")),
              ElementsAre("35=3|34=2|45=2|58=Invalid tag number|371=999|372=0|373=0"));
  EXPECT_THAT(answer_to("35=D|34=2|40=1|60=20240115-10:30:00|11=id|21=3", validating("FIXT.1.1")),
              ElementsAre("35=3|34=2|45=2|58=Required tag missing|371=54|372=D|373=1"));
}

TEST(Validation, unknown_appl_ver_id_is_rejected_even_without_a_dictionary) {
  // FIXT 1.1, SessionRejectReason 18.
  constexpr std::string_view kText =
      "35=3|34=2|45=2|58=Invalid/Unsupported Application Version|371=1128|372=D|373=18";
  EXPECT_THAT(answer_to("35=D|34=2|1128=1", acceptor_config("FIXT.1.1")), ElementsAre(kText));
  EXPECT_THAT(answer_to("35=D|34=2|1128=100", acceptor_config("FIXT.1.1")), ElementsAre(kText));
  EXPECT_THAT(answer_to("35=D|34=2|1128=9", acceptor_config("FIXT.1.1")), IsEmpty());
  EXPECT_THAT(answer_to("35=D|34=2|1128=1", acceptor_config("FIX.4.4")), IsEmpty());
}

TEST(Validation, version_without_a_dictionary_is_rejected) {
  // FIXT 1.1: a message that no dictionary can validate is not delivered.
  SessionConfig config = validating("FIXT.1.1");
  config.validation.application_validators.push_back({'9', *config.validation.validator});
  EXPECT_THAT(answer_to("35=D|34=2|1128=7", config),
              ElementsAre(::testing::EndsWith("371=1128|372=D|373=18")));
  Side acceptor{config};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30|1137=7");
  EXPECT_FALSE(acceptor.is_connected());
  EXPECT_THAT(acceptor.notice_texts, ::testing::Contains("DefaultApplVerID is not supported (7)"));
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=1|58=DefaultApplVerID is not supported (7)"));
}

TEST(Validation, each_version_has_its_dictionary_after_many_messages_of_the_default_one) {
  // FIXT 1.1, ApplVerID: it overrides the DefaultApplVerID of the Logon for one message.
  SessionConfig config = validating("FIXT.1.1");
  config.validation.memory = std::make_shared<dictionary::ValidationMemory>();
  config.validation.application_validators.push_back({'9', *config.validation.validator});
  auto older =
      Validator::make(dictionary::FixtDictionaries{dictionary::builtin_dictionary(Version::Fixt11),
                                                   dictionary::builtin_dictionary(Version::Fix44)},
                      dictionary::ValidationRules{});
  config.validation.application_validators.push_back({'6', *std::move(older)});
  Side acceptor{config};
  acceptor.establish();
  // DisplayQty is a field of FIX 5.0 and later.
  const std::string order = "|11=id|55=X|54=1|60=20240115-10:30:00|38=1|40=1|1138=1";
  for (const char* number : {"2", "3", "4", "5"}) {
    acceptor.in("35=D|34=" + std::string{number} + order);
  }
  acceptor.in("35=D|34=6|1128=9" + order);
  EXPECT_EQ(acceptor.delivered.size(), 5U);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  acceptor.in("35=D|34=7|1128=6" + order);
  EXPECT_THAT(acceptor.sent(), ElementsAre(::testing::HasSubstr("371=1138|372=D")));
  acceptor.in("35=D|34=8" + order);
  acceptor.in("35=D|34=9|11=id|55=X|60=20240115-10:30:00|38=1|40=1|1138=1");
  EXPECT_THAT(acceptor.sent(), ElementsAre(::testing::HasSubstr("Required tag missing|371=54")));
  EXPECT_EQ(acceptor.delivered.size(), 6U);

  Side of_older{config};
  of_older.connect();
  of_older.in("35=A|34=1|98=0|108=30|1137=6");
  static_cast<void>(of_older.sent());
  const std::string older_order = "|11=id|55=X|54=1|60=20240115-10:30:00|38=1|40=1";
  for (const char* number : {"2", "3", "4", "5"}) {
    of_older.in("35=D|34=" + std::string{number} + older_order);
  }
  EXPECT_EQ(of_older.delivered.size(), 4U);
  of_older.in("35=D|34=6" + order);
  EXPECT_THAT(of_older.sent(), ElementsAre(::testing::HasSubstr("371=1138|372=D")));
  EXPECT_EQ(of_older.machine().application_versions().own.name, "FIX.5.0SP2");
  EXPECT_EQ(of_older.machine().application_versions().counterparty.name, "FIX.4.4");
  // A reload keeps what both sides have agreed on.
  of_older.machine().configure(config);
  EXPECT_EQ(of_older.machine().application_versions().counterparty.name, "FIX.4.4");
  of_older.disconnect();
  config.fixt.default_appl_ver_id = "7";
  of_older.machine().configure(config);
  EXPECT_EQ(of_older.machine().application_versions().own.name, "FIX.5.0");
  EXPECT_EQ(of_older.machine().application_versions().counterparty.name, "FIX.5.0");
}

TEST(Validation, fix_latest_is_read_as_the_newest_version) {
  // ApplVerID 10 is FIX Latest: FIX 5.0 SP2 with extension packs. 11 may come.
  SessionConfig config = validating("FIXT.1.1");
  config.validation.application_validators.push_back({'9', *config.validation.validator});
  for (const char* version : {"10", "11", "99"}) {
    Side acceptor{config};
    acceptor.connect();
    acceptor.in("35=A|34=1|98=0|108=30|1137=" + std::string{version});
    EXPECT_EQ(acceptor.state(), State::LoggedOn) << version;
    EXPECT_EQ(acceptor.machine().counterparty_appl_ver_id(), "9") << version;
    EXPECT_EQ(acceptor.machine().application_versions().counterparty.name, "FIX.5.0SP2") << version;
    static_cast<void>(acceptor.sent());
    const std::string order = "|11=id|54=1|40=1|60=20240115-10:30:00|55=X|38=1";
    acceptor.in("35=D|34=2|1128=" + std::string{version} + order);
    acceptor.in("35=D|34=3" + order);
    acceptor.in("35=D|34=4|11=id|54=1");
    EXPECT_EQ(acceptor.delivered.size(), 2U) << version;
    EXPECT_THAT(acceptor.sent(), ElementsAre(::testing::HasSubstr("Required tag missing|371=")));
  }
  for (const char* version : {"0", "1", "100", "X"}) {
    Side acceptor{config};
    acceptor.connect();
    acceptor.in("35=A|34=1|98=0|108=30|1137=" + std::string{version});
    EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=1|58=DefaultApplVerID is not supported (" +
                                             std::string{version} + ")"));
  }
}

TEST(Validation, fields_of_the_session_layer_are_in_a_logon_of_every_version) {
  // A Logon may have all fields that the engine sends or reads, even if the dictionary lacks them.
  for (const char* version : {"FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4", "FIXT.1.1"}) {
    Side acceptor{validating(version)};
    acceptor.connect();
    acceptor.in(
        "35=A|34=1|98=0|108=30|95=2|96=ab|141=N|383=4096|464=N|553=me|554=secret|789=1|925=new|"
        "1400=1|1401=2|1402=xy|1403=2|1404=zz|1407=1|1408=own|1409=0|1137=9");
    EXPECT_EQ(acceptor.state(), State::LoggedOn)
        << version << ": " << ::testing::PrintToString(acceptor.notice_texts);
  }
}

TEST(Validation, valid_messages_reach_the_application) {
  // TC 2a.
  Side acceptor{validating()};
  acceptor.establish();
  acceptor.in(kOrder.substr(0, kOrder.size() - 1));
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.delivered.size(), 1U);
}

TEST(Validation, a_missing_comp_id_is_a_missing_tag_and_not_a_comp_id_problem) {  // TC 14b
  Side acceptor{validating()};
  acceptor.establish();
  acceptor.receive(message_to(acceptor.config(), acceptor.now(), "35=0|34=2", "56"));
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=3|34=2|45=2|58=Required tag missing|371=56|372=0|373=1"));
}

TEST(Validation, an_invalid_logon_is_refused_by_a_logout_that_says_why) {  // TC 1S d
  Side acceptor{validating()};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30|55=MSFT");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=5|34=1|58=Tag not defined for this message type (55)"));
  EXPECT_FALSE(acceptor.is_connected());
  EXPECT_THAT(acceptor.notice_texts,
              ::testing::Contains("Tag not defined for this message type (55)"));
}

TEST(Validation, empty_values_reach_the_session_if_allowed) {  // acceptance: validate
  const auto answer =
      answer_to("35=1|34=2|112=", validating("FIX.4.4", {.validate_fields_have_values = false}));
  EXPECT_THAT(answer, ElementsAre("35=0|34=2|112="));
}

TEST(Validation, invalid_messages_may_be_reported_and_processed) {
  // QuickFIX/J's RejectInvalidMessage=N.
  SessionConfig config = validating();
  config.validation.reject_invalid_message = false;
  Side acceptor{config};
  acceptor.establish();
  acceptor.in("35=D|34=2|11=ID|21=4|55=X|54=1|38=1|40=1|60=20240115-10:30:00");
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.delivered.size(), 1U);
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::MessageInvalid));
  EXPECT_EQ(acceptor.notice_texts.back(), "Value is incorrect (out of range) for this tag (21)");
  // An unreadable message is not processed.
  acceptor.in("35=D|34=3|11=ID|0=x");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=3|34=2|45=3|58=Invalid tag number|371=0|372=D|373=0"));
}

TEST(Validation, two_notices_about_one_message_have_each_its_own_text) {
  // QuickFIX/J's RejectInvalidMessage=N.
  SessionConfig config = validating();
  config.validation.reject_invalid_message = false;
  Side acceptor{config};
  acceptor.establish();
  for (int number = 2; number < 8; ++number) {
    acceptor.notice_texts.clear();
    acceptor.in("35=0|34=" + std::to_string(number) + "|43=X");
    EXPECT_THAT(acceptor.notice_texts,
                ElementsAre("Incorrect data format for value (43)",
                            "Value is incorrect (out of range) for this tag (43)"));
  }
}

TEST(Validation, an_invalid_reset_within_a_session_is_reported_once) {
  // QuickFIX/J's RejectInvalidMessage=N; FIX 4.4, Logon, ResetSeqNumFlag.
  SessionConfig config = validating();
  config.validation.reject_invalid_message = false;
  Side acceptor{config};
  acceptor.establish();
  acceptor.notice_texts.clear();
  acceptor.in("35=A|34=1|98=0|108=30|141=Y|55=MSFT");
  EXPECT_THAT(acceptor.notice_texts, ElementsAre("Tag not defined for this message type (55)"));
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=1|98=0|108=30|141=Y"));
}

TEST(Validation, the_logout_after_an_invalid_reset_names_the_tag) {
  // TC 14c, in a Logon with ResetSeqNumFlag.
  Side acceptor{validating()};
  acceptor.establish();
  acceptor.notice_texts.clear();
  acceptor.in("35=A|34=1|98=0|108=30|141=Y|55=MSFT");
  EXPECT_THAT(acceptor.notice_texts, ElementsAre("Tag not defined for this message type (55)"));
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=5|34=2|58=Tag not defined for this message type (55)"));
  EXPECT_FALSE(acceptor.is_connected());
}

TEST(Validation, an_invalid_message_above_a_gap_is_rejected_when_its_turn_comes) {
  // FIX 4.4 volume 2, "Ordered Message Processing"; TC 14a.
  Side acceptor{validating()};
  acceptor.establish();
  acceptor.in("35=0|34=3|999=HI");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=2"));
  acceptor.in("35=0|34=2");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=3|34=3|45=3|58=Invalid tag number|371=999|372=0|373=0"));
  EXPECT_EQ(acceptor.next_in(), 4U);
}

// What `nexusfix validate` says of a message, the session does with it.
TEST(Validation, session_and_validator_agree_on_picoseconds_and_leading_zeros) {
  const auto with_times = [](const std::string& fraction) {
    const std::string time = "20240115-10:30:00" + fraction;
    return "35=D|34=2|52=" + time + "|11=ID|21=1|40=1|54=1|55=INTC|38=5|60=" + time;
  };
  const std::string reject = "35=8|34=2|37=1|17=1|150=8|39=8|55=A|54=1|151=0|14=0|6=0|";
  const std::vector<std::pair<std::string, bool>> cases{
      {with_times(".1"), true},
      {with_times(".123456789"), true},
      {with_times(".1234567891"), true},
      {with_times(".12345678912"), true},
      {with_times(".123456789123"), true},
      {with_times(".000000000000"), true},
      {with_times(".1234567891234"), false},
      {with_times(".12345678912a"), false},
      {reject + "103=6", true},
      {reject + "103=06", true},
      {reject + "103=0000000006", true},
      {reject + "103=00", true},
      {reject + "103=0x6", false},
      {reject + "103=67", false},
      {reject + "103=067", false},
  };
  for (const std::string_view version : {"FIX.4.2", "FIX.4.3", "FIX.4.4", "FIXT.1.1"}) {
    const SessionConfig config = validating(version);
    const std::string more = version == "FIX.4.2" ? "20=0|" : "";
    for (const auto& [fields, is_valid] : cases) {
      const std::string text =
          fields.starts_with("35=8") ? fields.substr(0, 10) + more + fields.substr(10) : fields;
      Side acceptor{config};
      acceptor.establish();
      const std::string bytes = message_to(config, acceptor.now(), text);
      wire::Parser parser;
      const auto message = parser.parse(bytes);
      ASSERT_TRUE(message) << text;
      EXPECT_EQ(!config.validation.validator->validate(*message), is_valid) << version << text;
      acceptor.receive(bytes);
      EXPECT_EQ(acceptor.delivered.size(), is_valid ? 1U : 0U) << version << ' ' << text;
      EXPECT_EQ(acceptor.sent().empty(), is_valid) << version << ' ' << text;
    }
  }
}

}  // namespace
}  // namespace nexusfix::session::test
