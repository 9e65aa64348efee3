#include "logs/validate/validate.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"
#include "support/output_text.hpp"

namespace nexusfix::command {
namespace {

using testing::bar;
using ::testing::EndsWith;
using testing::fix;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string order(std::string_view begin_string, std::string_view more = {}) {
  return fix(begin_string,
             "35=D|34=2|49=T|56=V|52=20240115-10:30:00|11=A1|55=AAPL|54=1|"
             "60=20240115-10:30:00|38=100|40=1|" +
                 std::string{more});
}

constexpr std::string_view kPing = R"(<fix major="4" minor="4" type="FIX">
    <header><field name="BeginString" required="Y"/><field name="BodyLength" required="Y"/>
      <field name="MsgType" required="Y"/></header>
    <trailer><field name="CheckSum" required="Y"/></trailer>
    <messages><message name="Ping" msgtype="U1" msgcat="app">
      <field name="Blob" required="Y"/></message></messages><components/>
    <fields><field number="8" name="BeginString" type="STRING"/>
      <field number="9" name="BodyLength" type="LENGTH"/>
      <field number="10" name="CheckSum" type="STRING"/>
      <field number="35" name="MsgType" type="STRING"/>
      <field number="20001" name="Blob" type="INT"/></fields></fix>)";

class Validate : public ::testing::Test {
 protected:
  int run(const ValidateOptions& options) {
    return validate_files(options, disk_, {out_.stream(), err_.stream()});
  }
  int run_on(std::string_view text, ValidateOptions options = {}) {
    disk_.set_contents("log", text);
    options.input.files = {"log"};
    return run(options);
  }

  testing::FakeDisk disk_;
  testing::OutputText out_;
  testing::OutputText err_;
};

TEST_F(Validate, ends_with_0_if_every_message_is_valid) {
  EXPECT_EQ(run_on(order("FIX.4.4") + "\n10:00 " + bar(order("FIX.4.4")) + "\n"), kSuccess);
  EXPECT_EQ(out_.text(), "2 messages, 0 invalid\n");
  EXPECT_THAT(err_.text(), IsEmpty());
}

TEST_F(Validate, ends_with_1_and_explains_each_invalid_message) {
  EXPECT_EQ(run_on(order("FIX.4.4") + "\n" + bar(order("FIX.4.4", "59=Z|")) + "\n"), kFailure);
  EXPECT_THAT(out_.text(),
              StartsWith("log, message 2: TimeInForce (59) is 'Z', which is not one of its values "
                         "(373=5)\n  ...60=20240115-10:30:00|38=100|"));
  EXPECT_THAT(out_.text(), HasSubstr("^\n  59 TimeInForce, CHAR: 0 DAY"));
  EXPECT_THAT(out_.text(), EndsWith("\n\n2 messages, 1 invalid\n"));
}

TEST_F(Validate, explains_frames_that_are_no_message) {
  std::string faulty = order("FIX.4.4");
  faulty[faulty.size() - 2] = faulty[faulty.size() - 2] == '0' ? '1' : '0';
  EXPECT_EQ(run_on(faulty), kFailure);
  EXPECT_THAT(out_.text(), StartsWith("log, message 1: CheckSum (10) is "));
  EXPECT_THAT(out_.text(), HasSubstr("\n  nearest: 10="));
  EXPECT_EQ(run_on(order("FIX.4.4").substr(0, 60)), kFailure);
  EXPECT_THAT(out_.text(), HasSubstr("the message does not end with 10="));
}

TEST_F(Validate, messages_of_fix_4_over_fixt_have_its_header) {
  const std::string logon =
      fix("FIXT.1.1", "35=A|34=1|49=T|56=V|52=20240115-10:30:00|98=0|108=30|1137=6|");
  const std::string own = fix("FIXT.1.1",
                              "35=D|34=2|49=T|56=V|52=20240115-10:30:00|1128=4|11=A1|21=1|55=AAPL|"
                              "54=1|60=20240115-10:30:00|38=100|40=1|");
  EXPECT_EQ(run_on(logon + order("FIXT.1.1") + own), kSuccess) << out_.text();
  EXPECT_EQ(out_.text(), "3 messages, 0 invalid\n");
}

TEST_F(Validate, a_version_that_does_not_exist_is_invalid) {
  for (const std::string_view begin_string : {"FIX.4.9", "FIXT.1.2", "FIX"}) {
    EXPECT_EQ(run_on(order(begin_string)), kFailure);
    EXPECT_THAT(out_.text(), HasSubstr("BeginString (8) is '" + std::string{begin_string} +
                                       "', which is no version of FIX\n  nearest: 8= and one of"));
  }
  ValidateOptions named;
  named.version = "FIX.4.4";
  EXPECT_EQ(run_on(order("FIX.4.9"), named), kSuccess);
}

TEST_F(Validate, each_message_is_checked_by_its_own_version) {
  // HandlInst is required in FIX.4.2; ApplVerID 7 is FIX.5.0.
  EXPECT_EQ(run_on(order("FIX.4.2")), kFailure);
  EXPECT_THAT(out_.text(), HasSubstr("NewOrderSingle (D) needs HandlInst (21), which is missing"));
  EXPECT_EQ(run_on(order("FIX.4.2", "21=1|") + order("FIXT.1.1")), kSuccess);
  EXPECT_EQ(run_on(fix("FIXT.1.1", "35=A|34=1|49=T|56=V|52=20240115-10:30:00|98=0|108=30|1137=7|") +
                   order("FIXT.1.1")),
            kSuccess);
}

TEST_F(Validate, the_version_in_the_arguments_wins) {
  ValidateOptions options;
  options.version = "FIX.4.2";
  EXPECT_EQ(run_on(order("FIX.4.4"), options), kFailure);
  EXPECT_THAT(out_.text(), HasSubstr("HandlInst (21)"));
  options.version = "FIX.9";
  EXPECT_EQ(run_on(order("FIX.4.4"), options), kUsage);
  EXPECT_THAT(err_.text(), HasSubstr("'FIX.9' is none of FIX.4.0"));
}

TEST_F(Validate, a_dictionary_of_the_user_decides) {
  disk_.set_contents("venue.xml", kPing);
  ValidateOptions options;
  options.dictionary = "venue.xml";
  EXPECT_EQ(run_on(fix("FIX.4.4", "35=U1|20001=5|"), options), kSuccess);
  EXPECT_EQ(run_on(fix("FIX.4.4", "35=U1|20001=x|"), options), kFailure);
  EXPECT_THAT(out_.text(), HasSubstr("Blob (20001) is 'x', which is not of type INT"));
  options.dictionary = "missing.xml";
  EXPECT_EQ(run_on(fix("FIX.4.4", "35=U1|20001=5|"), options), kUsage);
  EXPECT_THAT(err_.text(), HasSubstr("missing.xml"));
}

TEST_F(Validate, rules_are_set_as_in_a_configuration) {
  ValidateOptions options;
  EXPECT_EQ(run_on(order("FIX.4.4", "20001=x|"), options), kFailure);
  EXPECT_TRUE(set_rule(options.rules, "ValidateUserDefinedFields=N"));
  EXPECT_EQ(run_on(order("FIX.4.4", "20001=x|"), options), kSuccess);
  EXPECT_TRUE(set_rule(options.rules, "ValidateUserDefinedFields=Y"));
  EXPECT_EQ(run_on(order("FIX.4.4", "20001=x|"), options), kFailure);
  for (const char* wrong :
       {"ValidateUserDefinedFields", "ValidateUserDefinedFields=", "ValidateUserDefinedFields=NO",
        "ValidateUserDefinedFields=n", "Validate=N", "=N", ""}) {
    EXPECT_FALSE(set_rule(options.rules, wrong)) << wrong;
  }
  EXPECT_THAT(rule_names(), HasSubstr(" ValidateUnorderedGroupFields "));
}

TEST_F(Validate, json_has_an_object_for_each_message) {
  ValidateOptions options;
  options.json = true;
  EXPECT_EQ(run_on(order("FIX.4.4") + order("FIX.4.4", "59=Z|"), options), kFailure);
  const std::string text = out_.text();
  EXPECT_THAT(text, StartsWith(R"({"file":"log","message":1,"msg_type":"D",)"
                               R"("msg_seq_num":"2","valid":true})"
                               "\n"
                               R"({"file":"log","message":2,"msg_type":"D",)"
                               R"("msg_seq_num":"2","valid":false,"problem":"TimeInForce)"));
  EXPECT_THAT(text, HasSubstr(R"("tag":59,"reason":5,"offset":)" +
                              std::to_string(order("FIX.4.4", "59=Z|").find("59=Z") + 3) +
                              R"(,"size":1,)"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
}

TEST_F(Validate, a_summary_has_the_count_only) {
  ValidateOptions options;
  options.summary = true;
  EXPECT_EQ(run_on(order("FIX.4.4") + order("FIX.4.4", "59=Z|"), options), kFailure);
  EXPECT_EQ(out_.text(), "2 messages, 1 invalid\n");
}

TEST_F(Validate, a_summary_for_programs_is_one_object) {
  ValidateOptions options;
  options.summary = true;
  options.json = true;
  EXPECT_EQ(run_on(order("FIX.4.4") + order("FIX.4.4", "59=Z|"), options), kFailure);
  EXPECT_EQ(out_.text(), "{\"messages\":2,\"invalid\":1,\"skipped\":0}\n");
  EXPECT_EQ(run_on("nothing", options), kFailure);
  EXPECT_THAT(out_.text(), EndsWith("\n{\"messages\":0,\"invalid\":0,\"skipped\":0}\n"));
}

TEST_F(Validate, skipped_places_are_counted_and_a_delimiter_can_be_forced) {
  ValidateOptions options;
  EXPECT_EQ(run_on("8=FIX or so\n" + bar(order("FIX.4.4")) + "\n", options), kSuccess);
  EXPECT_EQ(out_.text(), "1 message, 0 invalid, 1 skipped\n");
  EXPECT_THAT(err_.text(), HasSubstr("log: 1 place with 8=FIX is no message"));
  options.input.delimiter = ";";
  EXPECT_EQ(run_on(bar(order("FIX.4.4")) + "\n", options), kFailure);
  EXPECT_THAT(err_.text(), EndsWith("the delimiter does not follow\nnexusfix validate: no "
                                    "message\n"));
}

TEST_F(Validate, bytes_that_are_not_utf_8_are_the_same_in_every_member_of_an_object) {
  ValidateOptions options;
  options.json = true;
  EXPECT_EQ(run_on(order("FIX.4.4", "59=\xff|"), options), kFailure);
  EXPECT_THAT(out_.text(), HasSubstr(R"(TimeInForce (59) is '\\xff')"));
  EXPECT_EQ(run_on("8=FIX.4.4|9=5|35=\xff|10=000|", options), kFailure);
  EXPECT_THAT(out_.text(), HasSubstr(R"("msg_type":"\\xff")"));
}

TEST_F(Validate, a_dictionary_of_another_version_than_the_messages_is_a_warning_once) {
  disk_.set_contents("venue.xml", kPing);
  ValidateOptions options;
  options.dictionary = "venue.xml";
  run_on(order("FIX.4.4") + order("FIX.4.2") + order("FIX.4.2"), options);
  EXPECT_EQ(err_.text(),
            "nexusfix validate: warning: messages are of FIX.4.2, and venue.xml is of FIX.4.4\n");
}

TEST_F(Validate, reads_standard_input_and_names_an_unreadable_file) {
  disk_.set_contents("/dev/stdin", order("FIX.4.4"));
  EXPECT_EQ(run({}), kSuccess);
  ValidateOptions options;
  options.input.files = {"missing", "-"};
  EXPECT_EQ(run(options), kUsage);
  EXPECT_THAT(err_.text(), HasSubstr("missing"));
  EXPECT_EQ(out_.text(), "1 message, 0 invalid\n1 message, 0 invalid\n");
}

TEST_F(Validate, ends_with_1_if_there_is_no_message) {
  EXPECT_EQ(run_on("nothing here\n"), kFailure);
  EXPECT_THAT(err_.text(), HasSubstr("no message: nothing begins with 8=FIX"));
}

}  // namespace
}  // namespace nexusfix::command
