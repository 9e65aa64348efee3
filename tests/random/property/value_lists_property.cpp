// Values that the standard allows besides a list, and values that it does not allow, in a message
// of each version that has the field. tests/peers/dictionaries/standard_is_taken.py tries all
// values of all fields; this test has the values that a list once refused or accepted wrongly.
#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/parser.hpp>

#include "support/fix_text.hpp"
#include "support/message_generator.hpp"

namespace nexusfix::testing {
namespace {

using dictionary::Dictionary;
using dictionary::Version;

struct Case {
  wire::Tag tag;
  Version first;  // to the last version that has the field, or to `last`
  Version last;
  std::vector<std::string_view> right;
  std::vector<std::string_view> wrong;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.tag << " from " << to_string(one.first);
}

constexpr Version kApplications[] = {Version::Fix40,    Version::Fix41,   Version::Fix42,
                                     Version::Fix43,    Version::Fix44,   Version::Fix50,
                                     Version::Fix50Sp1, Version::Fix50Sp2};

const Case kCases[] = {
    {22, Version::Fix40, Version::Fix50Sp2, {"1", "100", "2500"}, {"0", "99", "100x"}},
    {27, Version::Fix40, Version::Fix50Sp2, {"S", "M", "L", "1000", "0.5"}, {"A", "SM", "1e3"}},
    {63, Version::Fix50, Version::Fix50Sp2, {"0", "D5", "W13", "M3", "Y1"}, {"D", "D0", "H5", "Q"}},
    {65, Version::Fix44, Version::Fix50Sp2, {"WI", "PR", "PRA"}, {}},
    {102, Version::Fix50, Version::Fix50Sp2, {"0", "100", "0100"}, {"98", "-1", "x"}},
    {166, Version::Fix41, Version::Fix42, {"DTC", "CH", "us"}, {"CHE", "1"}},
    {167, Version::Fix44, Version::Fix50Sp2, {"CS", "BESPOKE"}, {}},
    {167, Version::Fix41, Version::Fix43, {"CS"}, {"BESPOKE"}},
    {233, Version::Fix50, Version::Fix50Sp2, {"AMT", "BESPOKE"}, {}},
    {298, Version::Fix42, Version::Fix43, {"1", "4"}, {"0", "5", "100"}},
    {298, Version::Fix50Sp2, Version::Fix50Sp2, {"1", "8", "100"}, {"0", "9"}},
    {300, Version::Fix43, Version::Fix43, {"1", "9"}, {"0", "10"}},
    {300, Version::Fix50, Version::Fix50Sp2, {"99", "100"}, {"0", "50"}},
    {336, Version::Fix50Sp1, Version::Fix50Sp2, {"1", "DAY"}, {}},
    {368, Version::Fix43, Version::Fix50Sp2, {"1", "99"}, {"x"}},
    {368, Version::Fix42, Version::Fix42, {"1", "9"}, {"99"}},
    {477, Version::Fix44, Version::Fix44, {"12", "1000"}, {"13", "998"}},
    {492, Version::Fix43, Version::Fix50Sp1, {"15", "1000"}, {"16", "998"}},
    {495, Version::Fix43, Version::Fix50Sp2, {"29", "999", "1000"}, {"998"}},
    {543, Version::Fix43, Version::Fix43, {"ZZ", "CH", "UBSWCHZH80A"}, {}},
    {577, Version::Fix43, Version::Fix50Sp2, {"0", "4001"}, {"100"}},
    {682, Version::Fix44, Version::Fix50Sp2, {"S", "25"}, {"A"}},
    {728, Version::Fix44, Version::Fix44, {"99", "4000"}, {"98", "x"}},
    {728, Version::Fix50, Version::Fix50Sp2, {"99", "100"}, {"98"}},
    {749, Version::Fix44, Version::Fix50Sp2, {"99", "4000"}, {"98"}},
    {751, Version::Fix44, Version::Fix50Sp2, {"99", "4000"}, {"98"}},
    {803, Version::Fix44, Version::Fix50Sp2, {"1", "4000"}, {"100"}},
    {828, Version::Fix50Sp1, Version::Fix50Sp2, {"0", "1000"}, {"999"}},
    {847, Version::Fix44, Version::Fix50Sp2, {"1", "1000"}, {"100"}},
    {875, Version::Fix44, Version::Fix44, {"99"}, {"3", "100"}},
    {935, Version::Fix44, Version::Fix50Sp2, {"8", "9", "10"}, {"x"}},
    {946, Version::Fix44, Version::Fix50Sp2, {"99", "4000"}, {"98"}},
    {996, Version::Fix50, Version::Fix50Sp2, {"Bbl", "kiloton"}, {}},
    {997, Version::Fix50, Version::Fix50Sp2, {"H", "ms"}, {}},
    {1111, Version::Fix50, Version::Fix50Sp2, {"1", "P"}, {"PP"}},
};

// Whether members contain a field, at any depth.
bool hold(const Dictionary& dictionary, const std::vector<dictionary::Member>& members,
          wire::Tag tag) {
  return std::ranges::any_of(flatten(dictionary, members), [&](const auto& member) {
    return dictionary.fields[member.field].tag == tag ||
           (member.group && hold(dictionary, dictionary.groups[*member.group].members, tag));
  });
}

class ValueLists : public ::testing::TestWithParam<Case> {
 protected:
  // A message with the field and all of its other allowed fields; empty: no message has the field.
  std::vector<GeneratedField> message_with(wire::Tag tag) {
    for (const dictionary::MessageDefinition& definition : application_->messages) {
      if (!hold(*application_, definition.members, tag)) continue;
      MessageGenerator generator{*transport_, *application_, 1};
      const bool is_transports = application_ == transport_;
      auto fields = generator.message(definition, is_transports, Fullness::All);
      if (std::ranges::find(fields, tag, &GeneratedField::tag) != fields.end()) return fields;
    }
    return {};
  }
  void use(Version version) {
    application_ = &dictionary::builtin_dictionary(version);
    const bool is_fixt = version >= Version::Fix50;
    transport_ = is_fixt ? &dictionary::builtin_dictionary(Version::Fixt11) : application_;
    validator_.emplace(
        dictionary::Validator::make(dictionary::FixtDictionaries{*transport_, *application_}, {})
            .value());
  }
  [[nodiscard]] bool is_valid(std::vector<GeneratedField> fields, std::string_view value) {
    for (GeneratedField& field : fields) {
      if (field.tag == GetParam().tag) field.value = value;
    }
    const std::string bytes = fix(transport_->begin_string, body_of(fields));
    wire::Parser parser;
    const auto message = parser.parse(bytes);
    return message && !validator_->validate(*message);
  }

  const Dictionary* application_ = nullptr;
  const Dictionary* transport_ = nullptr;
  std::optional<dictionary::Validator> validator_;
};

TEST_P(ValueLists, accept_only_values_that_the_standard_allows) {
  bool is_met = false;
  for (const Version version : kApplications) {
    if (version < GetParam().first || version > GetParam().last) continue;
    SCOPED_TRACE(to_string(version));
    use(version);
    const std::vector<GeneratedField> message = message_with(GetParam().tag);
    if (message.empty()) continue;
    is_met = true;
    for (const std::string_view value : GetParam().right) {
      EXPECT_TRUE(is_valid(message, value)) << GetParam().tag << '=' << value;
    }
    for (const std::string_view value : GetParam().wrong) {
      EXPECT_FALSE(is_valid(message, value)) << GetParam().tag << '=' << value;
    }
  }
  EXPECT_TRUE(is_met) << "no message of these versions has the field";
}

INSTANTIATE_TEST_SUITE_P(All, ValueLists, ::testing::ValuesIn(kCases), [](const auto& info) {
  return "tag_" + std::to_string(info.param.tag) + "_from_" +
         std::to_string(static_cast<int>(info.param.first));
});

}  // namespace
}  // namespace nexusfix::testing
