// The dictionary that a session's configuration names.
#include <fstream>

#include "acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

class ValidationTest : public AcceptorTest {
 protected:
  ValidationTest() { dictionary.clear(); }

  // What the engine says when it does not start.
  std::string refusal() {
    auto settings = engine::parse_settings(config(), "venue.cfg");
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
    <field name="OwnField" required="Y"/></message>
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
</fields></fix>)";

TEST_F(ValidationTest, messages_are_validated_by_the_built_in_dictionary_unless_told_otherwise) {
  open();
  EXPECT_NE(answer_to_unknown_field().find("|58=Invalid tag number|371=9001|372=D|373=0|"),
            std::string::npos);
  EXPECT_TRUE(log.has("Invalid tag number (9001)")) << log.all();
}

TEST_F(ValidationTest, rules_of_the_configuration_are_followed) {
  extra = "ValidateUserDefinedFields=N";
  open();
  EXPECT_NE(answer_to_unknown_field().find("|35=8|"), std::string::npos);
}

TEST_F(ValidationTest, sessions_with_one_dictionary_have_each_its_own_rules) {
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

TEST_F(ValidationTest, no_dictionary_no_validation) {
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

TEST_F(ValidationTest, a_dictionary_of_ones_own_counts) {
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

// FIXT sessions: AppDataDictionary for each version, and the built-in ones for the rest.
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
  // The order lacks nothing, and has a field that FIX 5.0 SP2 added (1629, ExposureDuration).
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
};

TEST_F(FixtValidationTest, messages_are_of_the_version_that_they_or_the_logon_name) {
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

TEST_F(FixtValidationTest, default_of_the_counterparty_counts_for_what_it_sends) {
  open();
  RawPeer& peer = log_on_fixt("7");
  EXPECT_TRUE(contains(peer.messages()[0], "|1137=9|"));
  EXPECT_TRUE(answer_to(peer, order_of(2)).contains("|371=1629|"));
  EXPECT_TRUE(answer_to(peer, order_of(3, "1128=9|")).contains("|35=8|"));
}

TEST_F(FixtValidationTest, own_dictionaries_count_for_their_versions) {
  std::string own{kOwnDictionary};
  own.replace(own.find("major=\"4\" minor=\"4\""), 19, "major=\"5\" minor=\"0\"");
  sessions += "AppDataDictionary.FIX.5.0=" + file(own) + "\n";
  open();
  RawPeer& peer = log_on_fixt("9");
  EXPECT_TRUE(answer_to(peer, order_of(2)).contains("|35=8|"));
  EXPECT_TRUE(answer_to(peer, from("FIXT", "D", 3, "1128=7|11=A|9001=5|")).contains("|35=8|"));
  EXPECT_TRUE(answer_to(peer, from("FIXT", "D", 4, "1128=7|11=A|")).contains("|371=9001|"));
}

TEST_F(FixtValidationTest, dictionaries_of_other_versions_stop_the_start) {
  const std::string path = file(kOwnDictionary);
  const std::string plain = sessions;
  sessions = plain + "AppDataDictionary=" + path + "\n";
  EXPECT_EQ(refusal(), "venue.cfg:14: AppDataDictionary: " + path +
                           " is a dictionary of FIX.4.4, and the session speaks FIX.5.0SP2");
  sessions = plain + "TransportDataDictionary=" + path + "\n";
  EXPECT_EQ(refusal(), "venue.cfg:14: TransportDataDictionary: " + path +
                           " is a dictionary of FIX.4.4, and the session speaks FIXT.1.1");
}

TEST_F(ValidationTest, a_dictionary_that_cannot_be_used_stops_the_start) {
  extra = "DataDictionary=" + folder.path() + "/none.xml";
  EXPECT_NE(refusal().find("venue.cfg:8: DataDictionary: the file cannot be read"),
            std::string::npos)
      << refusal();
  const std::string path = file("<fix type=\"FIX\" major=\"4\" minor=\"4\">\n<fields>\n");
  extra = "DataDictionary=" + path;
  EXPECT_NE(refusal().find("venue.cfg:8: DataDictionary: " + path + ":"), std::string::npos)
      << refusal();
  // The second session speaks FIX 4.2.
  extra = "DataDictionary=" + file(kOwnDictionary);
  EXPECT_NE(refusal().find("is a dictionary of FIX.4.4, and the session speaks FIX.4.2"),
            std::string::npos)
      << refusal();
}

}  // namespace
}  // namespace nexusfix::testing
