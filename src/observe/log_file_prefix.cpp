#include "base/api/escaped_text.hpp"
#include "observe/api/session_logs.hpp"

namespace nexusfix::observe {
namespace {

// The hyphen separates; other bytes cannot be in a file name, or are the escape itself.
bool is_kept(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= ' ' && c != '\x7F' && c != '/' && c != '%' && c != '-';
}
bool is_kept_before(char c) noexcept { return c == '-' || is_kept(c); }

using IsKept = bool (*)(char);

void add_party(std::string& prefix, const LogFileParty& party, std::string_view separator,
               IsKept kept) {
  append_escaped(prefix += '-', party.comp_id, kept);
  const bool has_location = !party.location_id.empty();
  // Without an empty part for the SubID, an absent SubID would look like an absent LocationID.
  const bool has_sub_id = !party.sub_id.empty() || (has_location && separator.size() > 1);
  if (has_sub_id) append_escaped(prefix += separator, party.sub_id, kept);
  if (has_location) append_escaped(prefix += separator, party.location_id, kept);
}

std::string prefix_of(std::string_view begin_string, const LogFileParty& sender,
                      const LogFileParty& target, std::string_view qualifier,
                      std::string_view separator, IsKept kept) {
  std::string prefix;
  append_escaped(prefix, begin_string, kept);
  add_party(prefix, sender, separator, kept);
  add_party(prefix, target, separator, kept);
  if (!qualifier.empty()) append_escaped(prefix += '-', qualifier, kept);
  return prefix;
}

}  // namespace

std::string log_file_prefix(std::string_view begin_string, const LogFileParty& sender,
                            const LogFileParty& target, std::string_view qualifier) {
  return prefix_of(begin_string, sender, target, qualifier, "--", is_kept);
}

std::string former_log_file_prefix(std::string_view begin_string, const LogFileParty& sender,
                                   const LogFileParty& target, std::string_view qualifier) {
  return prefix_of(begin_string, sender, target, qualifier, "_", is_kept_before);
}

}  // namespace nexusfix::observe
