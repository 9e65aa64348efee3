#include "session/api/logon_identity.hpp"

#include <string>
#include <string_view>

#include <nexusfix/wire/field.hpp>

namespace nexusfix::session {

std::optional<SessionId> session_of(const wire::MessageView& logon) {
  const auto sender = logon[tag::SenderCompID];
  const auto target = logon[tag::TargetCompID];
  if (!sender || !target) return std::nullopt;
  const auto part = [&](wire::Tag tag) { return std::string{logon[tag].value_or("")}; };
  return SessionId{.begin_string = std::string{logon.begin_string()},
                   .sender_comp_id = std::string{*target},
                   .target_comp_id = std::string{*sender},
                   .sender_sub_id = part(tag::TargetSubID),
                   .sender_location_id = part(tag::TargetLocationID),
                   .target_sub_id = part(tag::SenderSubID),
                   .target_location_id = part(tag::SenderLocationID)};
}

SessionId without_sub_ids(const SessionId& id) {
  return {.begin_string = id.begin_string,
          .sender_comp_id = id.sender_comp_id,
          .target_comp_id = id.target_comp_id};
}

bool stands_for(const SessionId& pattern, const SessionId& id) noexcept {
  const auto fits = [](std::string_view wanted, std::string_view given) {
    return wanted == "*" || wanted == given;
  };
  return pattern.begin_string == id.begin_string &&
         fits(pattern.sender_comp_id, id.sender_comp_id) &&
         fits(pattern.target_comp_id, id.target_comp_id);
}

}  // namespace nexusfix::session
