#include "venue/rules/rule_line.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include <nexusfix/wire/convert.hpp>

#include "dictionary/api/nearest_name.hpp"

namespace nexusfix::venue {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }
bool is_sign(char c) { return c == '=' || c == '!' || c == '<' || c == '>' || c == ','; }
bool is_quote(char c) { return c == '\'' || c == '"'; }

}  // namespace

RuleLine::RuleLine(std::string_view text, unsigned number) : number_{number} { split(text); }

void RuleLine::split(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    if (text[at] == '#') break;
    const auto column = static_cast<unsigned>(at + 1);
    if (is_control(text[at])) return fail_at(column, "a control character");
    std::size_t end = at + 1;
    if (is_quote(text[at])) {
      end = text.find(text[at], at + 1);
      if (end == std::string_view::npos) {
        return fail_at(column, "the text has no end: its quotation mark is missing");
      }
      if (std::ranges::any_of(text.substr(at, end - at), is_control)) {
        return fail_at(column, "the text has a control character");
      }
      tokens_.push_back({std::string{text.substr(at + 1, end - at - 1)}, column, true});
      ++end;
    } else if (is_sign(text[at])) {
      const bool has_equals = text[at] != ',' && text[at] != '=' && end < text.size();
      if (has_equals && text[end] == '=') ++end;
      tokens_.push_back({std::string{text.substr(at, end - at)}, column, false});
    } else {
      while (end < text.size() && !is_blank(text[end]) && !is_sign(text[end]) &&
             !is_control(text[end])) {
        ++end;
      }
      tokens_.push_back({std::string{text.substr(at, end - at)}, column, false});
    }
    at = end;
  }
  end_column_ = static_cast<unsigned>(at + 1);
}

// A word of the file may be long.
void RuleLine::fail_at(unsigned column, std::string text) {
  constexpr std::size_t kTextBytesMax = 240;
  if (text.size() > kTextBytesMax) (text.resize(kTextBytesMax), text += "...");
  if (!error_) error_ = RulesError{number_, column, std::move(text)};
}

void RuleLine::fail(std::string text) { fail_at(last_column_, std::move(text)); }

void RuleLine::expected(std::string_view what) { fail(fmt::format("{} was expected", what)); }

const RuleLine::Token* RuleLine::take(std::string_view what) {
  if (failed()) return nullptr;
  if (at_end()) {
    fail_at(end_column_, fmt::format("{} was expected", what));
    return nullptr;
  }
  last_column_ = tokens_[next_].column;
  return &tokens_[next_++];
}

std::string_view RuleLine::peek() const noexcept {
  return at_end() ? std::string_view{} : std::string_view{tokens_[next_].text};
}

bool RuleLine::has_text() const noexcept { return !at_end() && tokens_[next_].is_quoted; }

bool RuleLine::takes(std::string_view word) {
  if (failed() || at_end() || tokens_[next_].is_quoted || tokens_[next_].text != word) return false;
  last_column_ = tokens_[next_++].column;
  return true;
}

std::optional<std::string> RuleLine::value(std::string_view what) {
  const Token* const token = take(what);
  if (token == nullptr) return std::nullopt;
  const bool is_value = token->is_quoted || !is_sign(token->text.front());
  if (is_value && !token->text.empty()) return token->text;
  expected(what);
  return std::nullopt;
}

std::optional<std::string> RuleLine::text(std::string_view what) {
  const Token* const token = take(what);
  if (token == nullptr) return std::nullopt;
  constexpr std::size_t kTextBytesMax = 256;
  if (token->is_quoted && !token->text.empty() && token->text.size() <= kTextBytesMax) {
    return token->text;
  }
  expected(fmt::format("{}, a text in quotes of 1 to {} bytes,", what, kTextBytesMax));
  return std::nullopt;
}

std::optional<Units> RuleLine::units(std::string_view what) {
  const auto word = value(what);
  if (!word) return std::nullopt;
  const auto number = wire::to_decimal(*word);
  const auto units = number ? to_units(*number) : std::nullopt;
  if (units && *units > 0) return units;
  expected(fmt::format("{}, a number above 0 with up to 8 decimals,", what));
  return std::nullopt;
}

std::optional<unsigned> RuleLine::count(std::string_view what, unsigned max) {
  const auto word = value(what);
  if (!word) return std::nullopt;
  unsigned number = 0;
  const char* const end = word->data() + word->size();
  const auto [stop, fault] = std::from_chars(word->data(), end, number);
  if (fault == std::errc{} && stop == end && number <= max) return number;
  expected(fmt::format("{}, a whole number up to {},", what, max));
  return std::nullopt;
}

std::optional<Milliseconds> RuleLine::time() {
  const auto word = value("a time such as 50ms");
  if (!word) return std::nullopt;
  constexpr std::uint64_t kMillisMax = 86'400'000;  // a day
  std::uint64_t number = 0;
  const char* const end = word->data() + word->size();
  const auto [stop, fault] = std::from_chars(word->data(), end, number);
  const std::string_view unit{stop, static_cast<std::size_t>(end - stop)};
  const std::uint64_t factor = unit == "ms" ? 1 : unit == "s" ? 1'000 : unit == "m" ? 60'000 : 0;
  if (fault == std::errc{} && factor != 0 && number <= kMillisMax / factor) {
    return Milliseconds{number * factor};
  }
  expected("a time up to a day, such as 50ms, 2s or 1m,");
  return std::nullopt;
}

std::optional<unsigned> RuleLine::permille() {
  const auto word = value("a share such as 10%");
  if (!word) return std::nullopt;
  if (word->ends_with('%')) {
    const auto number = wire::to_decimal(std::string_view{*word}.substr(0, word->size() - 1));
    const auto units = number ? to_units(*number) : std::nullopt;
    constexpr Units kUnitsPerPermille = kUnitsPerOne / 10;
    if (units && *units >= 0 && *units <= 100 * kUnitsPerOne && *units % kUnitsPerPermille == 0) {
      return static_cast<unsigned>(*units / kUnitsPerPermille);
    }
  }
  expected("a share from 0% to 100%, with at most one decimal,");
  return std::nullopt;
}

std::optional<std::size_t> RuleLine::one_of(std::initializer_list<std::string_view> words) {
  const std::vector<std::string_view> known{words};
  const Token* const token = take(fmt::format("one of {}", fmt::join(known, ", ")));
  if (token == nullptr) return std::nullopt;
  for (std::size_t at = 0; at < known.size(); ++at) {
    if (!token->is_quoted && token->text == known[at]) return at;
  }
  const auto nearest = dictionary::nearest_name(token->text, known);
  fail(nearest ? fmt::format("'{}' is unknown here. Did you mean '{}'?", token->text, *nearest)
               : fmt::format("'{}' is unknown here: one of {} was expected", token->text,
                             fmt::join(known, ", ")));
  return std::nullopt;
}

std::vector<std::string> RuleLine::list(std::string_view what) {
  std::vector<std::string> all;
  do {
    if (auto one = value(what)) all.push_back(std::move(*one));
  } while (takes(","));
  return all;
}

void RuleLine::expect(std::string_view word) {
  if (takes(word)) return;
  const std::string what = fmt::format("'{}'", word);
  if (take(what) != nullptr) expected(what);
}

void RuleLine::expect_end() {
  if (failed() || at_end()) return;
  last_column_ = tokens_[next_].column;
  fail(fmt::format("'{}' was not expected: the line is complete before it", tokens_[next_].text));
}

}  // namespace nexusfix::venue
