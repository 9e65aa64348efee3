// A frame that fits a shape is the message that a parser without memory finds, and as valid as a
// validator without memory finds it: for messages of any type with changed bytes, and for two
// validators that share the parser and the memory.
#include <algorithm>
#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/parser.hpp>

#include "dictionary/validate/field_sequence.hpp"
#include "support/fix_text.hpp"
#include "support/message_generator.hpp"
#include "support/sanitized.hpp"
#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::dictionary {
namespace {

using testing::GeneratedField;
using Fields = std::vector<GeneratedField>;
using Checked = std::expected<wire::MessageView, wire::ParseError>;

// Dates at the ends of a month or of the known years, times at the end of a day.
constexpr std::array<std::string_view, 10> kTimes{"20240115-10:30:00.123", "20240115-19:59:59.999",
                                                  "20240115-20:00:00.000", "20240115-23:59:59.999",
                                                  "20240115-24:00:00.000", "20240115-23:59:60.000",
                                                  "20240229-10:30:00.123", "20230229-10:30:00.123",
                                                  "19991231-10:30:00.123", "21000101-10:30:00.123"};

class FrameShapeProperty : public ::testing::TestWithParam<Version> {
 protected:
  static constexpr std::size_t kTrailerBytes = 7;
  static constexpr std::size_t kFirstField = 3;  // after MsgType
  // So often that the shape is learned again at once if the next message does not fit.
  static constexpr int kFits = 17;

  FrameShapeProperty() {
    ValidationRules lenient;
    lenient.allow_unknown_msg_fields = true;
    lenient.allow_unknown_enum_values = true;
    lenient.validate_user_defined_fields = false;
    for (const ValidationRules& rules : {ValidationRules{}, lenient}) {
      validators_.push_back(
          Validator::make(FixtDictionaries{transport_, application_}, rules).value());
    }
  }
  static bool is_fixt() { return GetParam() >= Version::Fix50; }

  std::string framed(Fields fields) {
    // The header that a session compares, in its order. In most messages the same date in each
    // timestamp.
    Fields ordered{fields.front()};
    for (const auto& [tag, value] :
         {std::pair{tag::SenderCompID, "S"}, std::pair{tag::TargetCompID, "T"},
          std::pair{tag::MsgSeqNum, "12"}, std::pair{tag::SendingTime, "20240115-10:30:00.123"}}) {
      ordered.push_back({.tag = tag, .value = value});
      std::erase_if(fields, [&](const GeneratedField& field) { return field.tag == tag; });
    }
    const bool are_usual = generator_.below(4) != 0;
    for (GeneratedField& field : fields) {
      if (are_usual && field.type == FieldType::UtcTimestamp)
        field.value = kTimes[generator_.below(4)];
    }
    ordered.insert(ordered.end(), fields.begin() + 1, fields.end());
    return testing::fix(transport_.begin_string, testing::body_of(ordered));
  }

  char other_byte() {
    using namespace std::string_view_literals;
    constexpr std::string_view kBytes =
        "0123456789012345678901234-+.:/YNAZaz =w\x01\x02\x7f\x80\xff\0"sv;
    return kBytes[generator_.below(kBytes.size())];
  }
  // Bytes of one or two values, a timestamp, or the CheckSum.
  std::string changed(const std::string& frame, const wire::MessageView& message) {
    std::string bytes = frame.substr(0, frame.size() - kTrailerBytes);
    for (std::uint64_t changes = 1 + generator_.below(2); changes > 0; --changes) {
      const std::size_t fields = message.field_count() - 1 - kFirstField;
      const wire::FieldView field = message.field(kFirstField + generator_.below(fields));
      if (field.value.size() == kTimes[0].size() && generator_.below(2) == 0) {
        bytes.replace(field.offset, field.value.size(), kTimes[generator_.below(kTimes.size())]);
      } else if (generator_.below(16) == 0) {
        bytes[generator_.below(bytes.size())] = other_byte();
      } else {
        bytes[field.offset + generator_.below(field.value.size())] = other_byte();
      }
    }
    bytes = testing::with_checksum(bytes);
    const std::size_t digits = bytes.size() - 4;
    if (generator_.below(16) == 0) bytes[digits + generator_.below(3)] = other_byte();
    if (generator_.below(16) == 0) {
      const std::string raised = std::to_string(256 + generator_.below(744));
      bytes.replace(digits, 3, raised);
    }
    return bytes;
  }

  // What a session has found out when it asks is_valid_after_header().
  static bool has_right_header(const wire::MessageView& message) {
    return message.get<std::uint64_t>(tag::MsgSeqNum) && message.get<WallTime>(tag::SendingTime);
  }
  static std::string described(const Checked& message) {
    if (!message) return std::string{to_string(message.error().reason)};
    std::string text;
    for (const wire::FieldView field : *message) {
      text += std::to_string(field.tag) + '@' + std::to_string(field.offset) + '=';
      text += field.value;
      text += '|';
    }
    return text;
  }
  // Returns whether the message is valid.
  bool expect_the_same(const std::string& bytes, const Validator& validator) {
    const Checked message = parser_.parse(bytes);
    const Checked plain = plain_parser_.parse(bytes);
    EXPECT_EQ(described(message), described(plain)) << testing::bar(bytes);
    if (!message || !plain) return false;
    const bool is_valid = !validator.validate(*plain);
    if (!has_right_header(*plain)) return is_valid;
    const bool is_proven = message->shape() != nullptr &&
                           message->shape()->proof().number != wire::detail::ShapeProof{}.number;
    proven_ += is_proven ? 1 : 0;
    wrong_ += is_proven && !is_valid ? 1 : 0;
    EXPECT_EQ(validator.is_valid_after_header(*message, memory_), is_valid) << testing::bar(bytes);
    EXPECT_TRUE(is_valid || memory_.proof() == nullptr) << testing::bar(bytes);
    return is_valid;
  }

  const Dictionary& application_ = builtin_dictionary(GetParam());
  const Dictionary& transport_ = is_fixt() ? builtin_dictionary(Version::Fixt11) : application_;
  testing::MessageGenerator generator_{transport_, application_, 7};
  std::vector<Validator> validators_;
  ValidationMemory memory_;
  wire::Parser parser_;
  wire::detail::ParserIndex plain_parser_{wire::DataFieldTable::standard(), *scalar()};
  std::size_t proven_ = 0;
  std::size_t wrong_ = 0;

 private:
  // It uses no shapes.
  static const wire::kernels::KernelTable* scalar() {
    const wire::kernels::KernelList all = wire::kernels::all();
    return *std::find_if(all.tables, all.tables + all.count,
                         [](const auto* table) { return table->fits == nullptr; });
  }
};

TEST_P(FrameShapeProperty, a_frame_that_fits_is_indexed_and_validated_as_without_memory) {
  constexpr int kCopies = 40;
  constexpr std::size_t kMessages = 60;
  std::size_t tried = 0;
  for (std::size_t i = 0; i < kMessages; i += case_step(10)) {
    const MessageDefinition& definition =
        application_.messages[generator_.below(application_.messages.size())];
    const std::string frame =
        framed(generator_.message(definition, !is_fixt(), testing::Fullness::Required));
    if (!expect_the_same(frame, validators_.front())) continue;
    ++tried;
    for (int copy = 0; copy < kCopies && !HasFailure(); ++copy) {
      const Validator& one = validators_[generator_.below(2)];
      for (int fits = 0; fits < kFits; ++fits) (void)expect_the_same(frame, one);
      const Checked message = plain_parser_.parse(frame);
      ASSERT_TRUE(message);
      (void)expect_the_same(changed(frame, *message), validators_[generator_.below(2)]);
    }
  }
  EXPECT_GT(tried, kMessages / case_step(10) / 4);
  if (wire::kernels::selected().fits == nullptr) return;
  EXPECT_GT(proven_, tried * kCopies);
  EXPECT_GT(wrong_, 0U);
}

// More sequences of tags than a memory has slots are alive at once.
TEST_P(FrameShapeProperty, a_proof_is_of_its_message_although_others_have_replaced_its_sequence) {
  constexpr int kFrames = 12;
  constexpr int kOthers = 6 * static_cast<int>(ValidationMemory::kSequences);
  const Validator& validator = validators_.front();
  const auto any_message = [&](testing::Fullness fullness) {
    const MessageDefinition& definition =
        application_.messages[generator_.below(application_.messages.size())];
    return framed(generator_.message(definition, !is_fixt(), fullness));
  };
  const auto expect_own_proof = [&](const wire::MessageView& message) {
    for (std::size_t place = 0; place < ValidationMemory::kSequences; ++place) {
      const FieldSequence& sequence = memory_.at_place(place);
      if (&sequence.proof != memory_.proof()) continue;
      EXPECT_TRUE(sequence.is_of(sequence.context_id, SequenceKeys{message}))
          << testing::bar(message.bytes());
    }
  };
  int replaced = 0;
  for (int i = 0; i < kFrames; ++i) {
    const std::string frame = any_message(testing::Fullness::Required);
    if (!expect_the_same(frame, validator)) continue;
    for (int fits = 0; fits < 2 * kFits; ++fits) (void)expect_the_same(frame, validator);
    const wire::detail::FieldProof* const proof = memory_.proof();
    for (int other = 0; other < kOthers; ++other) {
      const std::string bytes = any_message(testing::Fullness::Some);
      const Checked message = plain_parser_.parse(bytes);  // it leaves the shapes as they are
      if (!message) continue;
      for (int copy = 0; copy < 2; ++copy) (void)validator.validate(*message, memory_);
    }
    for (int again = 0; again < 2 * kFits; ++again) {
      const Checked message = parser_.parse(frame);
      ASSERT_TRUE(message);
      EXPECT_TRUE(validator.is_valid_after_header(*message, memory_)) << testing::bar(frame);
      if (again == 0 && proof != nullptr && memory_.proof() == nullptr) ++replaced;
      expect_own_proof(*message);
    }
  }
  if (wire::kernels::selected().fits == nullptr) return;
  EXPECT_GT(replaced, 0);
}

INSTANTIATE_TEST_SUITE_P(Versions, FrameShapeProperty,
                         ::testing::Values(Version::Fix42, Version::Fix44, Version::Fix50Sp2));

}  // namespace
}  // namespace nexusfix::dictionary
