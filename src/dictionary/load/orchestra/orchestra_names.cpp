#include "dictionary/load/orchestra/orchestra_names.hpp"

#include <cstddef>

#include "base/api/ascii.hpp"

namespace nexusfix::dictionary {
namespace {

// Whether a word begins at i: after a lower-case letter, at a number, and at the last of several
// capitals when a lower-case letter follows it.
bool begins_word(std::string_view name, std::size_t i) {
  const char before = name[i - 1];
  const char c = name[i];
  if (is_digit(c)) return is_lower(before);
  if (!is_upper(c)) return false;
  const bool small_follows = i + 1 < name.size() && is_lower(name[i + 1]);
  return is_lower(before) || (small_follows && (is_upper(before) || is_digit(before)));
}

}  // namespace

std::string upper_snake(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_alphanumeric(c)) {
      if (!out.empty() && out.back() != '_') out += '_';
      continue;
    }
    if (i > 0 && begins_word(name, i) && !out.empty() && out.back() != '_') out += '_';
    out += to_upper(c);
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out;
}

RepositoryVersion latest_version() { return {"FIX.5.0", 2}; }

std::optional<RepositoryVersion> version_in(std::string_view text) {
  if (text.starts_with("FIX.Latest")) return latest_version();
  const std::size_t dot = text.find('.');
  if (dot == text.npos || (text.substr(0, dot) != "FIX" && text.substr(0, dot) != "FIXT")) {
    return std::nullopt;
  }
  const std::string_view numbers = text.substr(dot + 1);
  if (numbers.size() < 3 || !is_digit(numbers[0]) || numbers[1] != '.' || !is_digit(numbers[2])) {
    return std::nullopt;
  }
  RepositoryVersion version{std::string{text.substr(0, dot + 4)}, 0};
  const std::string_view rest = numbers.substr(3);
  if (rest.size() >= 3 && rest.starts_with("SP") && is_digit(rest[2])) {
    version.service_pack = static_cast<unsigned>(rest[2] - '0');
  }
  return version;
}

}  // namespace nexusfix::dictionary
