// From the names of a dictionary to the names of C++.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace nexusfix::codegen {

// ClOrdID -> cl_ord_id, NoPartyIDs -> no_party_ids, HeartBtInt -> heart_bt_int, IOIid -> ioi_id. A
// word begins with an upper-case letter after a lower-case letter or digit, and with the last
// letter of a run of upper-case letters if a lower-case one follows. The s of a plural (IDs) and
// the "id" after an abbreviation stay whole. For accessors and file names.
[[nodiscard]] std::string snake_case(std::string_view name);

// IMMEDIATE_OR_CANCEL -> ImmediateOrCancel; a word with a lower-case letter keeps its letters.
[[nodiscard]] std::string pascal_case(std::string_view name);

// The name if it is an identifier; otherwise a similar one: every character that is not a letter,
// digit or underscore becomes an underscore, a leading digit gets the prefix N, and a keyword the
// suffix underscore.
[[nodiscard]] std::string identifier(std::string_view name);

[[nodiscard]] bool is_keyword(std::string_view name) noexcept;

// Assigns each name once. A second user gets the name with the suffix, and a third one also a
// number.
class UniqueNames {
 public:
  [[nodiscard]] std::string take(const std::string& name, std::string_view suffix);
  // Whether the name is assigned.
  [[nodiscard]] bool has(std::string_view name) const { return taken_.contains(name); }

 private:
  std::set<std::string, std::less<>> taken_;
};

// The text as a C++ string literal in quotes.
[[nodiscard]] std::string string_literal(std::string_view text);
[[nodiscard]] std::string char_literal(char c);

}  // namespace nexusfix::codegen
