// Which messages `nexusfix ctl tail` shows: 35=D, MsgType=NewOrderSingle, 55=EURUSD.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/wire/field.hpp>

#include "nexusfix/dictionary/field_names.hpp"

namespace nexusfix::command {

class TailFilter {
 public:
  // conditions: TAG=VALUE or NAME=VALUE. VALUE is a value, or its name in one of the dictionaries.
  // The error names the condition.
  [[nodiscard]] static std::expected<TailFilter, std::string> parse(
      const std::vector<std::string>& conditions, const FieldNames& names);
  // Whether the message fulfils all conditions: it has the field, and one with this value.
  [[nodiscard]] bool admits(std::string_view bytes) const;

 private:
  struct Condition {
    wire::Tag tag = 0;
    std::string value;
    std::string named;  // the value that has this name; empty: none has
  };
  std::vector<Condition> conditions_;
};

}  // namespace nexusfix::command
