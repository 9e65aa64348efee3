// Sessions that remember what they have received find the same as a parser and a validator without
// memory: for random streams of messages whose sequences of tags repeat, over changes of session,
// version and dictionary. RC_PARAMS="seed=..." repeats a run.
#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <gtest/gtest.h>
#include <optional>
#include <rapidcheck/gtest.h>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/parser.hpp>
#include <nexusfix/wire/typed.hpp>

#include "dictionary/validate/field_sequence.hpp"
#include "support/fix_text.hpp"
#include "support/message_generator.hpp"
#include "support/parser_kernels.hpp"

namespace nexusfix::dictionary::remembered {
namespace {

using Fields = std::vector<testing::GeneratedField>;
using Checked = std::expected<wire::MessageView, wire::ParseError>;

constexpr std::size_t kTrailerBytes = 7;

// The first eight are right.
constexpr std::array<std::string_view, 20> kTimes{
    "20240115-10:30:00.123",    "20240115-19:59:59.999",          "20240115-10:30:00.123456",
    "20240115-23:59:59.999999", "20240115-10:30:00.123456789",    "20240115-20:00:00.000000000",
    "20240115-10:30:00",        "99991231-23:59:59.999",          "20240115-23:59:60.000",
    "20240115-24:00:00.000",    "20240115-10:30:00.12345x",       "20240115-10:30:00.12345678:",
    "20240115-10:60:00.123456", "20240115-10:30:00:123456",       "20240115-10:30:00.123/56789",
    "20230229-10:30:00.123456", "20240229-10:30:00.123456789",    "19991231-10:30:00.123456",
    "20240116-10:30:00.123",    "20240115-10:30:00.1234567890123"};
constexpr std::array<std::string_view, 20> kValues{
    "1",  "2",  "N",   "Y",     "Z",  "0",    "00",     "-1", "1.5",      ".",
    "1.", ".5", "1-2", "1.2.3", "12", "AB C", "12 1 2", "7:", "9999999/", "20240115"};

// Three versions, each with strict and with lenient rules.
struct Rulebook {
  const Dictionary& transport;
  const Dictionary& application;
  Validator validator;
};
const std::deque<Rulebook>& rulebooks() {
  static const std::deque<Rulebook> kRulebooks = [] {
    ValidationRules lenient;
    lenient.allow_unknown_msg_fields = true;
    lenient.allow_unknown_enum_values = true;
    lenient.validate_user_defined_fields = false;
    std::deque<Rulebook> books;
    for (const Version version : {Version::Fix44, Version::Fix42, Version::Fix50Sp2}) {
      const Dictionary& application = builtin_dictionary(version);
      const Dictionary& transport =
          version == Version::Fix50Sp2 ? builtin_dictionary(Version::Fixt11) : application;
      for (const ValidationRules& rules : {ValidationRules{}, lenient}) {
        books.push_back({transport, application,
                         Validator::make(FixtDictionaries{transport, application}, rules).value()});
      }
    }
    return books;
  }();
  return kRulebooks;
}

std::string described(const Checked& message) {
  if (!message) return std::string{to_string(message.error().reason)};
  std::string text;
  for (const wire::FieldView field : *message) {
    text += std::to_string(field.tag) + '@' + std::to_string(field.offset) + '=';
    text += field.value;
    text += '|';
  }
  return text + (message->fault() ? "fault" : "");
}

std::string described(const std::optional<Violation>& violation) {
  if (!violation) return "valid";
  return std::to_string(static_cast<int>(violation->rule)) + ' ' + std::to_string(violation->tag) +
         ' ' + std::to_string(violation->offset) + ' ' + std::to_string(violation->found_entries);
}

// The message as a session gets it, with its header in the usual order.
Fields with_header(Fields fields) {
  Fields ordered{fields.front()};
  for (const auto& [tag, value] :
       {std::pair{tag::SenderCompID, "S"}, std::pair{tag::TargetCompID, "T"},
        std::pair{tag::MsgSeqNum, "12"}, std::pair{tag::SendingTime, "20240115-10:30:00.123"}}) {
    ordered.push_back({.tag = tag, .value = value});
    std::erase_if(fields, [&](const testing::GeneratedField& one) { return one.tag == tag; });
  }
  ordered.insert(ordered.end(), fields.begin() + 1, fields.end());
  return ordered;
}

// One message: whose parser and memory, by which rules, of which sequence, and its changes.
struct Step {
  std::size_t session = 0;
  std::size_t rulebook = 0;
  std::size_t type = 0;
  unsigned seed = 0;
  unsigned change = 0;
  unsigned at = 0;
  unsigned value = 0;
};

class Stream {
 public:
  void take(const Step& step) {
    const Rulebook& book = rulebooks()[step.rulebook];
    constexpr std::array<std::string_view, 5> kTypes{"D", "F", "G", "8", "0"};
    const MessageDefinition* const definition = book.application.message(kTypes[step.type]);
    const bool is_transports = &book.transport == &book.application;
    if (definition == nullptr) return;
    testing::MessageGenerator generator{book.transport, book.application, step.seed};
    Fields fields = with_header(generator.message(
        *definition, is_transports,
        step.seed % 2 == 0 ? testing::Fullness::Required : testing::Fullness::Some));
    change(fields, step);
    std::string bytes = testing::fix(book.transport.begin_string, testing::body_of(fields));
    if (step.change == 6) bytes = with_other_byte(std::move(bytes), step);
    // Counterparties repeat messages, wrong ones, too.
    for (unsigned i = 0; i <= step.at % 2; ++i) compare(bytes, step.session, book.validator);
  }
  [[nodiscard]] std::size_t remembered() const noexcept { return remembered_; }
  // The messages whose tags the parser knew.
  [[nodiscard]] std::size_t compared() const noexcept { return compared_; }

 private:
  struct Session {
    wire::detail::ParserIndex parser;
    ValidationMemory memory{};
  };

  static void change(Fields& fields, const Step& step) {
    constexpr std::size_t kFirst = 5;  // after the header
    if (fields.size() <= kFirst) return;
    const std::size_t at = kFirst + step.at % (fields.size() - kFirst);
    // The values of most messages are new, and valid.
    for (std::size_t i = kFirst; i < fields.size(); ++i) {
      if (fields[i].type == FieldType::UtcTimestamp) {
        fields[i].value = kTimes[(step.at + i) % (step.value % 4 == 0 ? kTimes.size() : 8)];
      }
    }
    const std::size_t other = kFirst + step.value % (fields.size() - kFirst);
    switch (step.change) {
      case 1:
      case 2:
        fields[at].value = kValues[step.value % kValues.size()];
        break;
      case 3:
        fields[at].value = kTimes[step.value % kTimes.size()];
        break;
      case 4:
        std::swap(fields[at], fields[other]);
        break;
      case 5:
        if (step.value % 2 == 0) {
          fields[at].tag = step.value % 3 == 0 ? 9'999 : 70'000;
        } else {
          fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(at));
        }
        break;
      case 7:
        fields[at].value = fields[other].value;
        break;
      default:
        break;
    }
  }
  static std::string with_other_byte(std::string bytes, const Step& step) {
    constexpr std::string_view kBytes = "0129-.:/YNAZ =\x01\x02\x7f\x80\xff";
    bytes.resize(bytes.size() - kTrailerBytes);
    bytes[step.at % bytes.size()] = kBytes[step.value % kBytes.size()];
    return testing::with_checksum(bytes);
  }

  void compare(const std::string& bytes, std::size_t of, const Validator& validator) {
    Session& session = sessions_[of];
    const Checked message = session.parser.parse(bytes);
    const Checked fresh = fresh_parser_.parse(bytes);
    RC_ASSERT(described(message) == described(fresh));
    if (!message) return;
    compared_ += message->sequence() != nullptr ? 1 : 0;
    const std::optional<Violation> expected = validator.validate(*fresh);
    const std::size_t known = knows(session, *message);
    RC_ASSERT(described(validator.validate(*message, session.memory)) == described(expected));
    RC_ASSERT(!expected || session.memory.proof() == nullptr);
    if (!expected) expect_right_proof(session, *message);
    if (!message->get<std::uint64_t>(tag::MsgSeqNum) || !message->get<WallTime>(tag::SendingTime))
      return;
    remembered_ += known;
    const bool is_valid = validator.is_valid_after_header(*message, session.memory);
    RC_ASSERT((is_valid ? !expected : expected || has_leading_zero(bytes)));
    RC_ASSERT(is_valid || session.memory.proof() == nullptr);
    if (is_valid) expect_right_proof(session, *message);
  }
  // A usual time is a WallTime.
  static void expect_right_proof(const Session& session, const wire::MessageView& message) {
    const wire::detail::FieldProof* const proof = session.memory.proof();
    if (proof == nullptr) return;
    RC_ASSERT(proof->is_flagged() == message.has_either(tag::PossDupFlag, tag::PossResend));
    for (const wire::Tag tag : {60U, 126U, 168U}) {
      if (proof->has_usual_times() && message.has(tag))
        RC_ASSERT(message.get<WallTime>(tag).has_value());
    }
  }
  [[nodiscard]] static std::size_t knows(Session& session, const wire::MessageView& message) {
    if (!SequenceKeys::are_those_of(message)) return 0;
    for (std::size_t i = 0; i < ValidationMemory::kSequences; ++i) {
      const FieldSequence& sequence = session.memory.at_place(i);
      if (sequence.context_id != 0 && sequence.is_of(sequence.context_id, SequenceKeys{message}))
        return 1;
    }
    return 0;
  }
  // Leading zeros are left to validate(). CheckSum may begin with one.
  [[nodiscard]] static bool has_leading_zero(std::string_view bytes) {
    bytes.remove_suffix(kTrailerBytes);
    for (std::size_t at = bytes.find("=0"); at != bytes.npos; at = bytes.find("=0", at + 1)) {
      if (bytes[at + 2] >= '0' && bytes[at + 2] <= '9') return true;
    }
    return false;
  }

  static Session session_with_kernel(std::size_t number) {
    return {wire::detail::ParserIndex{wire::DataFieldTable::standard(),
                                      testing::comparing_kernel(number)}};
  }

  std::array<Session, 2> sessions_{session_with_kernel(0), session_with_kernel(1)};
  wire::detail::ParserIndex fresh_parser_{wire::DataFieldTable::standard(),
                                          testing::plain_kernel()};
  std::size_t remembered_ = 0;
  std::size_t compared_ = 0;
};

rc::Gen<std::vector<Step>> any_steps() {
  const auto step = rc::gen::build<Step>(
      rc::gen::set(&Step::session, rc::gen::inRange<std::size_t>(0, 2)),
      rc::gen::set(&Step::rulebook,
                   rc::gen::weightedOneOf<std::size_t>({{3, rc::gen::just<std::size_t>(0)},
                                                        {1, rc::gen::inRange<std::size_t>(0, 6)}})),
      rc::gen::set(&Step::type, rc::gen::inRange<std::size_t>(0, 5)),
      rc::gen::set(&Step::seed, rc::gen::inRange(0U, 6U)),
      rc::gen::set(&Step::change, rc::gen::inRange(0U, 10U)),  // 8 and 9: none
      rc::gen::set(&Step::at, rc::gen::inRange(0U, 512U)),
      rc::gen::set(&Step::value, rc::gen::inRange(0U, 512U)));
  return rc::gen::container<std::vector<Step>>(rc::gen::resize(rc::kNominalSize, step));
}

TEST(RememberedSequences, a_session_finds_what_a_fresh_parser_and_validator_find) {
  std::size_t remembered = 0;
  std::size_t compared = 0;
  std::size_t messages = 0;
  const bool is_valid = rc::check([&] {
    const std::vector<Step> steps = *rc::gen::resize(600, any_steps());
    Stream stream;
    for (const Step& step : steps) stream.take(step);
    remembered += stream.remembered();
    compared += stream.compared();
    messages += steps.size();
  });
  EXPECT_TRUE(is_valid);
  EXPECT_GT(remembered, messages / 4);
  EXPECT_TRUE(testing::comparing_kernel(0).find_sequence == nullptr || compared > messages / 20)
      << compared;
}

// A session that gets orders with some fields after the required ones.
class Orders {
 public:
  explicit Orders(const Validator& validator, std::size_t kernel = 0)
      : validator_{validator},
        parser_{wire::DataFieldTable::standard(), testing::comparing_kernel(kernel)} {}

  // Whether an order with these fields is valid, and what is remembered does not change that.
  bool is_valid(const std::string& fields) {
    const std::string bytes =
        testing::fix("FIX.4.4",
                     "35=D|49=S|56=T|34=2|52=20240115-10:30:00.123|11=A|55=B|54=1|"
                     "60=20240115-10:30:00.123|40=1|38=7|" +
                         fields);
    const Checked message = parser_.parse(bytes);
    if (!message) return false;
    const bool is_remembered_valid = validator_.is_valid_after_header(*message, memory_);
    EXPECT_EQ(is_remembered_valid, !validator_.validate(*message)) << fields;
    return is_remembered_valid;
  }

 private:
  const Validator& validator_;
  wire::detail::ParserIndex parser_;
  ValidationMemory memory_;
};

// Any letters and digits are a Currency (15), and few of them a MaturityMonthYear (200).
TEST(RememberedSequences, a_value_that_was_right_for_one_field_is_checked_for_another) {
  Orders orders{rulebooks().front().validator};
  const auto is_valid = [&](const std::string& currency, const std::string& month) {
    return orders.is_valid("15=" + currency + "|200=" + month + "|");
  };
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(is_valid("USD", "2024X1150")) << i;
  EXPECT_TRUE(is_valid("USD", "202401"));
  EXPECT_TRUE(is_valid("USD", "202401"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(is_valid("USD", "2024X1150")) << i;
    EXPECT_TRUE(is_valid("USD", "202401")) << i;
    EXPECT_FALSE(is_valid("USD", std::string("202401\0", 7))) << i;
    EXPECT_FALSE(is_valid("EUR", "EUR")) << i;
    EXPECT_FALSE(is_valid("EUR", "EUR")) << i;
  }
}

TEST(RememberedSequences, a_sequence_has_no_values_of_the_one_that_it_replaces) {
  constexpr int kMany = 4 * static_cast<int>(ValidationMemory::kSequences);
  constexpr int kFirstTag = 5'000;
  Orders orders{rulebooks()[1].validator};  // it allows other tags
  for (int tag = kFirstTag; tag < kFirstTag + kMany; ++tag) {
    const std::string fields = "15=USD|" + std::to_string(tag) + "=x|";
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(orders.is_valid(fields)) << fields;
  }
  for (int tag = kFirstTag; tag < kFirstTag + kMany; ++tag) {
    const std::string rest = "|" + std::to_string(tag) + "=x|";
    EXPECT_TRUE(orders.is_valid("200=202401" + rest)) << rest;
    EXPECT_TRUE(orders.is_valid("200=202401" + rest)) << rest;
    EXPECT_FALSE(orders.is_valid("200=USD" + rest)) << rest;
  }
}

// With a Text (58) of another size each time, so that no order has the shape of the one before it.
std::string with_text(const std::string& fields) {
  constexpr std::size_t kSizes = 40;
  static std::size_t calls = 0;
  return fields + "58=" + std::string(1 + calls++ % kSizes, 'x') + '|';
}

// PartyIDSource (447) is one character, PartyRole (452) a number of the dictionary, and NoPartyIDs
// (453) counts the entries.
TEST(RememberedSequences, a_value_of_a_known_sequence_that_changes_is_checked) {
  for (const std::size_t kernel : {std::size_t{0}, std::size_t{1}}) {
    Orders orders{rulebooks().front().validator, kernel};
    const auto is_valid = [&](const std::string& count, const std::string& source,
                              const std::string& role) {
      return orders.is_valid(
          with_text("453=" + count + "|448=P|447=" + source + "|452=" + role + "|"));
    };
    for (int round = 0; round < 40; ++round) {
      for (int i = 0; i < 5; ++i) EXPECT_TRUE(is_valid("1", "D", "12")) << round;
      EXPECT_FALSE(is_valid("1", "D", "1x")) << round;
      EXPECT_FALSE(is_valid("1", "D", "12 ")) << round;
      EXPECT_FALSE(is_valid("1", "D", "123456789")) << round;
      EXPECT_FALSE(is_valid("1", "Dx", "12")) << round;
      EXPECT_FALSE(is_valid("1", "\x7f", "12")) << round;
      EXPECT_FALSE(is_valid("2", "D", "12")) << round;
      EXPECT_TRUE(is_valid("1", "B", "12")) << round;
      EXPECT_TRUE(is_valid("1", "D", round % 2 == 0 ? "1" : "13")) << round;
    }
  }
}

// An ExpireDate (432) is too long to be compared.
TEST(RememberedSequences, a_long_value_of_a_known_sequence_is_checked) {
  for (const std::size_t kernel : {std::size_t{0}, std::size_t{1}}) {
    Orders orders{rulebooks().front().validator, kernel};
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(orders.is_valid(with_text("432=20240115|"))) << i;
    EXPECT_FALSE(orders.is_valid(with_text("432=20240132|")));
    EXPECT_TRUE(orders.is_valid(with_text("432=20240116|")));
  }
}

}  // namespace
}  // namespace nexusfix::dictionary::remembered
