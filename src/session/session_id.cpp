#include <nexusfix/session/session_id.hpp>

namespace nexusfix::session {

std::string SessionId::to_string() const {
  std::string text = begin_string + ":" + sender_comp_id + "->" + target_comp_id;
  if (!qualifier.empty()) text += ":" + qualifier;
  return text;
}

}  // namespace nexusfix::session
