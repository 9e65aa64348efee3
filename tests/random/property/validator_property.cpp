// Every message of every version: with all that its dictionary allows it is valid, and after one
// change it has the violation of that change. A failure names version, message and seed.
#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/parser.hpp>

#include "random/property/message_mutations.hpp"
#include "support/fix_text.hpp"
#include "support/message_generator.hpp"
#include "support/sanitized.hpp"

namespace nexusfix::testing {
namespace {

using dictionary::Dictionary;
using dictionary::Validator;
using dictionary::Version;
using dictionary::Violation;
using Fields = std::vector<GeneratedField>;

constexpr Version kVersions[] = {Version::Fix40,    Version::Fix41,    Version::Fix42,
                                 Version::Fix43,    Version::Fix44,    Version::Fix50,
                                 Version::Fix50Sp1, Version::Fix50Sp2, Version::Fixt11};
constexpr std::uint64_t kSeeds = 4;

bool is_fixt(Version version) { return version >= Version::Fix50; }

class ValidatorProperty : public ::testing::TestWithParam<Version> {
 protected:
  ValidatorProperty()
      : transport_{dictionary::builtin_dictionary(is_fixt(GetParam()) ? Version::Fixt11
                                                                      : GetParam())},
        application_{dictionary::builtin_dictionary(GetParam())},
        validator_{Validator::make(
                       dictionary::FixtDictionaries{
                           transport_, GetParam() == Version::Fixt11 ? transport_ : application_},
                       rules_)
                       .value()} {}

  // Calls check with every message's name, seed and definition.
  template <class Check>
  void for_each_message(Check check) {
    const bool is_transports = GetParam() == Version::Fixt11 || !is_fixt(GetParam());
    const auto& messages = application_.messages;
    for (std::size_t i = 0; i < messages.size(); i += case_step(4)) {
      const dictionary::MessageDefinition& message = messages[i];
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        MessageGenerator generator{transport_, application_, seed};
        SCOPED_TRACE(message.name + ", seed " + std::to_string(seed));
        check(generator, message, is_transports);
        if (HasFailure()) return;
      }
    }
  }
  std::optional<Violation> violation(const Fields& fields) {
    bytes_ = fix(transport_.begin_string, body_of(fields));
    const auto message = parser_.parse(bytes_);
    if (!message) {
      ADD_FAILURE() << "garbled: " << bar(bytes_);
      return std::nullopt;
    }
    return validator_.validate(*message);
  }

  const dictionary::ValidationRules rules_;
  const Dictionary& transport_;
  const Dictionary& application_;
  Validator validator_;
  wire::Parser parser_;
  std::string bytes_;
};

TEST_P(ValidatorProperty, a_message_that_the_dictionary_allows_is_valid) {
  for_each_message([this](MessageGenerator& generator, const auto& message, bool is_transports) {
    for (const Fullness fullness : {Fullness::Required, Fullness::Some, Fullness::All}) {
      const auto wrong = violation(generator.message(message, is_transports, fullness));
      EXPECT_FALSE(wrong) << "rule " << static_cast<int>(wrong->rule) << ", tag " << wrong->tag
                          << ": " << bar(bytes_).substr(0, 4000);
    }
  });
}

TEST_P(ValidatorProperty, one_change_is_found_and_reported) {
  std::vector<std::size_t> made(all_mutations().size());
  for_each_message([&](MessageGenerator& generator, const auto& message, bool is_transports) {
    for (std::size_t i = 0; i < all_mutations().size(); ++i) {
      const Mutation& mutation = all_mutations()[i];
      Fields fields = generator.message(message, is_transports, Fullness::Some);
      const MutationContext context{is_transports ? transport_ : application_, transport_, message,
                                    rules_};
      const auto expected = mutation.change(fields, generator, context);
      if (!expected) continue;
      ++made[i];
      const auto wrong = violation(fields);
      ASSERT_TRUE(wrong) << mutation.name << ' ' << expected->tag << ": " << bar(bytes_);
      EXPECT_TRUE(wrong->reason() == expected->reason && wrong->tag == expected->tag)
          << mutation.name << ' ' << expected->tag << ", but reason "
          << static_cast<int>(wrong->reason()) << ", tag " << wrong->tag << ": " << bar(bytes_);
    }
  });
  for (std::size_t i = 0; i < all_mutations().size(); ++i) {
    const bool is_of_order = std::string_view{all_mutations()[i].name} == "swap_in_entry";
    if (is_of_order && !rules_.validate_unordered_group_fields) continue;
    EXPECT_TRUE(made[i] > 0 || GetParam() == Version::Fixt11 || GetParam() == Version::Fix40 ||
                GetParam() == Version::Fix41)
        << all_mutations()[i].name;
  }
}

// docs/reference/keys.md, ValidateUnorderedGroupFields: both values, whatever the default
// is.
TEST_P(ValidatorProperty, order_within_an_entry_counts_only_if_the_rules_require_it) {
  const dictionary::FixtDictionaries both{
      transport_, GetParam() == Version::Fixt11 ? transport_ : application_};
  dictionary::ValidationRules strict = rules_;
  strict.validate_unordered_group_fields = true;
  dictionary::ValidationRules lax = rules_;
  lax.validate_unordered_group_fields = false;
  const Validator of_strict = Validator::make(both, strict).value();
  const Validator of_lax = Validator::make(both, lax).value();
  for_each_message([&](MessageGenerator& generator, const auto& message, bool is_transports) {
    Fields fields = generator.message(message, is_transports, Fullness::Some);
    const wire::Tag tag = swap_neighbours(fields, generator);
    if (tag == 0) return;
    bytes_ = fix(transport_.begin_string, body_of(fields));
    const auto parsed = parser_.parse(bytes_);
    ASSERT_TRUE(parsed) << bar(bytes_);
    const auto wrong = of_strict.validate(*parsed);
    ASSERT_TRUE(wrong) << tag << ": " << bar(bytes_);
    EXPECT_EQ(wrong->reason(), wire::SessionRejectReason::GroupFieldsOutOfOrder) << bar(bytes_);
    EXPECT_EQ(wrong->tag, tag) << bar(bytes_);
    EXPECT_FALSE(of_lax.validate(*parsed)) << tag << ": " << bar(bytes_);
  });
}

std::string name_of(const ::testing::TestParamInfo<Version>& version) {
  constexpr const char* kNames[] = {"Fix40", "Fix41",    "Fix42",    "Fix43", "Fix44",
                                    "Fix50", "Fix50Sp1", "Fix50Sp2", "Fixt11"};
  return kNames[static_cast<std::size_t>(version.param)];
}

INSTANTIATE_TEST_SUITE_P(Versions, ValidatorProperty, ::testing::ValuesIn(kVersions), name_of);

}  // namespace
}  // namespace nexusfix::testing
