// A validator returns the same result with a memory and without one: for messages with a known
// sequence, with changed values, and with a changed sequence.
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/parser.hpp>

#include "base/api/ascii.hpp"
#include "dictionary/validate/field_sequence.hpp"
#include "support/fix_text.hpp"
#include "support/message_generator.hpp"

namespace nexusfix::dictionary {
namespace {

using Fields = std::vector<testing::GeneratedField>;

// Each is valid for some types and invalid for others.
const std::string kValues[] = {"",
                               "1",
                               "N",
                               "00",
                               "-1",
                               "1.5",
                               ".",
                               "1.2.3",
                               "A B",
                               "USD",
                               "999999999999999999999999",
                               "20240229-10:00:00",
                               "20230229-10:00:00.000",
                               "20230228",
                               "2023-02-28",
                               std::string(250, '7')};

class ValidationMemoryProperty : public ::testing::TestWithParam<Version> {
 protected:
  ValidationMemoryProperty()
      : transport_{builtin_dictionary(is_fixt() ? Version::Fixt11 : GetParam())},
        application_{builtin_dictionary(GetParam())} {}

  static bool is_fixt() { return GetParam() >= Version::Fix50; }

  // Returns whether the memory contains the message's sequence afterwards.
  bool expect_the_same(const Validator& validator, const Fields& fields) {
    const std::string bytes = testing::fix(transport_.begin_string, testing::body_of(fields));
    const auto message = parser_.parse(bytes);
    if (!message) return false;
    const std::optional<Violation> plain = validator.validate(*message);
    const std::optional<Violation> remembered = validator.validate(*message, memory_);
    EXPECT_EQ(plain.has_value(), remembered.has_value()) << testing::bar(bytes);
    if (plain && remembered) {
      EXPECT_TRUE(plain->rule == remembered->rule && plain->tag == remembered->tag &&
                  plain->offset == remembered->offset &&
                  plain->field_index == remembered->field_index &&
                  plain->found_entries == remembered->found_entries)
          << testing::bar(bytes);
    }
    if (has_right_header(*message)) {
      // Leading zeros are left to validate().
      const bool is_known = validator.is_valid_after_header(*message, memory_);
      EXPECT_TRUE(is_known ? !plain : plain || has_leading_zero(bytes)) << testing::bar(bytes);
    }
    return SequenceKeys::are_those_of(*message) && knows(*message);
  }
  static bool has_leading_zero(std::string_view bytes) {
    bytes.remove_suffix(std::string_view{"10=000|"}.size());  // CheckSum may begin with one
    for (std::size_t at = bytes.find("=0"); at != bytes.npos; at = bytes.find("=0", at + 1)) {
      if (is_digit(bytes[at + 2])) return true;
    }
    return false;
  }
  // What a session has found out when it asks is_valid_after_header().
  static bool has_right_header(const wire::MessageView& message) {
    return message.get<std::uint64_t>(tag::MsgSeqNum) && message.get<WallTime>(tag::SendingTime);
  }
  bool knows(const wire::MessageView& message) {
    for (std::size_t i = 0; i < ValidationMemory::kSequences; ++i) {
      const FieldSequence& sequence = memory_.at_place(i);
      if (sequence.is_of(sequence.context_id, SequenceKeys{message})) return true;
    }
    return false;
  }

  const Dictionary& transport_;
  const Dictionary& application_;
  ValidationMemory memory_;
  wire::Parser parser_;
};

TEST_P(ValidationMemoryProperty, a_validator_returns_the_same_result_with_a_memory) {
  constexpr std::uint64_t kSeeds = 2;
  ValidationRules lenient;
  lenient.allow_unknown_msg_fields = true;
  lenient.validate_user_defined_fields = false;
  std::size_t learned = 0;
  for (const ValidationRules& rules : {ValidationRules{}, lenient}) {
    const Dictionary& bodies = GetParam() == Version::Fixt11 ? transport_ : application_;
    const Validator validator =
        Validator::make(FixtDictionaries{transport_, bodies}, rules).value();
    for (const MessageDefinition& definition : application_.messages) {
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        testing::MessageGenerator generator{transport_, application_, seed};
        const bool is_transports = GetParam() == Version::Fixt11 || !is_fixt();
        const Fields fields =
            generator.message(definition, is_transports, testing::Fullness::Required);
        (void)expect_the_same(validator, fields);
        (void)expect_the_same(validator, fields);
        learned += expect_the_same(validator, fields) ? 1 : 0;
        for (std::size_t at = 1; at < fields.size(); ++at) {
          Fields changed = fields;
          for (const std::string& value : kValues) {
            changed[at].value = value;
            (void)expect_the_same(validator, changed);
          }
          changed = fields;
          changed[at].tag = at % 2 == 0 ? 9'999 : 70'000;  // also a tag beyond every key
          for (int i = 0; i < 3; ++i) (void)expect_the_same(validator, changed);
          changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(at));
          for (int i = 0; i < 3; ++i) (void)expect_the_same(validator, changed);
        }
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(learned, application_.messages.size());
}

INSTANTIATE_TEST_SUITE_P(Versions, ValidationMemoryProperty,
                         ::testing::Values(Version::Fix42, Version::Fix44, Version::Fix50Sp2,
                                           Version::Fixt11));

// Two dictionaries and one sequence, which is valid only for one of them.
TEST(ValidationMemory, is_shared_by_validators_of_different_dictionaries) {
  const Validator old = Validator::make(builtin_dictionary(Version::Fix42), {}).value();
  const Validator recent = Validator::make(builtin_dictionary(Version::Fix44), {}).value();
  // ExecTransType (20) is required in FIX 4.2 and unknown to an ExecutionReport of FIX 4.4.
  const std::string bytes =
      testing::fix("FIX.4.2",
                   "35=8|49=S|56=T|34=2|52=20240115-10:30:00|37=O|17=E|20=0|150=0|39=0|55=B|54=1|"
                   "151=0|14=0|6=0|");
  wire::Parser parser;
  const auto message = parser.parse(bytes);
  ASSERT_TRUE(message);
  ValidationMemory memory;
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(old.validate(*message, memory)) << i;
    const auto wrong = recent.validate(*message, memory);
    ASSERT_TRUE(wrong) << i;
    EXPECT_EQ(wrong->tag, 20U);
  }
}

}  // namespace
}  // namespace nexusfix::dictionary
