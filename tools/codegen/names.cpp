#include "codegen/names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/api/ascii.hpp"

namespace nexusfix::codegen {
namespace {

// The number of lower-case letters at position at.
std::size_t lower_run(std::string_view name, std::size_t at) {
  const auto* const begin = name.begin() + static_cast<std::ptrdiff_t>(std::min(at, name.size()));
  return static_cast<std::size_t>(std::find_if_not(begin, name.end(), is_lower) - begin);
}

bool word_begins(std::string_view name, std::size_t i) {
  if (i == 0) return false;
  const char before = name[i - 1];
  if (is_upper(name[i])) {
    if (is_lower(before) || is_digit(before)) return true;
    const std::size_t run = lower_run(name, i + 1);
    const std::string_view lower = name.substr(i + 1, run);
    return is_upper(before) && run > 0 && lower != "s" && lower != "id";
  }
  // IOIid: the "id" after at least two upper-case letters is a word.
  return i >= 2 && is_upper(before) && is_upper(name[i - 2]) && lower_run(name, i) == 2 &&
         name.substr(i, 2) == "id";
}

constexpr auto kKeywords = std::to_array<std::string_view>(
    {"alignas",       "alignof",     "and",       "and_eq",   "asm",       "auto",
     "bitand",        "bitor",       "bool",      "break",    "case",      "catch",
     "char",          "class",       "compl",     "concept",  "const",     "const_cast",
     "consteval",     "constexpr",   "constinit", "continue", "co_await",  "co_return",
     "co_yield",      "decltype",    "default",   "delete",   "do",        "double",
     "dynamic_cast",  "else",        "enum",      "explicit", "export",    "extern",
     "false",         "float",       "for",       "friend",   "goto",      "if",
     "inline",        "int",         "long",      "mutable",  "namespace", "new",
     "noexcept",      "not",         "not_eq",    "nullptr",  "operator",  "or",
     "or_eq",         "private",     "protected", "public",   "register",  "reinterpret_cast",
     "requires",      "return",      "short",     "signed",   "sizeof",    "static",
     "static_assert", "static_cast", "struct",    "switch",   "template",  "this",
     "throw",         "true",        "try",       "typedef",  "typename",  "union",
     "unsigned",      "using",       "virtual",   "void",     "while",     "xor",
     "xor_eq",        "char8_t",     "char16_t",  "char32_t", "wchar_t",   "thread_local",
     "typeid",        "volatile"});

// Names that the generated code itself uses, and macros of the headers that it includes.
constexpr auto kTaken = std::to_array<std::string_view>(
    {"std", "wire", "nexusfix", "errno", "assert", "NULL", "EOF", "EDOM", "ERANGE", "EILSEQ",
     "stdin", "stdout", "stderr", "linux", "unix", "major", "minor", "makedev"});

std::string octal_escape(char c) {
  const auto byte = static_cast<unsigned char>(c);
  std::string escape = "\\";
  for (const int shift : {6, 3, 0}) escape += static_cast<char>('0' + ((byte >> shift) & 7));
  return escape;
}

// Octal, because a hexadecimal escape would include the digits after it.
std::string escaped(char c, char quote) {
  if (c == quote || c == '\\') return {'\\', c};
  if (c >= ' ' && c <= '~') return {c};
  return octal_escape(c);
}

}  // namespace

std::string snake_case(std::string_view name) {
  std::string snake;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (word_begins(name, i)) snake += '_';
    snake += to_lower(name[i]);
  }
  return snake;
}

std::string pascal_case(std::string_view name) {
  std::string pascal;
  for (std::size_t i = 0; i < name.size();) {
    const auto* const begin = name.begin() + static_cast<std::ptrdiff_t>(i);
    const std::string_view word{begin, std::find_if_not(begin, name.end(), is_alphanumeric)};
    const bool keep = std::ranges::any_of(word, is_lower);
    for (std::size_t k = 0; k < word.size(); ++k) {
      pascal += k == 0 ? to_upper(word[k]) : keep ? word[k] : to_lower(word[k]);
    }
    i += word.size() + 1;
  }
  return pascal;
}

bool is_keyword(std::string_view name) noexcept {
  return std::ranges::find(kKeywords, name) != kKeywords.end();
}

std::string identifier(std::string_view name) {
  std::string result{name};
  std::ranges::replace_if(result, [](char c) { return !is_alphanumeric(c); }, '_');
  // C++ reserves names with two adjacent underscores and with one at the beginning: C++23,
  // [lex.name].
  const auto same =
      std::ranges::unique(result, [](char a, char b) { return a == '_' && b == '_'; });
  result.erase(same.begin(), same.end());
  if (result.empty() || is_digit(result.front()) || result.front() == '_') result.insert(0, 1, 'N');
  if (is_keyword(result) || std::ranges::find(kTaken, result) != kTaken.end()) result += '_';
  return result;
}

std::string UniqueNames::take(const std::string& name, std::string_view suffix) {
  if (taken_.insert(name).second) return name;
  const std::string longer = name + std::string{suffix};
  for (unsigned number = 1;; ++number) {
    const std::string candidate = number == 1 ? longer : longer + std::to_string(number);
    if (taken_.insert(candidate).second) return candidate;
  }
}

std::string string_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) literal += escaped(c, '"');
  return literal + '"';
}

std::string char_literal(char c) { return '\'' + escaped(c, '\'') + '\''; }

}  // namespace nexusfix::codegen
