// Parses and validates any bytes: by FIX 4.4, and by FIXT 1.1 with FIX 5.0 SP2, under every rule.
// Every violation lies within the message. A message that fits a shape, or repeats a sequence of
// tags, has the fields and is as valid as without memory, also where validators of other rules and
// dictionaries share the parser and the memory.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/parser.hpp>

#include "random/fuzz/harness/target.hpp"
#include "support/parser_kernels.hpp"
#include "unit/wire/message_text.hpp"

namespace nexusfix {
namespace {

using dictionary::builtin_dictionary;
using dictionary::ValidationRules;
using dictionary::Validator;
using dictionary::Version;

std::vector<Validator> make_validators() {
  constexpr ValidationRules kLenient{.validate_fields_out_of_order = false,
                                     .validate_fields_have_values = false,
                                     .validate_user_defined_fields = false,
                                     .allow_unknown_msg_fields = true,
                                     .allow_unknown_enum_values = true,
                                     .first_field_in_group_is_delimiter = true};
  std::vector<Validator> validators;
  constexpr ValidationRules kOrdered{.validate_unordered_group_fields = true};
  for (const ValidationRules& rules : {ValidationRules{}, kOrdered, kLenient}) {
    validators.push_back(Validator::make(builtin_dictionary(Version::Fix44), rules).value());
    validators.push_back(
        Validator::make(dictionary::FixtDictionaries{builtin_dictionary(Version::Fixt11),
                                                     builtin_dictionary(Version::Fix50Sp2)},
                        rules)
            .value());
  }
  return validators;
}

const std::vector<Validator>& validators() {
  static const std::vector<Validator> kValidators = make_validators();
  return kValidators;
}

void check(std::string_view bytes) {
  static wire::BasicParser<wire::Checks{.check_sum = false, .body_length = false}> parser;
  const auto message = parser.parse(bytes);
  if (!message) return;
  for (const Validator& validator : validators()) {
    const auto wrong = validator.validate(*message);
    if (wrong && (wrong->offset >= bytes.size() || wrong->field_index >= message->field_count())) {
      std::abort();
    }
  }
}

// As a session validates, which has found out that MsgSeqNum and SendingTime are right.
class Session {
 public:
  explicit Session(std::size_t kernel)
      : parser_{wire::DataFieldTable::standard(), testing::comparing_kernel(kernel)} {}

  void receive(const std::string& bytes, const Validator& validator) {
    const auto message = parser_.parse(bytes);
    const auto fresh = fresh_parser_.parse(bytes);
    if (message.has_value() != fresh.has_value()) std::abort();
    if (!message) return;
    if (!std::equal(message->begin(), message->end(), fresh->begin(), fresh->end(), is_same)) {
      std::abort();
    }
    const auto wrong = validator.validate(*fresh);
    if (message->get<std::uint64_t>(tag::MsgSeqNum) && message->get<WallTime>(tag::SendingTime)) {
      const bool is_valid = validator.is_valid_after_header(*message, memory_);
      if (is_valid == wrong.has_value()) std::abort();
    }
    const auto remembered = validator.validate(*message, memory_);
    if (remembered.has_value() != wrong.has_value()) std::abort();
    if (wrong && (remembered->rule != wrong->rule || remembered->offset != wrong->offset)) {
      std::abort();
    }
  }

 private:
  static bool is_same(const wire::FieldView& one, const wire::FieldView& other) {
    return one.tag == other.tag && one.offset == other.offset && one.value == other.value;
  }
  wire::detail::ParserIndex parser_;
  wire::detail::ParserIndex fresh_parser_{wire::DataFieldTable::standard(),
                                          testing::plain_kernel()};
  dictionary::ValidationMemory memory_;
};

// Sends the fields more than once, then with a byte more or less: their sequence of tags may be
// known, and their shape is not.
void check_sequences(const std::string& fields, const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kCopies = 4;
  constexpr int kTimes = 3;  // at the second one the sequence is learned
  Session session{data[0]};
  for (std::size_t i = 0; i < kCopies && 2 * i + 2 < size; ++i) {
    std::string copy = fields;
    const std::size_t at = data[2 * i + 1] % copy.size();
    if (i != 0 && data[2 * i + 2] % 4 == 0) {
      copy.erase(at, 1);
    } else if (i != 0) {
      copy.insert(at, 1, static_cast<char>(data[2 * i + 2]));
    }
    const Validator& one = validators()[(data[0] / 8 + i / 2) % validators().size()];
    for (int time = 0; time < kTimes; ++time) session.receive(test::message_of(copy), one);
  }
}

// Changes some bytes of a frame whose shape is known, in places that the input names.
void check_copies(const std::string& frame, const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kTrailerBytes = 7;
  constexpr std::size_t kCopies = 4;
  // Where that number of frames has fitted, the shape is learned again at once.
  constexpr int kFits = 18;
  if (frame.size() < wire::detail::FrameShape::kBytesMin ||
      frame.size() > wire::detail::FrameShape::kBytesMax)
    return;
  Session session{data[0]};
  const auto validator = [&](std::size_t i) -> const Validator& {
    return validators()[(data[0] / 8 + i) % validators().size()];
  };
  for (std::size_t i = 0; i < kCopies && 2 * i + 2 < size; ++i) {
    const Validator& one = validator(i % 2);
    for (int fits = 0; fits < kFits; ++fits) session.receive(frame, one);
    std::string copy = frame.substr(0, frame.size() - kTrailerBytes);
    copy[data[2 * i + 1] % copy.size()] = static_cast<char>(data[2 * i + 2]);
    session.receive(test::with_check_sum(copy), i % 4 < 3 ? one : validator(2));
  }
}

}  // namespace
}  // namespace nexusfix

// The bytes, with `|` for SOH, are the fields between MsgType and CheckSum. The first byte selects
// the type, so that a fuzzer reaches the tables easily.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr std::array<std::string_view, 8> kTypes{"D", "8", "W", "A", "AE", "E", "i", "0"};
  if (size == 0) return 0;
  std::string body{reinterpret_cast<const char*>(data) + 1, size - 1};
  for (char& c : body) {
    if (c == '|') c = '\x01';
  }
  const std::string msg_type{kTypes[data[0] % kTypes.size()]};
  const std::string bytes = nexusfix::test::with_soh("8=FIX.4.4|9=1|35=" + msg_type + "|") + body +
                            nexusfix::test::with_soh("|10=000|");
  // Exactly the size of the input, so that a read after it is detected.
  const std::vector<char> exact{bytes.begin(), bytes.end()};
  nexusfix::check({exact.data(), exact.size()});
  const std::string fields = "35=" + msg_type + "|" + body + "|";
  nexusfix::check_copies(nexusfix::test::message_of(fields), data, size);
  nexusfix::check_sequences(fields, data, size);
  return 0;
}
