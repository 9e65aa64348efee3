// One line of a file of rules: its words, and the fault that was found first.
#pragma once

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "venue/rules/rules.hpp"

namespace nexusfix::venue {

class RuleLine {
 public:
  // number: from 1. text must outlive this object.
  RuleLine(std::string_view text, unsigned number);

  [[nodiscard]] bool at_end() const noexcept { return next_ == tokens_.size(); }
  [[nodiscard]] bool failed() const noexcept { return error_.has_value(); }
  [[nodiscard]] const std::optional<RulesError>& error() const noexcept { return error_; }

  // Each read the next token, or fail and return nothing. After a failure all of them fail.
  [[nodiscard]] std::optional<std::string> value(std::string_view what);  // a word or a text
  [[nodiscard]] std::optional<std::string> text(std::string_view what);   // in quotes
  [[nodiscard]] std::optional<Units> units(std::string_view what);        // above 0
  [[nodiscard]] std::optional<unsigned> count(std::string_view what, unsigned max);
  [[nodiscard]] std::optional<Milliseconds> time();  // 50ms, 2s, 1m
  [[nodiscard]] std::optional<unsigned> permille();  // 10%, 0.5%
  [[nodiscard]] std::optional<std::size_t> one_of(std::initializer_list<std::string_view> words);
  [[nodiscard]] std::vector<std::string> list(std::string_view what);  // a, b, c

  // Whether the next token is this word or sign, which is then read.
  [[nodiscard]] bool takes(std::string_view word);
  // Whether the next token is a text in quotes.
  [[nodiscard]] bool has_text() const noexcept;
  // The next token, without reading it; empty: none.
  [[nodiscard]] std::string_view peek() const noexcept;
  void expect(std::string_view word);
  void expect_end();

  // At the token that was read last.
  void fail(std::string text);

 private:
  struct Token {
    std::string text;
    unsigned column = 0;
    bool is_quoted = false;
  };
  void split(std::string_view text);
  [[nodiscard]] const Token* take(std::string_view what);
  void fail_at(unsigned column, std::string text);
  void expected(std::string_view what);

  unsigned number_;
  unsigned end_column_ = 1;
  unsigned last_column_ = 1;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  std::optional<RulesError> error_;
};

}  // namespace nexusfix::venue
