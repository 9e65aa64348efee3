// The words and signs of an expression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "logs/grep/expression.hpp"

namespace nexusfix::logs {

struct Token {
  enum class Kind : std::uint8_t { Word, Quoted, Comparator, And, Or, Not, Sign, End };
  Kind kind = Kind::End;
  std::string text;       // of a quoted text: without quotes and escapes
  std::size_t begin = 0;  // in the expression
  std::size_t size = 0;
};

// The tokens, with End as the last one.
[[nodiscard]] std::expected<std::vector<Token>, ExpressionError> tokens_of(std::string_view text);

}  // namespace nexusfix::logs
