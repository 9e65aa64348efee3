// Parses and validates any bytes: by FIX 4.4, and by FIXT 1.1 with FIX 5.0 SP2, under every rule.
// Every violation lies within the message.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary/builtin.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/parser.hpp>

#include "fuzz/harness/target.hpp"

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

void check(std::string_view bytes) {
  static const std::vector<Validator> kValidators = make_validators();
  static wire::BasicParser<wire::Checks{.check_sum = false, .body_length = false}> parser;
  const auto message = parser.parse(bytes);
  if (!message) return;
  for (const Validator& validator : kValidators) {
    const auto wrong = validator.validate(*message);
    if (wrong && (wrong->offset >= bytes.size() || wrong->field_index >= message->field_count())) {
      std::abort();
    }
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
  const std::string bytes =
      "8=FIX.4.4\x01"
      "9=1\x01"
      "35=" +
      std::string{kTypes[data[0] % kTypes.size()]} + '\x01' + body +
      "\x01"
      "10=000\x01";
  // Exactly the size of the input, so that a read after it is detected.
  const std::vector<char> exact{bytes.begin(), bytes.end()};
  nexusfix::check({exact.data(), exact.size()});
  return 0;
}
