// The dictionary that the configuration of a session names.
#include <fstream>

#include "config/api/explain_settings.hpp"
#include "config/api/preflight.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

class ValidationTest : public AcceptorTest {
 protected:
  ValidationTest() { dictionary.clear(); }

  // The error of a start that fails; empty if it succeeds.
  std::string refusal() {
    auto settings = config::parse_settings(config(), "venue.cfg");
    if (!settings) return settings.error().front().what();
    auto opened = Engine::open(std::move(*settings), venue, options());
    return opened ? "" : std::string{opened.error().what()};
  }
  std::string file(std::string_view text) {
    const std::string path = folder.path() + "/own.xml";
    std::ofstream{path} << text;
    return path;
  }
  // The answer to an order with a field that FIX 4.4 does not have.
  std::string answer_to_unknown_field(std::string_view who = "TRADER") {
    RawPeer& peer = log_on(who);
    peer.send(order(who, 2, "A1|60=" + time_text() + "|9001=x"));
    EXPECT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
    return peer.messages().size() < 2 ? "" : bar(peer.messages()[1]);
  }
};

constexpr std::string_view kOwnDictionary = R"(<fix type="FIX" major="4" minor="4">
<header><field name="BeginString" required="Y"/><field name="MsgSeqNum" required="Y"/>
  <field name="SenderCompID" required="Y"/><field name="TargetCompID" required="Y"/>
  <field name="SendingTime" required="Y"/></header>
<trailer/>
<messages>
  <message name="Logon" msgtype="A" msgcat="admin">
    <field name="EncryptMethod" required="Y"/><field name="HeartBtInt" required="Y"/></message>
  <message name="Own" msgtype="D" msgcat="app"><field name="ClOrdID" required="Y"/>
    <field name="OwnField" required="Y"/>
    <field name="OwnDataLength" required="N"/><field name="OwnData" required="N"/></message>
</messages>
<fields>
  <field number="8" name="BeginString" type="STRING"/>
  <field number="11" name="ClOrdID" type="STRING"/>
  <field number="34" name="MsgSeqNum" type="INT"/>
  <field number="49" name="SenderCompID" type="STRING"/>
  <field number="56" name="TargetCompID" type="STRING"/>
  <field number="52" name="SendingTime" type="UTCTIMESTAMP"/>
  <field number="98" name="EncryptMethod" type="INT"/>
  <field number="108" name="HeartBtInt" type="INT"/>
  <field number="9001" name="OwnField" type="INT"/>
  <field number="9100" name="OwnDataLength" type="LENGTH"/>
  <field number="9101" name="OwnData" type="DATA"/>
</fields></fix>)";

TEST_F(ValidationTest, messages_are_validated_by_the_built_in_dictionary_by_default) {
  open();
  EXPECT_NE(answer_to_unknown_field().find("|58=Invalid tag number|371=9001|372=D|373=0|"),
            std::string::npos);
  EXPECT_TRUE(log.has("Invalid tag number (9001)")) << log.all();
}

TEST_F(ValidationTest, data_fields_of_an_own_dictionary_may_have_any_bytes) {
  // SOH, what looks like a field, and what looks like the end of this message and another one.
  dictionary = "UseDataDictionary=Y\nDataDictionary=" + file(kOwnDictionary);
  open();
  RawPeer& peer = log_on("TRADER");
  std::vector<std::string> received;
  venue.before_answer = [&](Session&, const MessageView& message) {
    received.push_back(bar(message[9101].value_or("none")));
  };
  const std::vector<std::string> sent{"a|b", "|", "|||", "9001=x|11=B|", "|10=000|8=FIX.4.4|9=5|"};
  for (std::size_t i = 0; i < sent.size(); ++i) {
    peer.send(
        from("TRADER", "D", 2 + i,
             "11=A|9001=1|9100=" + std::to_string(sent[i].size()) + "|9101=" + sent[i] + "|"));
  }
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1 + sent.size(); })) << log.all();
  EXPECT_EQ(received, sent);
  for (std::size_t i = 1; i <= sent.size(); ++i) {
    EXPECT_TRUE(contains(peer.messages()[i], "|35=8|")) << bar(peer.messages()[i]);
  }
}

TEST_F(ValidationTest, on_sending_is_shown_data_fields_of_an_own_dictionary) {
  struct Seeing : EchoVenue {
    std::vector<std::string> seen;
    SendDecision on_sending(Session&, OutgoingMessage& outgoing) {
      seen.push_back(bar(outgoing.view()[9101].value_or("none")));
      return SendDecision::Send;
    }
  } seeing;
  dictionary = "UseDataDictionary=Y\nDataDictionary=" + file(kOwnDictionary);
  under_test().open(acceptor, seeing);
  Session& session = acceptor->session(0);
  const std::vector<std::string> sent{"a\001b", "\001\001", "\00110=000\0018=FIX.4.4\001"};
  for (const std::string& value : sent) {
    wire::Encoder own = session.begin("D");
    own.field(11, "A").field(9001, '1').data(9100, 9101, value);
    ASSERT_TRUE(session.finish(own).has_value());
  }
  EXPECT_EQ(seeing.seen, (std::vector<std::string>{"a|b", "||", "|10=000|8=FIX.4.4|"}));
  acceptor.reset();
}

TEST_F(ValidationTest, rules_of_the_configuration_are_followed) {
  extra = "ValidateUserDefinedFields=N";
  open();
  EXPECT_NE(answer_to_unknown_field().find("|35=8|"), std::string::npos);
}

TEST_F(ValidationTest, sessions_with_one_dictionary_have_their_own_rules) {
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n"
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=LENIENT\n"
      "ValidateUserDefinedFields=N\n"
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=STRICT\n";
  open();
  EXPECT_TRUE(answer_to_unknown_field("TRADER").contains("|371=9001|"));
  EXPECT_TRUE(answer_to_unknown_field("LENIENT").contains("|35=8|"));
  EXPECT_TRUE(answer_to_unknown_field("STRICT").contains("|371=9001|"));
}

TEST_F(ValidationTest, without_a_dictionary_messages_are_not_validated) {
  for (const char* key : {"UseDataDictionary=N", "ValidateIncomingMessage=N"}) {
    extra = key;
    reopen();
    extra = "";
    RawPeer& peer = log_on("TRADER", 1 + (key[0] == 'V' ? 2U : 0U));
    peer.send(order("TRADER", key[0] == 'V' ? 4 : 2, "A1|9001=x"));
    EXPECT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
    EXPECT_TRUE(contains(peer.messages().back(), "|35=8|")) << bar(peer.messages().back());
  }
}

TEST_F(ValidationTest, custom_dictionary_is_used) {
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n"
      "DataDictionary=" +
      file(kOwnDictionary) + "\n";
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(from("TRADER", "D", 2, "11=A|9001=7|") + from("TRADER", "D", 3, "11=B|9001=x|") +
            from("TRADER", "8", 4));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 4; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|35=8|"));
  EXPECT_TRUE(contains(peer.messages()[2], "|371=9001|372=D|373=6|"));
  EXPECT_TRUE(contains(peer.messages()[3], "|372=8|373=11|"));
}

// FIXT sessions: one AppDataDictionary for each version, and the built-in dictionaries for the
// others.
class FixtValidationTest : public ValidationTest {
 protected:
  FixtValidationTest() {
    sessions =
        "[SESSION]\nBeginString=FIXT.1.1\nSenderCompID=VENUE\nTargetCompID=FIXT\n"
        "DefaultApplVerID=FIX.5.0SP2\n";
  }
  RawPeer& log_on_fixt(std::string_view version) {
    RawPeer& peer = connect();
    peer.send(logon("FIXT", 1, "1137=" + std::string{version} + "|"));
    EXPECT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
    return peer;
  }
  // A complete order with a field that FIX 5.0 SP2 added (1629, ExposureDuration).
  [[nodiscard]] std::string order_of(std::uint64_t number, std::string_view more = {}) {
    return from("FIXT", "D", number,
                std::string{more} + "11=A|55=IBM|54=1|38=1|40=1|60=" + time_text() + "|1629=5|");
  }
  std::string answer_to(RawPeer& peer, const std::string& message) {
    const std::size_t before = peer.messages().size();
    peer.send(message);
    EXPECT_TRUE(run_until([&] { return peer.messages().size() == before + 1; })) << log.all();
    return bar(peer.messages().back());
  }
  static constexpr std::string_view kFix44Session =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n";
  void expect_validators_of_their_own() {
    const std::string body = "1128=6|11=A|21=1|55=IBM|54=1|38=1|40=1|60=" + time_text() + "|";
    EXPECT_TRUE(answer_to(log_on_fixt("9"), from("FIXT", "D", 2, body)).contains("|35=8|"));
    RawPeer& peer = log_on("TRADER");
    ASSERT_TRUE(contains(peer.messages()[0], "|35=A|")) << bar(peer.messages()[0]);
    EXPECT_TRUE(
        answer_to(peer, from("TRADER", "D", 2, body)).contains("|58=Invalid tag number|371=1128|"));
  }
};

TEST_F(FixtValidationTest, version_of_a_message_comes_from_itself_or_the_logon) {
  // FIXT 1.1: ApplVerID (1128) overrides the DefaultApplVerID (1137) of its sender's Logon.
  open();
  RawPeer& peer = log_on_fixt("9");
  EXPECT_TRUE(contains(peer.messages()[0], "|98=0|108=30|1137=9|"));
  EXPECT_TRUE(answer_to(peer, order_of(2)).contains("|35=8|"));
  EXPECT_TRUE(answer_to(peer, order_of(3, "1128=7|")).contains("|58=Invalid tag number|371=1629|"));
  EXPECT_TRUE(answer_to(peer, order_of(4, "1128=9|")).contains("|35=8|"));
  EXPECT_TRUE(answer_to(peer, order_of(5, "1128=1|"))
                  .contains("|58=Invalid/Unsupported Application Version|371=1128|372=D|373=18|"));
}

TEST_F(FixtValidationTest, default_version_of_the_counterparty_applies_to_its_messages) {
  open();
  RawPeer& peer = log_on_fixt("7");
  EXPECT_TRUE(contains(peer.messages()[0], "|1137=9|"));
  EXPECT_TRUE(answer_to(peer, order_of(2)).contains("|371=1629|"));
  EXPECT_TRUE(answer_to(peer, order_of(3, "1128=9|")).contains("|35=8|"));
}

TEST_F(FixtValidationTest, custom_dictionaries_apply_to_their_versions) {
  std::string own{kOwnDictionary};
  own.replace(own.find("major=\"4\" minor=\"4\""), 19, "major=\"5\" minor=\"0\"");
  sessions += "AppDataDictionary.FIX.5.0=" + file(own) + "\n";
  open();
  RawPeer& peer = log_on_fixt("9");
  EXPECT_TRUE(answer_to(peer, order_of(2)).contains("|35=8|"));
  EXPECT_TRUE(answer_to(peer, from("FIXT", "D", 3, "1128=7|11=A|9001=5|")).contains("|35=8|"));
  EXPECT_TRUE(answer_to(peer, from("FIXT", "D", 4, "1128=7|11=A|")).contains("|371=9001|"));
}

// FIX 4.4 has its own session layer, and is also an application version of FIXT 1.1. ApplVerID is a
// field of only one of the two headers, and DefaultApplVerID is required in only one of the two
// Logons.
TEST_F(FixtValidationTest, session_of_fix_44_before_it_has_its_own_validator) {
  sessions = std::string{kFix44Session} + sessions;
  open();
  expect_validators_of_their_own();
}

TEST_F(FixtValidationTest, session_of_fix_44_after_it_has_its_own_validator) {
  sessions += kFix44Session;
  open();
  expect_validators_of_their_own();
}

constexpr std::string_view kNote = " is a dictionary of FIX.4.4, and the session speaks ";

TEST_F(FixtValidationTest, application_dictionary_may_name_another_version) {
  const std::string path = file(kOwnDictionary);
  sessions += "AppDataDictionary=" + path + "\n";
  open();
  EXPECT_TRUE(log.has(observe::Severity::Info, "venue.cfg:14: AppDataDictionary: " + path +
                                                   std::string{kNote} +
                                                   "FIX.5.0SP2: used nevertheless"))
      << log.all();
  RawPeer& peer = log_on_fixt("9");
  EXPECT_TRUE(answer_to(peer, from("FIXT", "D", 2, "11=A|9001=5|")).contains("|35=8|"));
  EXPECT_TRUE(answer_to(peer, from("FIXT", "D", 3, "11=A|")).contains("|371=9001|"));
}

// Root version 5.0 without a service pack, as in QuickFIX/J's own file of 5.0 SP1.
TEST_F(FixtValidationTest, dictionary_of_a_service_pack_need_not_name_it) {
  std::string own{kOwnDictionary};
  own.replace(own.find("major=\"4\" minor=\"4\""), 19, "major=\"5\" minor=\"0\"");
  sessions += "AppDataDictionary.FIX.5.0SP1=" + file(own) + "\n";
  open();
  EXPECT_TRUE(log.has("is a dictionary of FIX.5.0, and the session speaks FIX.5.0SP1: used"));
  RawPeer& peer = log_on_fixt("9");
  EXPECT_TRUE(answer_to(peer, from("FIXT", "D", 2, "1128=8|11=A|9001=5|")).contains("|35=8|"));
}

TEST_F(FixtValidationTest, one_file_may_be_the_transport_and_the_application) {
  const std::string path = file(kOwnDictionary);
  sessions += "TransportDataDictionary=" + path + "\nAppDataDictionary=" + path + "\n";
  std::string own{kOwnDictionary};  // the Logon of FIXT 1.1 has 1137
  own.replace(own.find("<field name=\"HeartBtInt\" required=\"Y\"/>"), 0,
              "<field name=\"DefaultApplVerID\" required=\"Y\"/>");
  own.replace(own.find("<field number=\"9001\""), 0,
              "<field number=\"1137\" name=\"DefaultApplVerID\" type=\"STRING\"/>"
              "<field number=\"1128\" name=\"ApplVerID\" type=\"STRING\"/>");
  own.replace(own.find("<field name=\"SendingTime\" required=\"Y\"/>"), 0,
              "<field name=\"ApplVerID\" required=\"N\"/>");
  file(own);
  open();
  EXPECT_TRUE(log.has(kNote.substr(0, kNote.size() - 1))) << log.all();
  RawPeer& peer = log_on_fixt("9");
  EXPECT_TRUE(answer_to(peer, from("FIXT", "D", 2, "11=A|9001=5|")).contains("|35=8|"));
  EXPECT_TRUE(answer_to(peer, from("FIXT", "D", 3, "11=A|")).contains("|371=9001|"));
  // Its rules for an order do not apply to orders of another version.
  EXPECT_TRUE(answer_to(peer, from("FIXT", "D", 4,
                                   "1128=7|11=A|55=IBM|54=1|38=1|40=1|60=" + time_text() + "|"))
                  .contains("|35=8|"));
}

// Some venues publish a file with session messages and without a header, and mean FIXT's header.
TEST_F(FixtValidationTest, transport_dictionary_without_a_header_uses_the_standard_one) {
  std::string own{kOwnDictionary};
  own.replace(own.find("<header>"), own.find("<trailer/>") - own.find("<header>"), "<header/>");
  own.replace(own.find("<field name=\"HeartBtInt\" required=\"Y\"/>"), 0,
              "<field name=\"DefaultApplVerID\" required=\"Y\"/><field name=\"OwnField\" "
              "required=\"N\"/>");
  own.replace(own.find("<field number=\"9001\""), 0,
              "<field number=\"1137\" name=\"DefaultApplVerID\" type=\"STRING\"/>");
  const std::string path = file(own);
  sessions += "TransportDataDictionary=" + path + "\nAppDataDictionary=" + path + "\n";
  open();
  EXPECT_TRUE(log.has(observe::Severity::Info,
                      path + " has no header: that of the built-in dictionary of FIXT.1.1 is used"))
      << log.all();
  RawPeer& peer = connect();
  peer.send(logon("FIXT", 1, "1137=9|9001=7|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
  EXPECT_TRUE(answer_to(peer, from("FIXT", "D", 2, "50=desk|11=A|9001=5|")).contains("|35=8|"));
  EXPECT_TRUE(answer_to(peer, from("FIXT", "D", 3, "43=x|11=A|9001=5|")).contains("|371=43|"));
}

// A venue's file often has its own messages only.
TEST_F(ValidationTest, dictionary_without_session_messages_has_those_of_the_standard) {
  std::string own{kOwnDictionary};
  const std::size_t begin = own.find("<message name=\"Logon\"");
  own.erase(begin, own.find("</message>", begin) + 10 - begin);
  const std::string path = file(own);
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\nDataDictionary=" +
      path + "\n";
  open();
  const std::string said = path + " has no Heartbeat (0), ";
  EXPECT_TRUE(log.has(observe::Severity::Info, said)) << log.all();
  const std::string all = log.all();
  EXPECT_EQ(all.find(said), all.rfind(said)) << all;
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 1));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[0], "|35=A|")) << bar(peer.messages()[0]);
  peer.send(from("TRADER", "1", 2, "112=HELLO|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|35=0|")) << bar(peer.messages()[1]);
}

TEST_F(FixtValidationTest, dictionary_used_for_the_wrong_key_refuses_the_start) {
  const std::string plain = sessions;
  std::string own{kOwnDictionary};
  own.replace(own.find("msgtype=\"A\""), 11, "msgtype=\"V\"");
  std::string path = file(own);
  sessions = plain + "TransportDataDictionary=" + path + "\n";
  EXPECT_EQ(refusal(), "venue.cfg:14: TransportDataDictionary: " + path + std::string{kNote} +
                           "FIXT.1.1: the file has no Logon (A)");
  own = kOwnDictionary;
  own.replace(own.find("msgcat=\"app\""), 12, "msgcat=\"admin\"");
  path = file(own);
  sessions = plain + "AppDataDictionary=" + path + "\n";
  EXPECT_EQ(refusal(), "venue.cfg:14: AppDataDictionary: " + path + std::string{kNote} +
                           "FIX.5.0SP2: the file has no application message");
}

constexpr std::string_view kFaulty = R"(<fix type="FIX" major="4" minor="4">
<header><field name="BeginString" required="Y"/><field name="MsgSeqNum" required="Y"/>
  <field name="SenderCompID" required="Y"/><field name="TargetCompID" required="Y"/>
  <field name="SendingTime" required="C"/></header>
<trailer/>
<messages>
  <message name="Logon" msgtype="A" msgcat="admin">
    <field name="EncryptMethod" required="Y"/><field name="HeartBtInt" required="Y"/></message>
  <message name="Own" msgtype="D" msgcat="app"><field name="ClOrdID" required="Y"/>
    <field name="Nowhere" required="Y"/></message>
</messages>
<fields>
  <field number="8" name="BeginString" type="STRING"/>
  <field number="11" name="ClOrdID" type="STRING"/>
  <field number="34" name="MsgSeqNum" type="INT"/>
  <field number="49" name="SenderCompID" type="STRING"/>
  <field number="56" name="TargetCompID" type="STRING"/>
  <field number="52" name="SendingTime" type="UTCTIMESTAMP"/>
  <field number="98" name="EncryptMethod" type="INT"/>
  <field number="108" name="HeartBtInt" type="INT"/>
  <field number="108" name="Heartbeat" type="INT"/>
</fields></fix>)";

TEST_F(ValidationTest, all_errors_of_a_dictionary_are_reported_at_once) {
  const std::string path = file(kFaulty);
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\nDataDictionary=" +
      path + "\n";
  auto settings = config::parse_settings(config(), "venue.cfg");
  ASSERT_TRUE(settings);
  PosixDisk disk;
  const auto around = config::preflight(*settings, disk);
  ASSERT_FALSE(around);
  ASSERT_EQ(around.error().size(), 3U);
  const std::string place = "venue.cfg:13: DataDictionary: " + path;
  EXPECT_EQ(around.error()[0].what(), place + ":4: required is \"C\", expected \"Y\" or \"N\"");
  EXPECT_EQ(around.error()[1].what(), place + ":10: field \"Nowhere\" is not defined in <fields>");
  EXPECT_EQ(around.error()[2].what(),
            place + ":21: tag 108 is defined twice: HeartBtInt and Heartbeat");
}

// The stock files of QuickFIX and QuickFIX/J define some fields and values twice, and have values
// of two characters for a CHAR.
TEST_F(ValidationTest, faults_of_a_stock_dictionary_are_notes_and_not_warnings) {
  std::string own{kOwnDictionary};
  own.replace(own.find("<field number=\"9001\""), 0,
              "<field number=\"139\" name=\"MiscFeeType\" type=\"CHAR\">"
              "<value enum=\"1\" description=\"TAX\"/><value enum=\"10\" description=\"UNIT\"/>"
              "<value enum=\"1\" description=\"TAX\"/></field>");
  const std::string session =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\nDataDictionary=" +
      file(own) + "\n";
  PosixDisk disk;
  for (const std::string_view faults : {"", "DictionaryFaults=Warn\n"}) {
    SCOPED_TRACE(faults);
    sessions = session + std::string{faults};
    auto settings = config::parse_settings(config(), "venue.cfg");
    ASSERT_TRUE(settings);
    const auto around = config::preflight(*settings, disk);
    ASSERT_TRUE(around);
    std::vector<config::SettingsError> found;
    for (const config::SettingsError& one : *around) {
      const bool is_of_values = one.text.contains("MiscFeeType");
      if (one.text.contains("own.xml") && is_of_values) found.push_back(one);
    }
    ASSERT_EQ(found.size(), 2U);
    EXPECT_TRUE(found[0].text.contains("the value \"10\" of MiscFeeType is not of type CHAR"));
    EXPECT_TRUE(found[1].text.contains("\"1\" of MiscFeeType is defined twice"));
    for (const config::SettingsError& one : found) EXPECT_EQ(one.is_note, faults.empty());
  }
}

TEST_F(ValidationTest, dictionary_with_faults_is_used_if_configured) {
  const std::string path = file(kFaulty);
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n"
      "DictionaryFaults=Warn\nDataDictionary=" +
      path + "\n";
  open();
  const std::string place = "venue.cfg:14: DataDictionary: " + path;
  for (const char* text :
       {":4: required is \"C\", expected \"Y\" or \"N\"; read as \"N\"",
        ":10: field \"Nowhere\" is not defined in <fields>; it is left out",
        ":21: tag 108 is defined twice: HeartBtInt and Heartbeat; both names mean it, this type "
        "counts, and the values of both"}) {
    EXPECT_TRUE(log.has(observe::Severity::Warning, place + text)) << log.all();
  }
  RawPeer& peer = log_on("TRADER");
  peer.send(from("TRADER", "D", 2, "11=A|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|35=8|"));
}

TEST_F(ValidationTest, unusable_dictionary_refuses_the_start) {
  extra = "DataDictionary=" + folder.path() + "/none.xml";
  EXPECT_NE(refusal().find("venue.cfg:8: DataDictionary: the file cannot be read"),
            std::string::npos)
      << refusal();
  const std::string path = file("<fix type=\"FIX\" major=\"4\" minor=\"4\">\n<fields>\n");
  extra = "DataDictionary=" + path;
  EXPECT_NE(refusal().find("venue.cfg:8: DataDictionary: " + path + ":"), std::string::npos)
      << refusal();
}

// In [DEFAULT] it applies to sessions of two versions: one of them is probably a mistake.
TEST_F(ValidationTest, dictionary_of_another_version_is_a_warning) {
  extra = "DataDictionary=" + file(kOwnDictionary);
  open();
  EXPECT_TRUE(log.has(observe::Severity::Warning, "venue.cfg:8: DataDictionary: ")) << log.all();
  EXPECT_TRUE(
      log.has("is a dictionary of FIX.4.4, and the session speaks FIX.4.2: used "
              "nevertheless"))
      << log.all();
}

}  // namespace
}  // namespace nexusfix::testing
