#include "logs/decode/decode.hpp"

#include <cerrno>
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
using testing::fix;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kOrder = fix("FIX.4.4", "35=D|34=2|49=T|56=V|11=A1|54=1|");

class Decode : public ::testing::Test {
 protected:
  int run(const DecodeOptions& options) {
    return decode_files(options, disk_, {out_.stream(), err_.stream()});
  }
  int run_on(std::string_view text, DecodeOptions options = {}) {
    disk_.set_contents("log", text);
    options.input.files = {"log"};
    return run(options);
  }

  testing::FakeDisk disk_;
  testing::OutputText out_;
  testing::OutputText err_;
};

TEST_F(Decode, prints_each_message_of_a_file) {
  EXPECT_EQ(run_on("10:00 " + bar(kOrder) + "\n" + bar(kOrder) + "\n"), kSuccess);
  EXPECT_THAT(out_.text(), StartsWith("10:00 NewOrderSingle (D)  34=2  T -> V"));
  EXPECT_THAT(out_.text(), HasSubstr("\n\nNewOrderSingle (D)"));
  EXPECT_THAT(out_.text(), HasSubstr("54  Side          1 (BUY)"));
  EXPECT_THAT(err_.text(), IsEmpty());
}

TEST_F(Decode, reads_standard_input_when_there_is_no_file_or_a_dash) {
  disk_.set_contents("/dev/stdin", kOrder);
  EXPECT_EQ(run({}), kSuccess);
  DecodeOptions dash;
  dash.input.files = {"-"};
  EXPECT_EQ(run(dash), kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("NewOrderSingle"));
}

TEST_F(Decode, masks_passwords_unless_they_are_wanted) {
  const std::string logon = fix("FIX.4.4", "35=A|34=1|49=T|56=V|553=me|554=CANARY|95=3|96=raw|");
  EXPECT_EQ(run_on(logon), kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("554  Password       ***\n"));
  EXPECT_THAT(out_.text(), HasSubstr("95  RawDataLength  3\n"));
  EXPECT_THAT(out_.text(), Not(::testing::ContainsRegex("CANARY|  raw")));
  DecodeOptions options;
  options.shows_passwords = true;
  EXPECT_EQ(run_on(logon, options), kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("554  Password       CANARY\n"));
}

// The faults are those of the bytes with the password.
TEST_F(Decode, a_masked_message_has_its_own_faults) {
  std::string logon = fix("FIX.4.4", "35=A|34=1|49=T|56=V|554=CANARY|");
  logon.replace(logon.find("34=1"), 4, "34=2");
  EXPECT_EQ(run_on(logon), kFailure);
  EXPECT_THAT(out_.text(), HasSubstr("  ! CheckSum is "));
  EXPECT_THAT(out_.text(), Not(HasSubstr("CANARY")));
}

TEST_F(Decode, finds_messages_across_the_chunks_of_a_large_file) {
  std::string text;
  constexpr int kMessages = 5000;
  for (int i = 0; i < kMessages; ++i) text += kOrder;
  ASSERT_GT(text.size(), 3U * 65'536U);
  DecodeOptions options;
  options.summary = true;
  EXPECT_EQ(run_on(text, options), kSuccess);
  EXPECT_THAT(out_.text(), ::testing::EndsWith("\n5000 messages, 0 faulty\n"));
}

TEST_F(Decode, ends_with_1_if_a_message_is_faulty_and_prints_it) {
  std::string faulty = kOrder;
  faulty[faulty.size() - 2] = faulty[faulty.size() - 2] == '0' ? '1' : '0';
  EXPECT_EQ(run_on(kOrder + faulty), kFailure);
  EXPECT_THAT(out_.text(), HasSubstr("  ! CheckSum is "));
}

TEST_F(Decode, ends_with_1_if_there_is_no_message) {
  EXPECT_EQ(run_on("nothing here\n"), kFailure);
  EXPECT_THAT(out_.text(), IsEmpty());
  EXPECT_EQ(err_.text(), "nexusfix decode: no message: nothing begins with 8=FIX\n");
}

TEST_F(Decode, names_a_file_that_is_missing_and_reads_the_others) {
  disk_.set_contents("log", kOrder);
  DecodeOptions options;
  options.input.files = {"missing", "log"};
  EXPECT_EQ(run(options), kUsage);
  EXPECT_EQ(err_.text(), "nexusfix decode: open missing: No such file or directory\n");
  EXPECT_THAT(out_.text(), HasSubstr("NewOrderSingle"));
}

TEST_F(Decode, says_when_a_file_cannot_be_read_to_its_end) {
  disk_.fail(testing::DiskCall::Read, 1, EIO);
  EXPECT_EQ(run_on(kOrder), kUsage);
  EXPECT_THAT(err_.text(), HasSubstr("log: Input/output error"));
}

TEST_F(Decode, shows_one_line_a_message_and_a_count_as_summary) {
  DecodeOptions options;
  options.summary = true;
  EXPECT_EQ(run_on(kOrder + kOrder, options), kSuccess);
  EXPECT_EQ(out_.text(),
            "NewOrderSingle (D)  34=2  T -> V  ?\nNewOrderSingle (D)  34=2  T -> V  ?\n"
            "2 messages, 0 faulty\n");
}

TEST_F(Decode, counts_one_message_as_one) {
  DecodeOptions options;
  options.summary = true;
  EXPECT_EQ(run_on(kOrder, options), kSuccess);
  EXPECT_THAT(out_.text(), ::testing::EndsWith("\n1 message, 0 faulty\n"));
}

TEST_F(Decode, reports_the_number_of_skipped_places_at_the_end) {
  DecodeOptions options;
  options.summary = true;
  EXPECT_EQ(run_on("8=FIX\n" + kOrder + "8=FIX.4.4 is one\n", options), kSuccess);
  EXPECT_THAT(out_.text(), ::testing::EndsWith("\n1 message, 0 faulty, 2 skipped\n"));
  EXPECT_THAT(err_.text(), HasSubstr("log: 2 places with 8=FIX are no message, the first at byte "
                                     "0: a version, a separator and 9= do not follow"));
  EXPECT_EQ(run_on("8=FIX\n"), kFailure);
  EXPECT_THAT(err_.text(), HasSubstr("log: 1 place with 8=FIX is no message"));
  EXPECT_THAT(err_.text(), ::testing::EndsWith("nexusfix decode: no message\n"));
}

TEST_F(Decode, takes_the_delimiter_that_is_given) {
  std::string text = bar(kOrder);
  DecodeOptions options;
  options.input.delimiter = "|";
  EXPECT_EQ(run_on(text + "\n" + kOrder, options), kSuccess);
  EXPECT_THAT(err_.text(), HasSubstr("1 place with 8=FIX is no message, the first at byte "));
  EXPECT_THAT(err_.text(), HasSubstr("the delimiter does not follow"));
}

TEST_F(Decode, colours_on_request_and_never_for_a_pipe) {
  DecodeOptions options;
  run_on(kOrder, options);
  EXPECT_THAT(out_.text(), Not(HasSubstr("\x1b")));
  options.colour = ColourChoice::Always;
  run_on(kOrder, options);
  EXPECT_THAT(out_.text(), HasSubstr("\x1b[1m"));
}

TEST_F(Decode, takes_names_from_a_dictionary_of_the_user) {
  disk_.set_contents("own.xml",
                     "<fix major=\"4\" minor=\"4\"><messages/><fields>"
                     "<field number=\"11\" name=\"TheirOrder\" type=\"STRING\"/></fields></fix>");
  DecodeOptions options;
  options.dictionary = "own.xml";
  EXPECT_EQ(run_on(kOrder, options), kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("TheirOrder    A1"));
}

TEST_F(Decode, says_where_a_dictionary_is_wrong) {
  disk_.set_contents("own.xml", "<fix major=\"4\" minor=\"4\">\n<messages/></fix>");
  DecodeOptions options;
  options.dictionary = "own.xml";
  EXPECT_EQ(run_on(kOrder, options), kUsage);
  EXPECT_EQ(err_.text(), "nexusfix decode: own.xml:1: there is no <fields>\n");
  options.dictionary = "none.xml";
  EXPECT_EQ(run_on(kOrder, options), kUsage);
  EXPECT_THAT(err_.text(), HasSubstr("open none.xml: No such file or directory"));
  EXPECT_THAT(out_.text(), IsEmpty());
}

// FIXT 1.1: the Logon's DefaultApplVerID (1137) is the version of the messages after it.
TEST_F(Decode, uses_the_application_version_of_a_logon_for_the_messages_after_it) {
  EXPECT_EQ(run_on(fix("FIXT.1.1", "35=A|34=1|1137=4|") + fix("FIXT.1.1", "35=8|34=2|32=5|")),
            kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("LastShares"));
}

// FIX 4.4 has no such field.
TEST_F(Decode, takes_no_application_version_from_a_message_of_fix_4) {
  EXPECT_EQ(run_on(fix("FIXT.1.1", "35=A|34=1|1137=4|") + fix("FIX.4.4", "35=A|34=1|1137=9|") +
                   fix("FIXT.1.1", "35=8|34=2|32=5|")),
            kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("LastShares"));
}

}  // namespace
}  // namespace nexusfix::command
