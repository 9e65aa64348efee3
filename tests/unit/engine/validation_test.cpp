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
