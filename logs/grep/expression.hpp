// The language of `nexusfix grep`: MsgType=D and Symbol~"AAPL|MSFT" and Price>150.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/wire/field.hpp>

#include "nexusfix/dictionary/field_names.hpp"

namespace re2 {
class RE2;
}

namespace nexusfix::logs {

enum class Comparator : std::uint8_t {
  Has,  // the message has the field
  Equal,
  NotEqual,  // it has the field, and no value of it is equal
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual,
  Matches,     // the regular expression, somewhere in the value
  MatchesNot,  // it has the field, and no value of it matches
};

// One field, compared with a value. It holds if it holds for one of several values of the field.
struct Comparison {
  wire::Tag tag = 0;
  Comparator comparator = Comparator::Has;
  std::string value;              // as on the wire
  bool is_numeric = false;        // field and value are numbers, without quotes: 150 equals 150.00
  std::optional<Decimal> number;  // of the value, if it is one
  std::shared_ptr<const re2::RE2> pattern;

  // Whether one value of the field fulfils the comparison, or its opposite for NotEqual and
  // MatchesNot.
  [[nodiscard]] bool holds_for(std::string_view found) const;
  [[nodiscard]] bool is_negative() const noexcept {
    return comparator == Comparator::NotEqual || comparator == Comparator::MatchesNot;
  }
};

struct Expression {
  enum class Kind : std::uint8_t {
    Comparison,
    And,    // of all parts
    Or,     // of all parts
    Not,    // of the only part
    Group,  // an entry of a group fulfils the only part
  };
  Kind kind = Kind::Comparison;
  Comparison comparison{};
  std::vector<Expression> parts{};
  wire::Tag count = 0;               // of a group: its count field
  std::vector<wire::Tag> members{};  // of a group: sorted
};

// The error of an expression, and its place.
struct ExpressionError {
  std::string text;       // one sentence
  std::size_t begin = 0;  // of the wrong part, in bytes of the expression
  std::size_t size = 1;
};

// The nesting of an expression, at most.
inline constexpr std::size_t kExpressionDepthMax = 64;
// The bytes of an expression, at most.
inline constexpr std::size_t kExpressionBytesMax = 64U << 10U;

// expression := term { or term }         term := factor { and factor }
// factor     := [not] ( expression ) | [not] field [comparator value] | group.factor
//               | group[ expression ]
// A field is a name or a tag; a value is a word, or a text in quotes. A word may be the name of an
// enumerated value: Side=BUY. A text in quotes is a value on the wire. Allocates.
[[nodiscard]] std::expected<Expression, ExpressionError> parse_expression(
    std::string_view text, const command::FieldNames& names);

// The error, the expression, and a line that underlines the wrong part.
[[nodiscard]] std::string underlined(std::string_view expression, const ExpressionError& error);

}  // namespace nexusfix::logs
