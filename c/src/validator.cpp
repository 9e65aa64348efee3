#include <array>

#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/explanation.hpp>
#include <nexusfix/wire/header_template.hpp>

#include "c/src/message_data.hpp"
#include "c/src/results.hpp"

using nexusfix::c::guarded;
using nexusfix::c::refuse_argument;
using nexusfix::c::report;
namespace dictionary = nexusfix::dictionary;

struct nxf_validator {
  nexusfix::c::DictionaryData::Shared data;
  dictionary::Validator validator;
  dictionary::ValidationMemory memory;
};

namespace {

constexpr std::uint32_t kRules = (NXF_FIRST_FIELD_BEGINS_GROUP_ENTRY << 1U) - 1;

dictionary::ValidationRules rules_of(std::uint32_t bits) {
  const auto has = [bits](std::uint32_t bit) { return (bits & bit) != 0; };
  return {.validate_fields_out_of_order = !has(NXF_ALLOW_FIELDS_OUT_OF_ORDER),
          .validate_fields_have_values = !has(NXF_ALLOW_EMPTY_VALUES),
          .validate_user_defined_fields = !has(NXF_ALLOW_USER_DEFINED_FIELDS),
          .allow_unknown_msg_fields = has(NXF_ALLOW_UNKNOWN_FIELDS),
          .allow_unknown_enum_values = has(NXF_ALLOW_UNKNOWN_VALUES),
          .validate_unordered_group_fields = has(NXF_CHECK_ORDER_IN_GROUPS),
          .first_field_in_group_is_delimiter = has(NXF_FIRST_FIELD_BEGINS_GROUP_ENTRY)};
}

const char* rule_name(dictionary::Violation::Rule rule) {
  static constexpr std::array<const char*, dictionary::kViolationRules> kNames{
      "TagMalformed",     "TagWithoutValue", "ValueEmpty",        "DataLengthWrong",
      "MsgTypeUnknown",   "TagUnknown",      "TagNotInMessage",   "TagOutOfSection",
      "TagRepeated",      "TypeWrong",       "ValueOutOfRange",   "ValueNotInEnumeration",
      "DelimiterMissing", "GroupOrderWrong", "GroupCountWrong",   "LengthMissing",
      "DataMissing",      "DataOutOfOrder",  "RequiredTagMissing"};
  return kNames[static_cast<std::size_t>(rule)];
}

std::string text_of(const dictionary::Violation& found, const nxf_validator& validator,
                    const nexusfix::wire::MessageView& message) {
  if (nexusfix::wire::is_password(found.tag)) {
    return "a secret field (" + std::to_string(found.tag) + ") is not valid";
  }
  const nexusfix::c::DictionaryData& data = *validator.data;
  const dictionary::FixtDictionaries both{data.transport(), data.application()};
  return data.is_over_fixt() ? dictionary::explain(found, message, both).problem
                             : dictionary::explain(found, message, data.application()).problem;
}

}  // namespace

nxf_status nxf_validator_new(const nxf_dictionary* dictionary, const nxf_validator_options* options,
                             nxf_validator** validator, nxf_error* error) {
  if (dictionary == nullptr || validator == nullptr) {
    return refuse_argument(error, "nxf_validator_new: an argument is NULL");
  }
  *validator = nullptr;
  nxf_validator_options given{};
  constexpr std::size_t kFirstSize = offsetof(nxf_validator_options, rules) + sizeof given.rules;
  if (options != nullptr && !nexusfix::c::read_options(options, kFirstSize, given)) {
    return refuse_argument(error, "nxf_validator_options: struct_size is too small");
  }
  if ((given.rules & ~kRules) != 0) {
    return refuse_argument(error, "nxf_validator_options: rules has an unknown bit");
  }
  return guarded(error, [&] {
    const nexusfix::c::DictionaryData& data = *dictionary->data;
    const dictionary::ValidationRules rules = rules_of(given.rules);
    const dictionary::FixtDictionaries both{data.transport(), data.application()};
    auto made = data.is_over_fixt() ? dictionary::Validator::make(both, rules)
                                    : dictionary::Validator::make(data.application(), rules);
    if (!made) return report(error, NXF_DICTIONARY, {.text = made.error()});
    *validator = new nxf_validator{dictionary->data, std::move(*made), {}};
    return nxf_status{NXF_OK};
  });
}

void nxf_validator_free(nxf_validator* validator) { delete validator; }

nxf_status nxf_validate(nxf_validator* validator, const nxf_message* message,
                        nxf_violation* violation) {
  if (validator == nullptr || message == nullptr) return NXF_INVALID_ARGUMENT;
  if (violation != nullptr && violation->struct_size < sizeof(nxf_violation)) {
    return NXF_INVALID_ARGUMENT;
  }
  const auto found = validator->validator.validate(message->view, validator->memory);
  if (!found) return NXF_OK;
  if (violation == nullptr) return NXF_VIOLATION;
  return guarded(nullptr, [&]() -> nxf_status {
    nxf_violation made{};
    made.tag = found->tag;
    made.reason = static_cast<std::int32_t>(found->reason());
    made.offset = found->offset;
    made.group = found->group;
    made.rule = rule_name(found->rule);
    nexusfix::c::copy_text(made.text, text_of(*found, *validator, message->view));
    nexusfix::c::write_result(violation, made);
    return NXF_VIOLATION;
  });
}
