#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/explanation.hpp>
#include <nexusfix/wire/parser.hpp>

#include "unit/wire/message_text.hpp"

namespace nexusfix::dictionary {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kHeader = "49=A|56=B|34=1|52=20240115-10:30:00|";
const std::string kOrder =
    "35=D|" + kHeader + "11=A1|55=AAPL|54=1|60=20240115-10:30:00|38=100|40=1|";

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  text.replace(text.find(what), what.size(), with);
  return text;
}

class Explain : public ::testing::Test {
 protected:
  // The explanation of the first violation in a message of FIX.4.4.
  Explanation explained(std::string_view body) { return explained(body, validator_); }
  Explanation explained(std::string_view body, const Validator& validator) {
    frame_ = test::message_of(body);
    wire::Parser parser;
    const auto message = parser.parse(frame_);
    const auto violation = validator.validate(*message);
    EXPECT_TRUE(violation.has_value()) << body;
    return violation ? explain(*violation, *message, dictionary_) : Explanation{};
  }
  // The bytes above the marks.
  static std::string marked(const Explanation& result) {
    const std::size_t begin = result.marks_line.find('^');
    return result.message_line.substr(begin, result.marks_line.size() - begin);
  }

  const Dictionary& dictionary_ = builtin_dictionary(Version::Fix44);
  const Validator validator_ = *Validator::make(dictionary_, {});
  std::string frame_;
};

TEST_F(Explain, a_value_that_is_not_in_the_enumeration) {
  const Explanation result = explained(replaced(kOrder, "54=1|", "54=sell|"));
  EXPECT_THAT(result.problem, StartsWith("Side (54) is 'sell', which is no"));
  EXPECT_EQ(marked(result), "sell");
  EXPECT_THAT(result.definition, StartsWith("54 Side, CHAR: 1 BUY, 2 SELL, "));
  EXPECT_EQ(result.nearest, "54=2 (SELL)");
  EXPECT_EQ(result.tag, 54U);

  const Explanation one = explained(replaced(kOrder, "54=1|", "54=Z|"));
  EXPECT_EQ(one.problem, "Side (54) is 'Z', which is not one of its values");
  EXPECT_EQ(one.reason, wire::SessionRejectReason::ValueIncorrect);
  EXPECT_THAT(one.definition, HasSubstr(" values)"));
  EXPECT_EQ(one.offset, frame_.find("54=Z") + 3);
  EXPECT_EQ(one.size, 1U);
}

TEST_F(Explain, a_value_of_the_wrong_type_and_its_correction) {
  const Explanation result = explained(replaced(kOrder, "38=100|", "38=1,000|"));
  EXPECT_EQ(result.problem, "OrderQty (38) is '1,000', which is not of type QTY");
  EXPECT_EQ(result.nearest, "38=1000");
  EXPECT_EQ(marked(result), "1,000");
  EXPECT_EQ(result.reason, wire::SessionRejectReason::IncorrectDataFormat);
  EXPECT_EQ(
      explained(replaced(kOrder, "60=20240115-10:30:00|", "60=2024-01-15T10:30:00Z|")).nearest,
      "60=20240115-10:30:00");
  EXPECT_EQ(explained(replaced(kOrder, "38=100|", "38=many|")).nearest,
            "a decimal number without exponent, such as 38=100");
}

TEST_F(Explain, a_sequence_number_of_zero_is_out_of_range) {
  const Explanation result = explained("35=2|" + kHeader + "7=0|16=0|");
  EXPECT_EQ(result.problem, "BeginSeqNo (7) is '0', which is out of the range of SEQNUM");
  EXPECT_EQ(result.reason, wire::SessionRejectReason::ValueIncorrect);
}

TEST_F(Explain, a_required_field_that_is_missing_with_its_name_and_type) {
  const Explanation result = explained(replaced(kOrder, "40=1|", ""));
  EXPECT_EQ(result.problem, "NewOrderSingle (D) needs OrdType (40), which is missing");
  EXPECT_THAT(result.definition, StartsWith("40 OrdType, CHAR: 1 MARKET, 2 LIMIT"));
  EXPECT_EQ(result.nearest, "40=1 (MARKET)");
  EXPECT_EQ(marked(result), "D");
  EXPECT_EQ(result.size, 0U);
}

TEST_F(Explain, a_tag_that_does_not_exist_and_the_intended_one) {
  const Explanation result = explained(kOrder + "4444=10.5|");
  EXPECT_EQ(result.problem, "the dictionary has no field 4444");
  EXPECT_EQ(marked(result), "4444=10.5");
  EXPECT_EQ(result.reason, wire::SessionRejectReason::InvalidTagNumber);
  EXPECT_THAT(explained(kOrder + "20001=x|").nearest, StartsWith("user-defined"));
}

TEST_F(Explain, a_field_of_other_messages) {
  const Explanation result = explained(kOrder + "554=secret|");
  EXPECT_EQ(result.problem, "Password (554) is not a field of NewOrderSingle (D)");
  EXPECT_EQ(result.definition, "554 Password, STRING");
  EXPECT_THAT(result.nearest, HasSubstr("it is a field of "));
  EXPECT_THAT(result.nearest, HasSubstr("Logon"));
}

TEST_F(Explain, a_number_is_only_corrected_if_its_meaning_is_certain) {
  const auto advice = [&](std::string_view text) {
    return explained(replaced(kOrder, "38=100|", "38=" + std::string{text} + '|')).nearest;
  };
  EXPECT_EQ(advice("1,000.50"), "38=1000.50");
  EXPECT_EQ(advice("1 234 567"), "38=1234567");
  EXPECT_EQ(advice("+150.5"), "38=150.5");
  for (const std::string_view text : {"150,25", "1.234,56", "1,234", "--1", "1,00", ",000"}) {
    EXPECT_EQ(advice(text), "a decimal number without exponent, such as 38=100") << text;
  }
}

TEST_F(Explain, an_enumeration_suggests_one_of_its_values) {
  EXPECT_THAT(explained(kOrder + "59=10|").nearest, StartsWith("one of its values, such as 59="));
}

TEST_F(Explain, an_unknown_message_type_and_the_nearest_one) {
  const Explanation named = explained(replaced(kOrder, "35=D|", "35=NewOrderSigle|"));
  EXPECT_EQ(named.nearest, "35=D (NewOrderSingle)");
  EXPECT_EQ(marked(named), "NewOrderSigle");
  EXPECT_EQ(named.reason, wire::SessionRejectReason::InvalidMsgType);
  EXPECT_EQ(explained(replaced(kOrder, "35=D|", "35=ae|")).nearest, "35=AE (TradeCaptureReport)");
}

TEST_F(Explain, fields_that_are_malformed) {
  const Explanation zero = explained(replaced(kOrder, "54=1|", "054=1|"));
  EXPECT_THAT(zero.problem, StartsWith("'054' is not a tag"));
  EXPECT_EQ(zero.nearest, "54 (Side)");
  EXPECT_EQ(marked(zero), "054");
  EXPECT_EQ(explained(replaced(kOrder, "54=1|", "Sidee=1|")).nearest, "54 (Side)");
  const Explanation bare = explained(replaced(kOrder, "54=1|", "54|"));
  EXPECT_EQ(bare.problem, "the field '54' has no `=`");
  EXPECT_EQ(bare.nearest, "54= and a value");
  const Explanation empty = explained(replaced(kOrder, "54=1|", "54=|"));
  EXPECT_EQ(empty.problem, "Side (54) has no value");
  EXPECT_EQ(marked(empty), "54=");
  const Explanation length = explained(kOrder + "354=7|355=abc|");
  EXPECT_EQ(length.problem,
            "EncodedTextLen (354) does not lead to the end of the data field after it");
  EXPECT_EQ(length.nearest, "354=3, if the data contains no SOH");
  EXPECT_EQ(marked(length), "354=7");
}

TEST_F(Explain, fields_in_the_wrong_place) {
  const Explanation late = explained(kOrder + "50=SUB|");
  EXPECT_EQ(late.problem, "SenderSubID (50) is a header field, but it is after the header");
  EXPECT_EQ(late.nearest, "before ClOrdID (11), where the body begins");
  EXPECT_EQ(marked(late), "50=SUB");
  const Explanation again = explained(kOrder + "11=A2|");
  EXPECT_EQ(again.problem, "ClOrdID (11) occurs a second time");
  EXPECT_EQ(again.nearest, "only one of the two; the first is at byte " +
                               std::to_string(frame_.find("11=A1") + 3));
}

TEST_F(Explain, groups) {
  const Explanation count = explained(kOrder + "453=3|448=P|447=D|452=1|448=Q|447=D|452=3|");
  EXPECT_EQ(count.problem, "NoPartyIDs (453) is '3', but there are 2 entries");
  EXPECT_EQ(count.nearest, "453=2, or PartyID (448) at the beginning of each entry");
  EXPECT_EQ(marked(count), "3");
  const Explanation delimiter = explained(kOrder + "453=1|447=D|448=P|452=1|");
  EXPECT_EQ(delimiter.problem,
            "the first entry of NoPartyIDs (453) begins with PartyIDSource (447), not with "
            "PartyID (448)");
  EXPECT_THAT(delimiter.definition, StartsWith("448 PartyID"));
  EXPECT_EQ(marked(delimiter), "447=D");
  const Explanation order =
      explained(kOrder + "453=1|448=P|452=1|447=D|",
                *Validator::make(dictionary_, {.validate_unordered_group_fields = true}));
  EXPECT_EQ(order.problem, "PartyIDSource (447) comes too late in its entry of NoPartyIDs (453)");
  EXPECT_EQ(order.nearest, "before PartyRole (452)");
  const Explanation missing = explained("35=W|" + kHeader + "55=X|268=2|269=0|270=1|270=2|");
  EXPECT_THAT(missing.text(), HasSubstr("(268)"));
}

TEST_F(Explain, the_text_shows_message_marks_definition_and_advice) {
  const Explanation result = explained(replaced(kOrder, "54=1|", "54=BUY|"));
  std::ostringstream out;
  out << result;
  EXPECT_EQ(out.str(), result.text() + "\n");
  EXPECT_THAT(result.text(), HasSubstr("\n  ..."));
  EXPECT_THAT(result.text(), HasSubstr("^~~\n  54 Side, CHAR: "));
  EXPECT_THAT(result.text(), ::testing::EndsWith("\n  nearest: 54=1 (BUY)"));
}

TEST_F(Explain, no_byte_of_a_message_can_steer_a_terminal) {
  const std::string text = explained(replaced(kOrder, "54=1|", "54=\x1b[2J\xff|")).text();
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\xff'), std::string::npos);
  EXPECT_EQ(text.find('\x01'), std::string::npos);
  EXPECT_THAT(text, HasSubstr("\\x1b[2J\\xff"));
}

TEST(ExplainFixt, header_fields_are_the_transport_s) {
  const FixtDictionaries both{builtin_dictionary(Version::Fixt11),
                              builtin_dictionary(Version::Fix50Sp2)};
  const Validator validator = *Validator::make(both, {});
  wire::Parser parser;
  const std::string frame = test::message_of(replaced(kOrder, "54=1|", "54=Z|"), "FIXT.1.1");
  const auto message = parser.parse(frame);
  EXPECT_THAT(explain(*validator.validate(*message), *message, both).problem,
              StartsWith("Side (54)"));
  const std::string late = test::message_of(kOrder + "50=SUB|", "FIXT.1.1");
  const auto second = parser.parse(late);
  EXPECT_THAT(explain(*validator.validate(*second), *second, both).problem,
              StartsWith("SenderSubID (50) is a header field"));
}

TEST(ExplainFrame, sums_and_lengths_are_corrected) {
  wire::Parser parser;
  std::string frame = test::message_of(kOrder);
  const std::string right = frame.substr(frame.size() - 4, 3);
  frame.replace(frame.size() - 4, 3, right == "000" ? "001" : "000");
  const Explanation sum = explain(parser.parse(frame).error(), frame);
  EXPECT_THAT(sum.problem, HasSubstr("add up to " + right));
  EXPECT_EQ(sum.nearest, "10=" + right);
  EXPECT_EQ(sum.offset, frame.size() - 4);
  EXPECT_FALSE(sum.reason.has_value());

  std::string body = test::message_of(kOrder);
  const std::size_t digits = body.find("9=") + 2;
  const std::string length = body.substr(digits, body.find('\x01', digits) - digits);
  body.replace(digits, length.size(), std::string(length.size(), '1'));
  body = test::with_check_sum(body.substr(0, body.size() - 7));
  const Explanation result = explain(parser.parse(body).error(), body);
  EXPECT_EQ(result.nearest, "9=" + length);
  EXPECT_EQ(result.offset, digits);
  EXPECT_EQ(result.tag, 9U);

  const Explanation cut = explain(parser
                                      .parse("8=FIX.4.4\x01"
                                             "9=5\x01"
                                             "35=0\x01")
                                      .error(),
                                  "8=FIX.4.4\x01"
                                  "9=5\x01"
                                  "35=0\x01");
  EXPECT_FALSE(cut.problem.empty());
}

// For every error, only bytes of the message are marked or read.
TEST_F(Explain, every_change_of_a_byte_is_explained_within_the_message) {
  const std::string body = kOrder + "453=2|448=P|447=D|452=1|448=Q|354=3|355=abc|";
  const std::string original = test::message_of(body);
  wire::Parser parser;
  std::size_t explanations = 0;
  for (std::size_t at = 0; at < body.size(); ++at) {
    for (const char c : {'|', '=', '0', '9', 'x', '\x1b', '\xff'}) {
      std::string changed = body;
      changed[at] = c;
      std::string kept = original;  // with the original BodyLength and CheckSum
      kept[original.find("35=") + at] = c == '|' ? '\x01' : c;
      for (const std::string& frame : {test::message_of(changed), kept}) {
        const auto message = parser.parse(frame);
        Explanation result;
        if (!message) {
          result = explain(message.error(), frame);
        } else if (const auto violation = validator_.validate(*message)) {
          result = explain(*violation, *message, dictionary_);
        } else {
          continue;
        }
        ++explanations;
        ASSERT_FALSE(result.problem.empty() || result.message_line.empty()) << changed;
        ASSERT_LE(result.offset + result.size, frame.size()) << changed;
        ASSERT_LT(result.marks_line.size(), 120U) << changed;
        ASSERT_EQ(result.text().find('\x1b'), std::string::npos) << changed;
      }
    }
  }
  EXPECT_GT(explanations, 1'000U);
}

}  // namespace
}  // namespace nexusfix::dictionary
