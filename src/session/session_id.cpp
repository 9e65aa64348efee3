#include <nexusfix/session/session_id.hpp>

namespace nexusfix::session {
namespace {

void add_party(std::string& text, const std::string& comp_id, const std::string& sub_id,
               const std::string& location_id) {
  text += comp_id;
  if (sub_id.empty() && location_id.empty()) return;
  text += '/' + sub_id;
  if (!location_id.empty()) text += '/' + location_id;
}

}  // namespace

std::string SessionId::to_string() const {
  std::string text = begin_string + ":";
  add_party(text, sender_comp_id, sender_sub_id, sender_location_id);
  text += "->";
  add_party(text, target_comp_id, target_sub_id, target_location_id);
  if (!qualifier.empty()) text += ":" + qualifier;
  return text;
}

}  // namespace nexusfix::session
