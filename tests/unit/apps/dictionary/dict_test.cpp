#include "nexusfix/dictionary/dict.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "nexusfix/dictionary/named_dictionary.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/output_text.hpp"

namespace nexusfix::command {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kVenue = R"(<fix major="4" minor="4" type="FIX">
  <header><field name="BeginString" required="Y"/></header>
  <trailer><field name="CheckSum" required="Y"/></trailer>
  <messages><message name="Quote\x" msgtype="U1" msgcat="app">
    <field name="VenueCode" required="Y"/>
    <group name="NoLegs" required="N"><field name="LegSymbol" required="Y"/></group>
  </message></messages>
  <components/>
  <fields>
    <field number="8" name="BeginString" type="STRING"/>
    <field number="10" name="CheckSum" type="STRING"/>
    <field number="555" name="NoLegs" type="NUMINGROUP"/>
    <field number="600" name="LegSymbol" type="STRING"/>
    <field number="20001" name="VenueCode" type="CHAR">
      <value enum="A" description="AUCTION"/><value enum="C" description="CONTINUOUS"/>
    </field>
  </fields></fix>)";

class Dict : public ::testing::Test {
 protected:
  int run(const DictOptions& options) {
    return answer_questions(options, disk_, {out_.stream(), err_.stream()});
  }
  int ask(std::string word, std::string version = {}) {
    DictOptions options;
    options.words = {std::move(word)};
    options.version = std::move(version);
    return run(options);
  }
  int ask_venue(std::string word) {
    disk_.set_contents("venue.xml", kVenue);
    DictOptions options;
    options.words = {std::move(word)};
    options.dictionary = "venue.xml";
    return run(options);
  }

  testing::FakeDisk disk_;
  testing::OutputText out_;
  testing::OutputText err_;
};

TEST_F(Dict, says_what_a_tag_is_and_where_it_is_used) {
  EXPECT_EQ(ask("150"), kSuccess);
  EXPECT_THAT(out_.text(), StartsWith("150 ExecType, CHAR  (FIX.4.4)\n"));
  EXPECT_THAT(out_.text(), HasSubstr("\n  F  TRADE\n"));
  EXPECT_THAT(out_.text(), HasSubstr("\n  in: ExecutionReport (8) required, "));
}

TEST_F(Dict, finds_a_field_by_name_in_any_case) {
  EXPECT_EQ(ask("execTYPE"), kSuccess);
  EXPECT_THAT(out_.text(), StartsWith("150 ExecType"));
}

TEST_F(Dict, says_what_a_value_means_by_tag_or_name) {
  for (const char* question : {"39=2", "OrdStatus=2", "OrdStatus=filled", "39=FILLED"}) {
    testing::OutputText out;
    DictOptions options;
    options.words = {question};
    EXPECT_EQ(answer_questions(options, disk_, {out.stream(), err_.stream()}), kSuccess);
    EXPECT_EQ(out.text(), "39 OrdStatus = 2: FILLED  (FIX.4.4)\n") << question;
  }
  EXPECT_EQ(ask("18=G 6"), kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("18 ExecInst = G 6: ALL_OR_NONE, "));
}

TEST_F(Dict, a_field_without_an_enumeration_takes_any_value) {
  EXPECT_EQ(ask("55=AAPL"), kSuccess);
  EXPECT_EQ(out_.text(), "55 Symbol = AAPL: any value of its type  (FIX.4.4)\n");
}

TEST_F(Dict, shows_the_required_and_all_allowed_fields_of_a_message) {
  EXPECT_EQ(ask("D"), kSuccess);
  const std::string by_type = out_.text();
  EXPECT_THAT(by_type, StartsWith("NewOrderSingle (D), application message  (FIX.4.4)\n"));
  EXPECT_THAT(by_type, HasSubstr("\n  header   BeginString (8), BodyLength (9), MsgType (35)"));
  EXPECT_THAT(by_type, HasSubstr("\n  body     ClOrdID (11), "));
  EXPECT_THAT(by_type, HasSubstr("OrdType (40)"));
  EXPECT_THAT(by_type, HasSubstr("\n  trailer  CheckSum (10)\n"));
  EXPECT_THAT(by_type, HasSubstr("\n         Parties"));
  EXPECT_THAT(by_type, HasSubstr("\n      453  NoPartyIDs"));
  EXPECT_THAT(by_type, HasSubstr("\n        448  PartyID"));
  EXPECT_EQ(ask("neworderSINGLE"), kSuccess);
  EXPECT_EQ(out_.text(), by_type + by_type);
}

TEST_F(Dict, shows_components_and_the_entries_of_groups) {
  EXPECT_EQ(ask("Parties"), kSuccess);
  EXPECT_THAT(out_.text(), StartsWith("Parties, component  (FIX.4.4)\n    453  NoPartyIDs"));
  EXPECT_EQ(ask("268"), kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("an entry, in MarketDataSnapshotFullRefresh:\n      269  "));
  EXPECT_THAT(out_.text(), HasSubstr("an entry, in MarketDataIncrementalRefresh:\n      279  "));
}

TEST_F(Dict, a_number_that_is_a_tag_and_a_message_is_answered_as_both) {
  EXPECT_EQ(ask("8"), kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("8 BeginString, STRING"));
  EXPECT_THAT(out_.text(), HasSubstr("ExecutionReport (8), application message"));
}

TEST_F(Dict, versions_have_their_own_names) {
  EXPECT_EQ(ask("32", "4.2"), kSuccess);
  EXPECT_THAT(out_.text(), StartsWith("32 LastShares, QTY  (FIX.4.2)"));
  for (const char* name : {"FIX.5.0SP2", "fix50sp2", "5.0 SP2", "50SP2"}) {
    EXPECT_EQ(version_of_name(name), dictionary::Version::Fix50Sp2) << name;
  }
  EXPECT_EQ(version_of_name("FIXT.1.1"), dictionary::Version::Fixt11);
  EXPECT_FALSE(version_of_name("./44") || version_of_name("4.5") || version_of_name(""));
}

TEST_F(Dict, header_and_session_messages_of_fix_5_are_the_transport_s) {
  EXPECT_EQ(ask("A", "FIX.5.0SP2"), kSuccess);
  EXPECT_THAT(out_.text(), StartsWith("Logon (A), administrative message"));
  EXPECT_EQ(ask("1128", "FIX.5.0SP2"), kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("standard header"));
}

TEST_F(Dict, a_word_that_the_default_version_lacks_is_answered_by_another) {
  EXPECT_EQ(ask("1300"), kSuccess);
  EXPECT_THAT(out_.text(), StartsWith("1300 MarketSegmentID"));
  EXPECT_THAT(out_.text(), HasSubstr("(FIX.5.0SP2)"));
}

TEST_F(Dict, unknown_words_are_answered_with_the_nearest_ones) {
  EXPECT_EQ(ask("ExecTpye"), kFailure);
  EXPECT_EQ(err_.text(),
            "nexusfix dict: FIX.4.4 does not have 'ExecTpye'. Did you mean ExecType?\n");
  EXPECT_EQ(ask("54=SELL_SHRT"), kFailure);
  EXPECT_THAT(err_.text(), HasSubstr("Did you mean 54=5 (SELL_SHORT)?"));
  EXPECT_EQ(ask("99999"), kFailure);
  EXPECT_EQ(ask("qqqqqqqqqq=1"), kFailure);
  EXPECT_EQ(ask("=", "4.4"), kFailure);
  EXPECT_EQ(ask("\x1b[2J"), kFailure);
  EXPECT_THAT(err_.text(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(out_.text(), IsEmpty());
  EXPECT_EQ(ask("1300", "4.4"), kFailure);
  EXPECT_THAT(err_.text(), EndsWith("FIX.4.4 does not have '1300'. FIX.5.0SP2 has it.\n"));
}

TEST_F(Dict, an_unknown_value_is_answered_with_the_known_ones) {
  EXPECT_EQ(ask("39=ZZ"), kFailure);
  EXPECT_THAT(err_.text(), StartsWith("nexusfix dict: FIX.4.4 does not have '39=ZZ'. There is 39 "
                                      "OrdStatus, CHAR: 0 NEW, 1 PARTIALLY_FILLED, "));
}

TEST_F(Dict, unknown_names_are_searched_as_parts_and_in_other_versions) {
  EXPECT_EQ(ask("handl"), kFailure);
  EXPECT_THAT(err_.text(), HasSubstr("Did you mean HandlInst or AllocHandlInst?"));
  EXPECT_EQ(ask("MarketSegmntID"), kFailure);
  EXPECT_THAT(err_.text(), HasSubstr("Did you mean MarketSegmentID?"));
}

TEST_F(Dict, uses_a_dictionary_of_the_user) {
  EXPECT_EQ(ask_venue("20001=A"), kSuccess);
  EXPECT_EQ(out_.text(), "20001 VenueCode = A: AUCTION  (venue.xml)\n");
  EXPECT_EQ(ask_venue("U1"), kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("body     VenueCode (20001)\n"));
  EXPECT_EQ(ask_venue("150"), kFailure);
}

TEST_F(Dict, a_dictionary_that_cannot_be_read_is_named) {
  DictOptions options;
  options.dictionary = "missing.xml";
  EXPECT_EQ(run(options), kUsage);
  EXPECT_THAT(err_.text(), HasSubstr("missing.xml"));
  EXPECT_EQ(ask("150", "4.5"), kUsage);
  EXPECT_THAT(err_.text(), HasSubstr("'4.5' is none of FIX.4.0 FIX.4.1 "));
  disk_.set_contents("bad.xml", "<fix>\n<oops>");
  options.dictionary = "bad.xml";
  EXPECT_EQ(run(options), kUsage);
  EXPECT_THAT(err_.text(), HasSubstr("bad.xml:"));
}

TEST_F(Dict, all_faults_of_a_dictionary_are_named_also_when_it_is_read_in_spite_of_them) {
  std::string faulty{kVenue};
  faulty.replace(faulty.find("required=\"Y\"/></header>"), 12, "required=\"C\"");
  faulty.replace(faulty.find("\"LegSymbol\" required"), 11, "\"LegSimbol\"");
  disk_.set_contents("venue.xml", faulty);
  DictOptions options;
  options.words = {"NoLegs"};
  options.dictionary = "venue.xml";
  EXPECT_EQ(run(options), kUsage);
  EXPECT_EQ(err_.text(),
            "nexusfix dict: venue.xml:2: required is \"C\", expected \"Y\" or \"N\"\n"
            "nexusfix dict: venue.xml:6: field \"LegSimbol\" is not defined in <fields>; did you "
            "mean \"LegSymbol\"?\n"
            "nexusfix dict: venue.xml:6: group \"NoLegs\" has no fields: its first field begins "
            "an entry\n");
  options.faults = dictionary::DictionaryFaults::Warn;
  EXPECT_EQ(run(options), kSuccess);
  EXPECT_THAT(err_.text(), HasSubstr("nexusfix dict: warning: venue.xml:6: group \"NoLegs\" has no "
                                     "fields: its first field begins an entry; its count is "
                                     "read as an ordinary field\n"));
  EXPECT_THAT(out_.text(), StartsWith("555 NoLegs, NUMINGROUP  (venue.xml)\n"));
}

TEST_F(Dict, without_a_word_lists_the_dictionary) {
  EXPECT_EQ(run({}), kSuccess);
  EXPECT_THAT(out_.text(), StartsWith("FIX.4.4: "));
  EXPECT_THAT(out_.text(), HasSubstr("\n  AE  TradeCaptureReport\n"));
}

TEST_F(Dict, json_is_one_object_a_line) {
  DictOptions options;
  options.words = {"39=2", "150", "D", "nonsense"};
  options.json = true;
  EXPECT_EQ(run(options), kFailure);
  EXPECT_THAT(out_.text(), StartsWith(R"({"kind":"value","dictionary":"FIX.4.4","tag":39,)"
                                      R"("name":"OrdStatus","type":"CHAR","value":"2",)"
                                      R"("meaning":"FILLED"})"
                                      "\n"));
  EXPECT_THAT(out_.text(), HasSubstr(R"({"kind":"message","dictionary":"FIX.4.4")"));
  EXPECT_THAT(out_.text(),
              EndsWith(R"({"kind":"unknown","dictionary":"FIX.4.4","asked":"nonsense",)"
                       R"("nearest":[]})"
                       "\n"));
  EXPECT_EQ(std::ranges::count(out_.text(), '\n'), 4);
}

class DictDiff : public Dict {
 protected:
  int diff(std::string before, std::string after, std::vector<std::string> words = {}) {
    DictOptions options;
    options.diff = {std::move(before), std::move(after)};
    options.words = std::move(words);
    options.json = json_;
    return run(options);
  }
  bool json_ = false;
};

TEST_F(DictDiff, shows_fields_values_and_messages_that_differ) {
  EXPECT_EQ(diff("FIX.4.2", "FIX.4.4"), kSuccess);
  const std::string text = out_.text();
  EXPECT_THAT(text, StartsWith("FIX.4.2 -> FIX.4.4\nfields\n"));
  EXPECT_THAT(text, HasSubstr("\n  ~ 32 LastShares QTY -> LastQty QTY\n"));
  EXPECT_THAT(text, HasSubstr("\n  + 453 NoPartyIDs NUMINGROUP\n"));
  EXPECT_THAT(text, HasSubstr("\n  - 76 ExecBroker STRING\n"));
  EXPECT_THAT(text, HasSubstr("\n  ~ 150 ExecType\n"));
  EXPECT_THAT(text, HasSubstr("      + F TRADE\n"));
  EXPECT_THAT(text, HasSubstr("\n  + TradeCaptureReport (AE)\n"));
  EXPECT_THAT(text, HasSubstr("      + 453 NoPartyIDs > 448 PartyID"));
  EXPECT_THAT(text, Not(HasSubstr("\n\n")));
}

TEST_F(DictDiff, compares_only_the_message_that_is_named) {
  EXPECT_EQ(diff("FIX.4.2", "FIX.4.4", {"NewOrderSingle"}), kSuccess);
  EXPECT_THAT(out_.text(), StartsWith("FIX.4.2 -> FIX.4.4\nmessages\n  ~ NewOrderSingle (D)\n"));
  EXPECT_THAT(out_.text(), HasSubstr("      ~ 21 HandlInst required -> optional\n"));
  EXPECT_THAT(out_.text(), HasSubstr("      - 109 ClientID\n"));
}

TEST_F(DictDiff, a_dictionary_does_not_differ_from_itself) {
  disk_.set_contents("venue.xml", kVenue);
  EXPECT_EQ(diff("venue.xml", "venue.xml"), kSuccess);
  EXPECT_EQ(out_.text(), "venue.xml -> venue.xml\nno difference\n");
}

TEST_F(DictDiff, compares_two_files) {
  std::string edited{kVenue};
  const auto replace = [&](std::string_view what, std::string_view with) {
    edited.replace(edited.find(what), what.size(), with);
  };
  replace(R"(<value enum="A" description="AUCTION"/>)", R"(<value enum="A" description="CALL"/>)");
  replace(R"("LegSymbol" required="Y")", R"("LegSymbol" required="N")");
  replace(R"(name="VenueCode" required="Y")", R"(name="VenueCode" required="N")");
  disk_.set_contents("old.xml", kVenue);
  disk_.set_contents("new.xml", edited);
  EXPECT_EQ(diff("old.xml", "new.xml"), kSuccess);
  EXPECT_EQ(out_.text(),
            "old.xml -> new.xml\nvalues\n  ~ 20001 VenueCode\n      ~ A AUCTION -> CALL\n"
            "messages\n  ~ Quote\\x (U1)\n"
            "      ~ 555 NoLegs > 600 LegSymbol required -> optional\n"
            "      ~ 20001 VenueCode required -> optional\n");
  json_ = true;
  EXPECT_EQ(diff("old.xml", "new.xml"), kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr(R"("values":[{"tag":20001,"value":"A",)"
                                     R"("before":"AUCTION","after":"CALL"}])"));
  EXPECT_THAT(out_.text(),
              HasSubstr(R"({"tags":[555,600],"before":"required","after":"optional"})"));
}

TEST_F(DictDiff, compares_only_the_field_or_component_that_is_named) {
  EXPECT_EQ(diff("FIX.4.2", "FIX.4.4", {"LastShares"}), kSuccess);
  EXPECT_EQ(out_.text(), "FIX.4.2 -> FIX.4.4\nfields\n  ~ 32 LastShares QTY -> LastQty QTY\n");
  EXPECT_EQ(diff("FIX.4.2", "FIX.4.4", {"Parties"}), kSuccess);
  EXPECT_THAT(out_.text(), EndsWith("FIX.4.2 -> FIX.4.4\ncomponents\n  + Parties\n"));
  EXPECT_EQ(diff("FIX.4.2", "FIX.4.4", {"8"}), kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("  ~ ExecutionReport (8)\n"));
  EXPECT_EQ(diff("FIX.4.4", "FIX.4.4", {"54"}), kSuccess);
  EXPECT_THAT(out_.text(), EndsWith("FIX.4.4 -> FIX.4.4\nno difference\n"));
}

TEST_F(DictDiff, shows_the_first_field_and_the_order_of_an_entry_and_open_enumerations) {
  std::string edited{kVenue};
  const auto replace = [](std::string& text, std::string_view what, std::string_view with) {
    text.replace(text.find(what), what.size(), with);
  };
  constexpr std::string_view kLeg = R"(<field name="LegSymbol" required="Y"/>)";
  std::string original{kVenue};
  replace(original, kLeg, R"(<field name="LegSymbol" required="Y"/>
    <field name="BeginString" required="N"/><field name="CheckSum" required="N"/>)");
  replace(edited, kLeg, R"(<field name="CheckSum" required="N"/>
    <field name="LegSymbol" required="Y"/><field name="BeginString" required="N"/>)");
  replace(edited, R"(type="CHAR")", R"(type="CHAR" allowOtherValues="Y")");
  disk_.set_contents("old.xml", original);
  disk_.set_contents("new.xml", edited);
  EXPECT_EQ(diff("old.xml", "new.xml"), kSuccess);
  EXPECT_EQ(out_.text(),
            "old.xml -> new.xml\nfields\n"
            "  ~ 20001 VenueCode CHAR -> VenueCode CHAR, other values allowed\n"
            "messages\n  ~ Quote\\x (U1)\n"
            "      ~ 555 NoLegs: an entry begins with 600 LegSymbol -> 10 CheckSum\n"
            "      ~ 555 NoLegs: order 600 8 10 -> 10 600 8\n");
  json_ = true;
  EXPECT_EQ(diff("old.xml", "new.xml"), kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr(R"("orders":[{"tags":[555],"before":[600,8,10],)"
                                     R"("after":[10,600,8]}])"));
  EXPECT_THAT(out_.text(), HasSubstr(R"("type":"CHAR","other_values":true)"));
}

TEST_F(DictDiff, an_unknown_word_or_an_unreadable_dictionary_is_an_error) {
  EXPECT_EQ(diff("FIX.4.2", "FIX.4.4", {"ZZ"}), kFailure);
  EXPECT_EQ(err_.text(), "nexusfix dict: FIX.4.2 and FIX.4.4 do not have 'ZZ'.\n");
  EXPECT_EQ(diff("FIX.4.2", "FIX45"), kUsage);
  EXPECT_THAT(err_.text(), HasSubstr("'FIX45' is neither a file nor one of FIX.4.0"));
}

}  // namespace
}  // namespace nexusfix::command
