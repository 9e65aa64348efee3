// Which values of a message may be shown to others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nexusfix/dictionary.hpp>

#include "nexusfix/dictionary/field_names.hpp"

namespace nexusfix::logs {

enum class Treatment : std::uint8_t {
  Keep,       // the value stays
  Pseudonym,  // another value of the same shape
  Price,      // it stays, or is scaled with all other prices
  Mask,       // bytes of a data field: x for each
  Secret,     // a password: always the same text
};

// Decides by tag and value. What it does not know, and a value that is not of its field's type, has
// a pseudonym. One thread at a time.
class FieldTreatments {
 public:
  // names must outlive this object. kept and hidden come first, but passwords are always secret.
  FieldTreatments(const command::FieldNames& names, const std::vector<wire::Tag>& kept,
                  const std::vector<wire::Tag>& hidden);

  [[nodiscard]] Treatment of(wire::Tag tag, std::string_view value);

 private:
  // What is known of a tag.
  struct Rule {
    dictionary::FieldType type = dictionary::FieldType::Unknown;
    bool is_kept = false;
    bool is_hidden = false;
    bool has_values = false;
    std::unordered_map<std::string, bool> values;  // whether the enumeration has it; bounded
  };

  [[nodiscard]] Rule& rule_of(wire::Tag tag);
  [[nodiscard]] bool is_enumerated(Rule& rule, wire::Tag tag, std::string_view value) const;
  [[nodiscard]] bool are_enumerated(Rule& rule, wire::Tag tag, std::string_view values) const;
  [[nodiscard]] Treatment by_type(Rule& rule, wire::Tag tag, std::string_view value) const;

  const command::FieldNames& names_;
  std::unordered_map<wire::Tag, Rule> rules_;
  std::vector<Rule*> by_tag_;  // of usual tags
};

}  // namespace nexusfix::logs
