// Every message of every version: what its dictionary allows is right, and with one thing changed
// it is wrong for that reason. A failure names version, message and seed.
#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include <nexusfix/dictionary/builtin.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/parser.hpp>

#include "support/fix_text.hpp"
#include "support/message_generator.hpp"

namespace nexusfix::testing {
namespace {

using dictionary::Dictionary;
using dictionary::FieldType;
using dictionary::Validator;
using dictionary::Version;
using dictionary::Violation;
using dictionary::ViolationRule;
using Fields = std::vector<GeneratedField>;

constexpr Version kVersions[] = {Version::Fix40,    Version::Fix41,    Version::Fix42,
                                 Version::Fix43,    Version::Fix44,    Version::Fix50,
                                 Version::Fix50Sp1, Version::Fix50Sp2, Version::Fixt11};
constexpr std::uint64_t kSeeds = 4;

bool is_fixt(Version version) { return version >= Version::Fix50; }

struct Expected {
  ViolationRule rule;
  wire::Tag tag;
};

// One change, and what must be found then; nothing if the message has no place for it.
using Mutation = std::optional<Expected> (*)(Fields& fields, MessageGenerator& random);

// The first field that fits, from a random one on.
template <class Fits>
std::optional<std::size_t> pick(const Fields& fields, MessageGenerator& random, Fits fits) {
  const std::size_t from = random.below(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::size_t at = (from + i) % fields.size();
    if (fits(at)) return at;
  }
  return std::nullopt;
}

std::optional<Expected> drop_required(Fields& fields, MessageGenerator& random) {
  const auto at = pick(fields, random, [&](std::size_t i) {
    const GeneratedField& field = fields[i];
    const bool stands_alone = !field.belongs_to_data && !field.is_count && !field.begins_entry;
    return field.is_required && stands_alone;
  });
  if (!at) return std::nullopt;
  const wire::Tag tag = fields[*at].tag;
  fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(*at));
  return Expected{ViolationRule::RequiredTagMissing, tag};
}

std::optional<Expected> repeat_field(Fields& fields, MessageGenerator& random) {
  const auto at = pick(fields, random, [&](std::size_t i) {
    const GeneratedField& field = fields[i];
    return field.depth == 0 && !field.belongs_to_data && !field.is_count;
  });
  if (!at) return std::nullopt;
  const GeneratedField copy = fields[*at];
  fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(*at), copy);
  return Expected{ViolationRule::TagRepeated, copy.tag};
}

std::optional<Expected> add_unknown(Fields& fields, MessageGenerator& random) {
  const std::size_t at = 1 + random.below(fields.size());
  if (at < fields.size() && fields[at].belongs_to_data) return std::nullopt;
  constexpr wire::Tag kUnknown = 59'999;
  fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(at),
                GeneratedField{.tag = kUnknown, .value = "x"});
  return Expected{ViolationRule::TagUnknown, kUnknown};
}

std::optional<Expected> spoil_value(Fields& fields, MessageGenerator& random) {
  const auto at = pick(fields, random, [&](std::size_t i) {
    const GeneratedField& field = fields[i];
    const bool is_text = field.type == FieldType::String || field.type == FieldType::Unknown ||
                         field.type == FieldType::Data || field.type == FieldType::XmlData ||
                         field.type == FieldType::Char;
    return !is_text && !field.belongs_to_data && i != 0;
  });
  if (!at) return std::nullopt;
  fields[*at].value = "?  \x02?";
  return Expected{ViolationRule::TypeWrong, fields[*at].tag};
}

std::optional<Expected> leave_enumeration(Fields& fields, MessageGenerator& random) {
  const auto at = pick(fields, random, [&](std::size_t i) {
    const GeneratedField& field = fields[i];
    return field.is_enumerated &&
           (field.type == FieldType::Char || field.type == FieldType::String);
  });
  if (!at) return std::nullopt;
  fields[*at].value = "~";
  return Expected{ViolationRule::ValueNotInEnumeration, fields[*at].tag};
}

std::optional<Expected> miscount(Fields& fields, MessageGenerator& random) {
  const auto at = pick(fields, random, [&](std::size_t i) { return fields[i].is_count; });
  if (!at) return std::nullopt;
  fields[*at].value = std::to_string(std::stoul(fields[*at].value) + 1);
  return Expected{ViolationRule::GroupCountWrong, fields[*at].tag};
}

std::optional<Expected> drop_delimiter(Fields& fields, MessageGenerator& random) {
  const auto at = pick(fields, random, [&](std::size_t i) {
    if (i + 1 >= fields.size() || !fields[i].begins_entry || fields[i].belongs_to_data)
      return false;
    const GeneratedField& behind = fields[i + 1];
    // The first entry, and one that goes on behind its delimiter.
    return !fields[i].is_count && fields[i - 1].is_count && fields[i - 1].tag == fields[i].group &&
           behind.group == fields[i].group && !behind.begins_entry;
  });
  if (!at) return std::nullopt;
  fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(*at));
  return Expected{ViolationRule::DelimiterMissing, fields[*at].tag};
}

std::optional<Expected> move_header_field_behind_body(Fields& fields, MessageGenerator& random) {
  const auto body = std::ranges::find(fields, Part::Body, &GeneratedField::part);
  if (body == fields.end()) return std::nullopt;
  const auto at = pick(fields, random, [&](std::size_t i) {
    const GeneratedField& field = fields[i];
    return i != 0 && field.part == Part::Header && field.depth == 0 && !field.is_count &&
           !field.belongs_to_data;
  });
  if (!at) return std::nullopt;
  const GeneratedField moved = fields[*at];
  fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(*at));
  fields.push_back(moved);
  return Expected{ViolationRule::TagOutOfSection, moved.tag};
}

struct NamedMutation {
  const char* name;
  Mutation change;
};
constexpr NamedMutation kMutations[] = {
    {"drop_required", drop_required},
    {"repeat_field", repeat_field},
    {"add_unknown", add_unknown},
    {"spoil_value", spoil_value},
    {"leave_enumeration", leave_enumeration},
    {"miscount", miscount},
    {"drop_delimiter", drop_delimiter},
    {"move_header_field", move_header_field_behind_body},
};

class ValidatorProperty : public ::testing::TestWithParam<Version> {
 protected:
  ValidatorProperty()
      : transport_{dictionary::builtin_dictionary(is_fixt(GetParam()) ? Version::Fixt11
                                                                      : GetParam())},
        application_{dictionary::builtin_dictionary(GetParam())},
        validator_{Validator::make(
                       dictionary::FixtDictionaries{
                           transport_, GetParam() == Version::Fixt11 ? transport_ : application_},
                       {})
                       .value()} {}

  // Calls check with every message's name, seed and definition.
  template <class Check>
  void for_each_message(Check check) {
    const bool is_transports = GetParam() == Version::Fixt11 || !is_fixt(GetParam());
    for (const dictionary::MessageDefinition& message : application_.messages) {
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

  const Dictionary& transport_;
  const Dictionary& application_;
  Validator validator_;
  wire::Parser parser_;
  std::string bytes_;
};

TEST_P(ValidatorProperty, what_the_dictionary_allows_is_right) {
  for_each_message([this](MessageGenerator& generator, const auto& message, bool is_transports) {
    for (const Fullness fullness : {Fullness::Required, Fullness::Some, Fullness::All}) {
      const auto wrong = violation(generator.message(message, is_transports, fullness));
      EXPECT_FALSE(wrong) << "rule " << static_cast<int>(wrong->rule) << ", tag " << wrong->tag
                          << ": " << bar(bytes_).substr(0, 4000);
    }
  });
}

TEST_P(ValidatorProperty, one_change_is_found_and_named) {
  std::size_t made[std::size(kMutations)] = {};
  for_each_message([&](MessageGenerator& generator, const auto& message, bool is_transports) {
    for (std::size_t i = 0; i < std::size(kMutations); ++i) {
      Fields fields = generator.message(message, is_transports, Fullness::Some);
      const auto expected = kMutations[i].change(fields, generator);
      if (!expected) continue;
      ++made[i];
      const auto wrong = violation(fields);
      ASSERT_TRUE(wrong) << kMutations[i].name << ' ' << expected->tag << ": " << bar(bytes_);
      EXPECT_TRUE(wrong->rule == expected->rule && wrong->tag == expected->tag)
          << kMutations[i].name << ' ' << expected->tag << ", but rule "
          << static_cast<int>(wrong->rule) << ", tag " << wrong->tag << ": " << bar(bytes_);
    }
  });
  for (std::size_t i = 0; i < std::size(kMutations); ++i) {
    EXPECT_TRUE(made[i] > 0 || GetParam() == Version::Fixt11 || GetParam() == Version::Fix40 ||
                GetParam() == Version::Fix41)
        << kMutations[i].name;
  }
}

std::string name_of(const ::testing::TestParamInfo<Version>& version) {
  constexpr const char* kNames[] = {"Fix40", "Fix41",    "Fix42",    "Fix43", "Fix44",
                                    "Fix50", "Fix50Sp1", "Fix50Sp2", "Fixt11"};
  return kNames[static_cast<std::size_t>(version.param)];
}

INSTANTIATE_TEST_SUITE_P(Versions, ValidatorProperty, ::testing::ValuesIn(kVersions), name_of);

}  // namespace
}  // namespace nexusfix::testing
