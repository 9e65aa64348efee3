#include <nexusfix/session/identity.hpp>

#include "base/api/escaped_text.hpp"

namespace nexusfix::session {
namespace {

constexpr std::string_view kArrow = "->";

using AppendPart = void (*)(std::string& to, std::string_view part);

bool is_kept(char c) noexcept { return c >= ' ' && c <= '~' && c != ':' && c != '/' && c != '>'; }

void append_part(std::string& to, std::string_view part) { append_escaped(to, part, is_kept); }
void append_raw(std::string& to, std::string_view part) { to += part; }

void add_party(std::string& text, AppendPart append, const std::string& comp_id,
               const std::string& sub_id, const std::string& location_id) {
  append(text, comp_id);
  if (sub_id.empty() && location_id.empty()) return;
  append(text += '/', sub_id);
  if (!location_id.empty()) append(text += '/', location_id);
}

std::string name_of(const SessionId& id, AppendPart append) {
  std::string text;
  append(text, id.begin_string);
  text += ':';
  add_party(text, append, id.sender_comp_id, id.sender_sub_id, id.sender_location_id);
  text += kArrow;
  add_party(text, append, id.target_comp_id, id.target_sub_id, id.target_location_id);
  if (!id.qualifier.empty()) append(text += ':', id.qualifier);
  return text;
}

void read_party(std::string_view party, std::string& comp_id, std::string& sub_id,
                std::string& location_id) {
  for (std::string* part : {&comp_id, &sub_id, &location_id}) {
    const std::string_view text = part == &location_id ? party : party.substr(0, party.find('/'));
    *part = unescaped(text);
    party.remove_prefix(text.size() == party.size() ? text.size() : text.size() + 1);
  }
}

}  // namespace

std::string SessionId::to_string() const { return name_of(*this, append_part); }

std::string SessionId::former_name() const { return name_of(*this, append_raw); }

std::optional<SessionId> SessionId::parse(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view parties = name.substr(colon + 1);
  const std::size_t arrow = parties.find(kArrow);
  if (arrow == std::string_view::npos) return std::nullopt;
  const std::string_view target = parties.substr(arrow + kArrow.size());
  const std::size_t second = target.find(':');
  SessionId id;
  id.begin_string = unescaped(name.substr(0, colon));
  if (second != std::string_view::npos) id.qualifier = unescaped(target.substr(second + 1));
  read_party(parties.substr(0, arrow), id.sender_comp_id, id.sender_sub_id, id.sender_location_id);
  read_party(target.substr(0, second), id.target_comp_id, id.target_sub_id, id.target_location_id);
  const bool is_whole =
      !id.begin_string.empty() && !id.sender_comp_id.empty() && !id.target_comp_id.empty();
  // Each identity has one name: other spellings are none.
  if (!is_whole || id.to_string() != name) return std::nullopt;
  return id;
}

}  // namespace nexusfix::session
