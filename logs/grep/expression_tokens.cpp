#include "logs/grep/expression_tokens.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/api/ascii.hpp"

namespace nexusfix::logs {
namespace {

// The longer ones first.
constexpr std::array<std::string_view, 10> kComparators{
    "!=", "<=", ">=", "!~", "==", "=~", "=", "<", ">", "~"};

bool ends_word(char c) { return std::string_view{" \t\r\n()[]=<>~!&|\"'"}.contains(c); }

Token::Kind kind_of_word(std::string_view word) {
  if (equals_ignoring_case(word, "and")) return Token::Kind::And;
  if (equals_ignoring_case(word, "or")) return Token::Kind::Or;
  if (equals_ignoring_case(word, "not")) return Token::Kind::Not;
  return Token::Kind::Word;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_{text} {}

  std::expected<std::vector<Token>, ExpressionError> run() {
    for (;;) {
      at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
      if (at_ == text_.size()) break;
      if (const auto error = read_token()) return std::unexpected{*error};
    }
    tokens_.push_back({Token::Kind::End, "", text_.size(), 1});
    return std::move(tokens_);
  }

 private:
  void add(Token::Kind kind, std::string_view text, std::size_t size) {
    tokens_.push_back({kind, std::string{text}, at_, size});
    at_ += size;
  }

  std::optional<ExpressionError> read_token() {
    const std::string_view rest = text_.substr(at_);
    if (rest.front() == '"' || rest.front() == '\'') return read_quoted();
    if (is_value_next()) {
      read_value();
      return std::nullopt;
    }
    for (const std::string_view comparator : kComparators) {
      if (!rest.starts_with(comparator)) continue;
      const std::string_view usual = comparator == "=="   ? "="
                                     : comparator == "=~" ? "~"
                                                          : comparator;
      add(Token::Kind::Comparator, usual, comparator.size());
      return std::nullopt;
    }
    if (rest.starts_with("&&")) {
      add(Token::Kind::And, "and", 2);
    } else if (rest.starts_with("||")) {
      add(Token::Kind::Or, "or", 2);
    } else if (rest.front() == '!') {
      add(Token::Kind::Not, "not", 1);
    } else if (std::string_view{"()[].|&"}.contains(rest.front())) {
      add(Token::Kind::Sign, rest.substr(0, 1), 1);
    } else {
      const auto* const end =
          std::ranges::find_if(rest, [](char c) { return ends_word(c) || c == '.'; });
      const std::string_view word{rest.begin(), end};
      add(kind_of_word(word), word, word.size());
    }
    return std::nullopt;
  }

  // After a comparator a word is a value: it may have points and signs, such as 150.25 and
  // 20240115-10:30:00.
  [[nodiscard]] bool is_value_next() const {
    return !tokens_.empty() && tokens_.back().kind == Token::Kind::Comparator &&
           !ends_word(text_[at_]);
  }

  void read_value() {
    const std::string_view rest = text_.substr(at_);
    const auto* const end =
        std::ranges::find_if(rest, [](char c) { return ends_word(c) && c != '='; });
    add(Token::Kind::Word, {rest.begin(), end}, static_cast<std::size_t>(end - rest.begin()));
  }

  // A backslash keeps the next quote or backslash. Others stay, for regular expressions.
  std::optional<ExpressionError> read_quoted() {
    const char quote = text_[at_];
    std::string value;
    for (std::size_t at = at_ + 1; at < text_.size(); ++at) {
      if (text_[at] == quote) {
        add(Token::Kind::Quoted, value, at + 1 - at_);
        return std::nullopt;
      }
      if (text_[at] == '\\' && at + 1 < text_.size() && text_[at + 1] == quote) ++at;
      value += text_[at];
    }
    return ExpressionError{"the quote has no end", at_, 1};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::expected<std::vector<Token>, ExpressionError> tokens_of(std::string_view text) {
  return Lexer{text}.run();
}

}  // namespace nexusfix::logs
