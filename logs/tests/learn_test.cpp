// `nexusfix dict learn`.
#include "logs/learn/learn.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "logs/validate/message_checker.hpp"
#include "nexusfix/dictionary/named_dictionary.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"
#include "support/message_generator.hpp"
#include "support/output_text.hpp"

namespace nexusfix::command {
namespace {

using dictionary::Version;
using testing::fix;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string message(std::string_view type, std::string_view body) {
  return fix("FIX.4.4", "35=" + std::string{type} + "|34=2|49=T|52=20240115-10:30:00|56=V|" +
                            std::string{body}) +
         "\n";
}
std::string order(std::string_view more = {}) {
  return message("D", "11=A1|55=AAPL|54=1|60=20240115-10:30:00|38=100|40=1|" + std::string{more});
}

class Learn : public ::testing::Test {
 protected:
  int run(const LearnOptions& options) {
    testing::OutputText out;
    testing::OutputText err;
    const int status = learn_dictionary(options, disk_, {out.stream(), err.stream()});
    out_ = out.text();
    err_ = err.text();
    return status;
  }
  int run_on(std::string_view log, LearnOptions options = {}) {
    disk_.set_contents("log", log);
    options.input.files = {"log"};
    return run(options);
  }
  // The printed dictionary.
  std::string learned(std::string_view log, logs::DictionaryFormat format = {}) {
    EXPECT_EQ(run_on(log, {.format = format}), kSuccess) << err_;
    disk_.set_contents("learned.xml", out_);
    return out_;
  }
  std::string gaps(std::string_view log, std::string_view dictionary) {
    disk_.set_contents("venue.xml", dictionary);
    run_on(log, {.against = "venue.xml"});
    return out_ + err_;
  }
  // Why the learned dictionary refuses the message; empty: it does not.
  std::string fault_of(const std::string& bytes) {
    auto named = NamedDictionary::load(disk_, "learned.xml", dictionary::DictionaryFaults::Refuse);
    if (!named) return named.error().front();
    auto checker = MessageChecker::make(std::move(*named), {});
    if (!checker) return checker.error();
    const auto wrong = (*checker)->check(std::string_view{bytes}.substr(0, bytes.size() - 1));
    return wrong ? wrong->text() : "";
  }

  testing::FakeDisk disk_;
  std::string out_;
  std::string err_;
};

TEST_F(Learn, message_has_the_fields_that_were_seen_with_names_and_types_of_the_standard) {
  const std::string xml = learned(order() + order("58=hello|"));
  EXPECT_THAT(xml, HasSubstr(R"(<message name="NewOrderSingle" msgtype="D" msgcat="app"> <!-- 2)"));
  EXPECT_THAT(xml, HasSubstr(R"(<field name="ClOrdID" required="Y"/>)"));
  EXPECT_THAT(xml, HasSubstr(R"(<field name="Text" required="N"/>)"));
  EXPECT_THAT(xml, Not(HasSubstr(R"("Account")")));
  EXPECT_THAT(xml, HasSubstr(R"(<field number="38" name="OrderQty" type="QTY"/> <!-- 2 values)"));
}

TEST_F(Learn, enumeration_has_the_values_that_were_seen_and_their_counts) {
  const std::string xml = learned(order() + order() + order("59=Z|"));
  EXPECT_THAT(xml, HasSubstr(R"(<value enum="1" description="BUY"/> <!-- 3 times -->)"));
  EXPECT_THAT(xml, Not(HasSubstr(R"(description="SELL")")));
  EXPECT_THAT(xml, HasSubstr(R"(<value enum="Z" description="VALUE_Z"/> <!-- 1 time -->)"));
}

TEST_F(Learn, type_of_an_unknown_field_is_the_narrowest_that_fits_all_values) {
  const std::string xml =
      learned(order("5001=Y|5002=12|5003=12|5004=20240115-10:30:00.123|5005=A|5006=abc|"
                    "5007=20240115|5008=10:30:00|") +
              order("5001=N|5002=-3|5003=1.5|5004=20240115-10:30:00|5005=B|5006=1|"
                    "5007=20240116|5008=10:30:00.5|"));
  const auto has = [&](int tag, std::string_view type) {
    const std::string row = "number=\"" + std::to_string(tag) + "\" name=\"Field" +
                            std::to_string(tag) + "\" type=\"" + std::string{type} + "\"";
    EXPECT_THAT(xml, HasSubstr(row));
  };
  has(5001, "BOOLEAN");
  has(5002, "INT");
  has(5003, "PRICE");
  has(5004, "UTCTIMESTAMP");
  has(5005, "CHAR");
  has(5006, "STRING");
  has(5007, "LOCALMKTDATE");
  has(5008, "UTCTIMEONLY");
}

TEST_F(Learn, known_field_gets_another_type_if_its_values_do_not_fit) {
  const std::string xml = learned(order("44=market|"));
  EXPECT_THAT(xml, HasSubstr(R"(number="44" name="Price" type="STRING")"));
  EXPECT_THAT(fault_of(order("44=market|")), IsEmpty());
}

TEST_F(Learn, group_of_the_standard_has_the_members_that_were_seen) {
  const std::string log = order("453=2|448=A|447=D|452=1|448=B|447=D|452=3|5009=x|");
  const std::string xml = learned(log);
  EXPECT_THAT(xml, HasSubstr("<group name=\"NoPartyIDs\" required=\"Y\">\n"
                             "        <field name=\"PartyID\" required=\"Y\"/>\n"
                             "        <field name=\"PartyIDSource\" required=\"Y\"/>\n"
                             "        <field name=\"PartyRole\" required=\"Y\"/>\n"
                             "      </group>\n"
                             "      <field name=\"Field5009\" required=\"Y\"/>"));
  EXPECT_THAT(fault_of(log), IsEmpty());
}

TEST_F(Learn, group_of_the_venue_is_found_by_its_count_and_its_repetitions) {
  const std::string two = order("5100=2|5101=A|5102=1|5101=B|5102=2|58=after|");
  const std::string one = order("5100=1|5101=C|58=after|");
  const std::string xml = learned(one + two + one);
  EXPECT_THAT(xml, HasSubstr("<group name=\"Field5100\" required=\"Y\">\n"
                             "        <field name=\"Field5101\" required=\"Y\"/>\n"
                             "        <field name=\"Field5102\" required=\"N\"/>\n"
                             "      </group>"));
  EXPECT_THAT(xml, HasSubstr(R"(number="5100" name="Field5100" type="NUMINGROUP")"));
  EXPECT_THAT(fault_of(one), IsEmpty());
  EXPECT_THAT(fault_of(two), IsEmpty());
}

TEST_F(Learn, field_of_the_venue_within_the_header_is_a_member_of_the_header) {
  const std::string log =
      fix("FIX.4.4", "35=0|34=2|9123=X|49=T|52=20240115-10:30:00|56=V|112=T1|") + "\n";
  learned(log);
  EXPECT_THAT(fault_of(log), IsEmpty());
}

TEST_F(Learn, password_is_never_shown) {
  const std::string log = message("A", "98=0|108=30|553=me|554=hush|925=secret|96=private|");
  const std::string xml = learned(log);
  for (const char* const secret : {"hush", "secret", "private"}) {
    EXPECT_THAT(xml, Not(HasSubstr(secret)));
  }
  EXPECT_THAT(gaps(log, xml), Not(HasSubstr("hush")));
}

TEST_F(Learn, comparison_names_what_the_dictionary_does_not_say_with_counts_and_places) {
  const std::string dictionary = learned(order());
  const std::string log = order() + order("5001=x|58=a|") + order("5001=y|") +
                          message("U7", "58=a|") +
                          message("D", "11=A1|55=AAPL|54=7|60=soon|38=100|");
  const std::string text = gaps(log, dictionary);
  for (const char* const line :
       {"NewOrderSingle (D): tag 5001 is not in the dictionary: 2 times, first in log, message 2",
        "NewOrderSingle (D): Text (58) is not a field of it: 1 time, first in log, message 2",
        "Message_U7 (U7): the message is not in the dictionary: 1 time, first in log, message 4",
        "NewOrderSingle (D): OrdType (40) is required, and missing: 1 time, first in log, message "
        "5",
        "field Side (54): value '7' is not listed: 1 time, first in log, message 5",
        "field TransactTime (60): a value is no UTCTIMESTAMP: 1 time, first in log, message 5"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST_F(Learn, comparison_with_its_own_dictionary_finds_nothing) {
  const std::string log = order() + order("453=1|448=A|447=D|452=1|");
  const std::string dictionary = learned(log);
  disk_.set_contents("venue.xml", dictionary);
  EXPECT_EQ(run_on(log, {.against = "venue.xml"}), kSuccess);
  EXPECT_THAT(out_, HasSubstr("2 messages, 0 that the dictionary does not say"));
}

TEST_F(Learn, orchestra_has_the_counts_too) {
  const std::string own = message("U1", "5001=x|5002=20240115-10:30:00|");
  const std::string xml = learned(order() + order() + own, logs::DictionaryFormat::Orchestra);
  EXPECT_THAT(xml, HasSubstr(R"(name="NewOrderSingle" msgType="D"> <!-- 2 messages -->)"));
  EXPECT_THAT(xml, HasSubstr(R"(name="BUY" value="1" /> <!-- 2 times -->)"));
  EXPECT_THAT(xml, HasSubstr(R"(name="Field5002" type="UTCTimestamp" /> <!-- 1 value -->)"));
  EXPECT_THAT(fault_of(order()), IsEmpty());
  EXPECT_THAT(fault_of(message("D", "11=A1|")), HasSubstr("OrderQty"));
}

TEST_F(Learn, input_without_messages_is_an_error) {
  EXPECT_EQ(run_on("nothing\x01 here 8=FIX and more"), kFailure);
  EXPECT_THAT(err_, HasSubstr("no message to learn from"));
  EXPECT_EQ(run_on(""), kFailure);
}

TEST_F(Learn, faulty_messages_are_left_out_and_counted) {
  const std::string faulty = fix("FIX.4.4", "35=D|34=2|49=T|x=1|56=V|52=20240115-10:30:00|") + "\n";
  EXPECT_EQ(run_on(order() + faulty), kSuccess);
  EXPECT_THAT(err_, HasSubstr("1 faulty messages are left out"));
}

TEST_F(Learn, unreadable_files_and_versions_are_errors_of_usage) {
  LearnOptions options;
  options.input.files = {"absent"};
  EXPECT_EQ(run(options), kUsage);
  EXPECT_EQ(run_on(order(), {.version = "FIX.9"}), kUsage);
  EXPECT_EQ(run_on(order(), {.against = "absent.xml"}), kUsage);
}

// Random messages of every version: the learned dictionary loads, and accepts each of them.
TEST_F(Learn, learned_dictionary_accepts_the_log_that_it_was_learned_from) {
  constexpr Version kLearned[] = {Version::Fix40, Version::Fix41, Version::Fix42,
                                  Version::Fix43, Version::Fix44, Version::Fix50Sp2};
  for (const Version version : kLearned) {
    const dictionary::Dictionary& application = dictionary::builtin_dictionary(version);
    const bool is_fixt = version == Version::Fix50Sp2;
    const dictionary::Dictionary& transport =
        dictionary::builtin_dictionary(is_fixt ? Version::Fixt11 : version);
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      testing::MessageGenerator generator{transport, application, seed};
      std::string log;
      std::vector<std::string> messages;
      for (int kind = 0; kind < 4; ++kind) {
        const auto& definition = application.messages[generator.below(application.messages.size())];
        for (int i = 0; i < 5; ++i) {
          const auto fullness =
              generator.below(2) == 0 ? testing::Fullness::Some : testing::Fullness::Required;
          const std::string body = testing::body_of(generator.message(definition, false, fullness));
          if (body.contains("|1128=")) continue;  // ApplVerID: perhaps of another version
          messages.push_back(fix(is_fixt ? "FIXT.1.1" : application.begin_string, body) + "\n");
          log += messages.back();
        }
      }
      learned(log, seed % 2 == 0 ? logs::DictionaryFormat::Orchestra : logs::DictionaryFormat{});
      for (const std::string& one : messages) {
        ASSERT_THAT(fault_of(one), IsEmpty())
            << dictionary::to_string(version) << ", seed " << seed << ": " << testing::bar(one);
      }
      EXPECT_EQ(run_on(log, {.against = "learned.xml"}), kSuccess)
          << dictionary::to_string(version) << ", seed " << seed << ": " << out_;
    }
  }
}

}  // namespace
}  // namespace nexusfix::command
