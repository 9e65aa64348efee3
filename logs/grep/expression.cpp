#include "logs/grep/expression.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <re2/re2.h>
#include <utility>

#include <nexusfix/wire/convert.hpp>

#include "base/api/ascii.hpp"
#include "base/api/printable_text.hpp"
#include "logs/grep/expression_tokens.hpp"

namespace nexusfix::logs {
namespace {

using dictionary::FieldDefinition;
using dictionary::FieldType;
using Kind = Expression::Kind;

constexpr std::int64_t kPatternMemoryBytesMax = 16 << 20;

struct NamedComparator {
  std::string_view text;
  Comparator comparator;
};
constexpr std::array kNamedComparators{
    NamedComparator{"=", Comparator::Equal},   NamedComparator{"!=", Comparator::NotEqual},
    NamedComparator{"<", Comparator::Less},    NamedComparator{"<=", Comparator::LessOrEqual},
    NamedComparator{">", Comparator::Greater}, NamedComparator{">=", Comparator::GreaterOrEqual},
    NamedComparator{"~", Comparator::Matches}, NamedComparator{"!~", Comparator::MatchesNot}};

bool has_fractions(FieldType type) {
  return type == FieldType::Price || type == FieldType::PriceOffset || type == FieldType::Qty ||
         type == FieldType::Amt || type == FieldType::Float || type == FieldType::Percentage;
}

bool is_integer(FieldType type) {
  return type == FieldType::Int || type == FieldType::SeqNum || type == FieldType::Length ||
         type == FieldType::NumInGroup;
}

// What the value should be, as no message can have it; empty: it is of the field's type. Times are
// compared as texts.
std::string_view wanted_form(const FieldDefinition& field, std::string_view value, bool is_number) {
  if (!is_number && (has_fractions(field.type) || is_integer(field.type))) return "number";
  constexpr std::size_t kDateBytes = 8;
  const std::string_view date = value.substr(0, kDateBytes);
  const bool is_date = date.size() == kDateBytes && is_all_digits(date);
  return field.type == FieldType::UtcTimestamp && !is_date ? "time such as 20240115-10:30:00" : "";
}

std::optional<Decimal> decimal_at(std::string_view text) {
  const auto number = wire::to_decimal(text);
  return number ? std::optional{*number} : std::nullopt;
}

// A decimal number with any number of digits, such as `%.20f` prints. Zeros that change nothing are
// left out.
struct LongDecimal {
  bool is_negative = false;
  std::string_view whole{};
  std::string_view fraction{};
};

std::optional<LongDecimal> long_decimal_at(std::string_view text) {
  LongDecimal number{.is_negative = text.starts_with('-')};
  if (number.is_negative) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  number.whole = text.substr(0, point);
  number.fraction = text.substr(std::min(point + 1, text.size()));
  const bool is_empty = number.whole.empty() && number.fraction.empty();
  if (is_empty || !std::ranges::all_of(number.whole, is_digit) ||
      !std::ranges::all_of(number.fraction, is_digit)) {
    return std::nullopt;
  }
  number.whole.remove_prefix(std::min(number.whole.find_first_not_of('0'), number.whole.size()));
  number.fraction = number.fraction.substr(0, number.fraction.find_last_not_of('0') + 1);
  if (number.whole.empty() && number.fraction.empty()) number.is_negative = false;
  return number;
}

std::strong_ordering operator<=>(const LongDecimal& left, const LongDecimal& right) {
  if (left.is_negative != right.is_negative) return right.is_negative <=> left.is_negative;
  const auto by_size = left.whole.size() <=> right.whole.size();
  const auto by_digits =
      std::pair{left.whole, left.fraction} <=> std::pair{right.whole, right.fraction};
  const std::strong_ordering order = by_size != 0 ? by_size : by_digits;
  return left.is_negative ? 0 <=> order : order;
}
bool operator==(const LongDecimal& left, const LongDecimal& right) { return (left <=> right) == 0; }

template <class Value>
bool fulfils(Comparator comparator, const Value& found, const Value& value) {
  switch (comparator) {
    case Comparator::Less:
      return found < value;
    case Comparator::LessOrEqual:
      return found <= value;
    case Comparator::Greater:
      return found > value;
    case Comparator::GreaterOrEqual:
      return found >= value;
    default:
      return found == value;
  }
}

class Parser {
 public:
  using Result = std::expected<Expression, ExpressionError>;

  Parser(std::vector<Token> tokens, const command::FieldNames& names)
      : tokens_{std::move(tokens)}, names_{names} {}

  Result run() {
    Result whole = read_any(0);
    if (whole && next().kind != Token::Kind::End) {
      return error("`and` or `or` was expected here", next());
    }
    return whole;
  }

 private:
  [[nodiscard]] const Token& next() const { return tokens_[at_]; }
  [[nodiscard]] bool is_sign(std::string_view sign) const {
    return next().kind == Token::Kind::Sign && next().text == sign;
  }
  static Result error(std::string text, const Token& token) {
    return std::unexpected{ExpressionError{std::move(text), token.begin, token.size}};
  }

  Result read_any(std::size_t depth) { return read_list(depth, Token::Kind::Or, Kind::Or); }

  // One factor, or the factors between `and`; or one term, or the terms between `or`.
  Result read_list(std::size_t depth, Token::Kind between, Kind kind) {
    const auto read_part = [&] {
      return kind == Kind::Or ? read_list(depth, Token::Kind::And, Kind::And) : read_factor(depth);
    };
    Result first = read_part();
    if (!first || next().kind != between) return first;
    Expression all{.kind = kind};
    all.parts.push_back(std::move(*first));
    while (next().kind == between) {
      ++at_;
      Result part = read_part();
      if (!part) return part;
      all.parts.push_back(std::move(*part));
    }
    return all;
  }

  Result read_factor(std::size_t depth) {
    if (depth >= kExpressionDepthMax) return error("the expression is nested too deeply", next());
    if (next().kind == Token::Kind::Not) {
      ++at_;
      Result part = read_factor(depth + 1);
      if (!part) return part;
      Expression opposite{.kind = Kind::Not};
      opposite.parts.push_back(std::move(*part));
      return opposite;
    }
    if (is_sign("(")) return read_enclosed(depth, ")");
    if (next().kind != Token::Kind::Word) {
      return error(next().kind == Token::Kind::End
                       ? "the expression ends where a field was expected"
                       : "a field was expected here",
                   next());
    }
    return read_field(depth);
  }

  // ( expression ) or [ expression ], from the opening sign on.
  Result read_enclosed(std::size_t depth, std::string_view closing) {
    const Token opening = next();
    ++at_;
    Result inner = read_any(depth + 1);
    if (!inner) return inner;
    if (!is_sign(closing)) return error(fmt::format("no `{}` closes this", closing), opening);
    ++at_;
    return inner;
  }

  Result read_field(std::size_t depth) {
    const Token word = next();
    const FieldDefinition* const field = names_.field(word.text);
    const bool is_tag = is_all_digits(word.text) && word.text.size() < 10 && word.text[0] != '0';
    if (field == nullptr && !is_tag) return unknown_field(word);
    ++at_;
    const wire::Tag tag =
        field != nullptr ? field->tag : static_cast<wire::Tag>(std::stoi(word.text));
    if (is_sign(".") || is_sign("[")) return read_group(depth, word, tag);
    return read_comparison(field, tag);
  }

  Result unknown_field(const Token& word) const {
    const auto near = names_.nearest_field(word.text);
    return error(fmt::format("{} is no field of FIX{}", printable(word.text),
                             near ? fmt::format(". Did you mean {}?", *near) : ""),
                 word);
  }

  Result read_group(std::size_t depth, const Token& word, wire::Tag count) {
    Expression group{.kind = Kind::Group};
    group.count = count;
    group.members = names_.group_members(count);
    if (group.members.empty()) {
      return error(fmt::format("{} counts no repeating group", printable(word.text)), word);
    }
    Result inner;
    if (is_sign("[")) {
      inner = read_enclosed(depth, "]");
    } else {
      ++at_;
      inner = read_factor(depth + 1);
    }
    if (!inner) return inner;
    group.parts.push_back(std::move(*inner));
    return group;
  }

  Result read_comparison(const FieldDefinition* field, wire::Tag tag) {
    Expression result;
    Comparison& comparison = result.comparison;
    comparison.tag = tag;
    if (next().kind != Token::Kind::Comparator) return result;
    comparison.comparator =
        std::ranges::find(kNamedComparators, next().text, &NamedComparator::text)->comparator;
    ++at_;
    const Token value = next();
    if (value.kind != Token::Kind::Word && value.kind != Token::Kind::Quoted) {
      return error("a value was expected here, in quotes if it is more than a word", value);
    }
    ++at_;
    comparison.value = value.text;
    if (comparison.comparator == Comparator::Matches ||
        comparison.comparator == Comparator::MatchesNot) {
      return with_pattern(std::move(result), value);
    }
    if (value.kind == Token::Kind::Word) {
      if (auto wrong = name_value(comparison, value)) return std::unexpected{std::move(*wrong)};
    }
    comparison.number = decimal_at(comparison.value);
    const bool is_number = long_decimal_at(comparison.value).has_value();
    const bool is_of_type = field != nullptr && value.kind == Token::Kind::Word;
    comparison.is_numeric = is_number && is_of_type && has_fractions(field->type);
    const std::string_view wanted =
        is_of_type ? wanted_form(*field, comparison.value, is_number) : "";
    if (!wanted.empty()) {
      return error(fmt::format("{0} is no {1}. Write \"{0}\" in quotes for exactly this text",
                               printable(value.text), wanted),
                   value);
    }
    return result;
  }

  // RE2 takes linear time for any pattern. std::regex may take exponential time, and recurses.
  static Result with_pattern(Expression result, const Token& value) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_encoding(re2::RE2::Options::EncodingLatin1);  // the values may be any bytes
    options.set_max_mem(kPatternMemoryBytesMax);
    auto pattern = std::make_shared<const re2::RE2>(value.text, options);
    if (!pattern->ok()) {
      return error("the regular expression is wrong: " + printable(pattern->error()), value);
    }
    result.comparison.pattern = std::move(pattern);
    return result;
  }

  // Replaces the name of a value by the value. A word of an enumeration without such a value and
  // name is an error, because it is most likely misspelt.
  std::optional<ExpressionError> name_value(Comparison& comparison, const Token& value) const {
    if (names_.has_value(comparison.tag, value.text)) return std::nullopt;
    if (auto named = names_.value(comparison.tag, value.text)) {
      comparison.value = std::move(*named);
      return std::nullopt;
    }
    const auto near = names_.nearest_value(comparison.tag, value.text);
    constexpr std::size_t kNameBytesMin = 3;
    if (!near || value.text.size() < kNameBytesMin) return std::nullopt;
    return ExpressionError{
        fmt::format("{} is no value of this field. Did you mean {}? Write \"{}\" in quotes for "
                    "exactly this text",
                    printable(value.text), *near, printable(value.text)),
        value.begin, value.size};
  }

  std::vector<Token> tokens_;
  const command::FieldNames& names_;
  std::size_t at_ = 0;
};

}  // namespace

bool Comparison::holds_for(std::string_view found) const {
  switch (comparator) {
    case Comparator::Has:
      return true;
    case Comparator::Matches:
    case Comparator::MatchesNot:
      return re2::RE2::PartialMatch(re2::StringPiece{found.data(), found.size()}, *pattern);
    case Comparator::Equal:
    case Comparator::NotEqual:
      if (!is_numeric) return found == value;
      break;
    default:
      break;
  }
  if (number) {
    if (const auto found_number = decimal_at(found)) {
      return fulfils(comparator, *found_number, *number);
    }
  }
  if (const auto long_value = long_decimal_at(value)) {
    if (const auto long_found = long_decimal_at(found)) {
      return fulfils(comparator, *long_found, *long_value);
    }
    if (is_numeric) return false;
  }
  return fulfils(comparator, found, std::string_view{value});
}

std::expected<Expression, ExpressionError> parse_expression(std::string_view text,
                                                            const command::FieldNames& names) {
  if (text.size() > kExpressionBytesMax) {
    return std::unexpected{ExpressionError{"the expression has more than 65,536 bytes", 0, 1}};
  }
  auto tokens = tokens_of(text);
  if (!tokens) return std::unexpected{std::move(tokens.error())};
  return Parser{std::move(*tokens), names}.run();
}

std::string underlined(std::string_view expression, const ExpressionError& error) {
  std::string before = printable(expression.substr(0, error.begin));
  const std::string wrong =
      printable(expression.substr(std::min(error.begin, expression.size()), error.size));
  const std::size_t marks = std::max<std::size_t>(wrong.size(), 1);
  return fmt::format("{}\n  {}\n  {}^{}", error.text, printable(expression),
                     std::string(before.size(), ' '), std::string(marks - 1, '~'));
}

}  // namespace nexusfix::logs
