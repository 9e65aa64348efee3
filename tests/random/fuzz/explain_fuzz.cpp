// Explains any bytes: as a frame that is not a message, and as a message with a violation. The
// marks lie within the bytes, no text can steer a terminal, and its size is bounded for every
// input.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/explanation.hpp>
#include <nexusfix/wire/parser.hpp>

#include "random/fuzz/harness/target.hpp"

namespace nexusfix {
namespace {

using dictionary::builtin_dictionary;
using dictionary::Explanation;
using dictionary::FixtDictionaries;
using dictionary::ValidationRules;
using dictionary::Validator;
using dictionary::Version;

constexpr std::size_t kTextBytesMax = 4'000;

struct Judge {
  FixtDictionaries dictionaries;
  Validator validator;
};

const std::vector<Judge>& judges() {
  static const std::vector<Judge> kJudges = [] {
    constexpr std::array<std::pair<Version, Version>, 4> kVersions{
        {{Version::Fix44, Version::Fix44},
         {Version::Fix42, Version::Fix42},
         {Version::Fixt11, Version::Fix50Sp2},
         {Version::Fixt11, Version::Fixt11}}};
    constexpr ValidationRules kStrict{.validate_unordered_group_fields = true};
    constexpr ValidationRules kLenient{.validate_fields_out_of_order = false,
                                       .validate_fields_have_values = false,
                                       .allow_unknown_msg_fields = true,
                                       .first_field_in_group_is_delimiter = true};
    std::vector<Judge> made;
    for (const auto& [transport, application] : kVersions) {
      const FixtDictionaries both{builtin_dictionary(transport), builtin_dictionary(application)};
      for (const ValidationRules& rules : {kStrict, kLenient}) {
        made.push_back({both, Validator::make(both, rules).value()});
      }
    }
    return made;
  }();
  return kJudges;
}

void check(const Explanation& result, std::string_view bytes) {
  const std::string text = result.text();
  const bool is_safe = std::ranges::none_of(text, [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f;
  });
  const bool is_within =
      result.offset <= bytes.size() && result.size <= bytes.size() - result.offset;
  if (result.problem.empty() || !is_safe || !is_within || text.size() > kTextBytesMax) std::abort();
}

void explain_frame(std::string_view bytes) {
  static wire::Parser parser;
  const auto message = parser.parse(bytes);
  if (!message) check(dictionary::explain(message.error(), bytes), bytes);
}

void explain_message(std::string_view bytes, const Judge& judge) {
  static wire::BasicParser<wire::Checks{.check_sum = false, .body_length = false}> parser;
  const auto message = parser.parse(bytes);
  if (!message) return;
  const auto wrong = judge.validator.validate(*message);
  if (wrong) check(dictionary::explain(*wrong, *message, judge.dictionaries), bytes);
}

}  // namespace
}  // namespace nexusfix

// The first byte selects the dictionary and the rules, the second one a MsgType or the one in the
// input; `|` is SOH.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr std::array<std::string_view, 8> kTypes{"D|",  "8|", "W|", "A|",
                                                          "AE|", "i|", "0|", ""};
  if (size < 2) return 0;
  const std::string body{reinterpret_cast<const char*>(data) + 2, size - 2};
  std::string bytes =
      "8=FIX.4.4|9=1|35=" + std::string{kTypes[data[1] % kTypes.size()]} + body + "|10=000|";
  std::ranges::replace(bytes, '|', '\x01');
  // Exactly the size of the input, so that a read after it is detected.
  const std::vector<char> exact{bytes.begin(), bytes.end()};
  const auto& judges = nexusfix::judges();
  nexusfix::explain_message({exact.data(), exact.size()}, judges[data[0] % judges.size()]);
  nexusfix::explain_frame({exact.data(), exact.size()});
  nexusfix::explain_frame(body);
  return 0;
}
