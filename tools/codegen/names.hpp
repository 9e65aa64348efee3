// From the names of a dictionary to the names of C++.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace nexusfix::codegen {

// ClOrdID -> cl_ord_id, NoPartyIDs -> no_party_ids, HeartBtInt -> heart_bt_int, IOIid -> ioi_id.
// A word begins with an upper-case letter behind a lower-case letter or digit, and with the last
// letter of a run of upper-case letters if a lower-case one follows; but the s of a plural (IDs)
// and the id behind an abbreviation stay whole. Accessors and file names are made with it.
[[nodiscard]] std::string snake_case(std::string_view name);

// IMMEDIATE_OR_CANCEL -> ImmediateOrCancel; a word with a lower-case letter keeps its letters.
[[nodiscard]] std::string pascal_case(std::string_view name);

// The name, if it is an identifier; else one like it: what is no letter, digit or underscore
// becomes an underscore, N goes in front of a leading digit, an underscore behind a keyword.
[[nodiscard]] std::string identifier(std::string_view name);

[[nodiscard]] bool is_keyword(std::string_view name) noexcept;

// Hands each name out once: a second user gets the name with suffix behind it, and a third one a
// number as well.
class UniqueNames {
 public:
  [[nodiscard]] std::string take(const std::string& name, std::string_view suffix);
  // Whether somebody has it.
  [[nodiscard]] bool has(std::string_view name) const { return taken_.contains(name); }

 private:
  std::set<std::string, std::less<>> taken_;
};

// The text as a C++ string literal, quotes included.
[[nodiscard]] std::string string_literal(std::string_view text);
[[nodiscard]] std::string char_literal(char c);

}  // namespace nexusfix::codegen
