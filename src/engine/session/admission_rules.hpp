// Who may log on, as far as the settings alone decide it.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include <nexusfix/engine.hpp>
#include <nexusfix/transport/network.hpp>

namespace nexusfix::engine {

// AllowedRemoteAddresses. peer_name: as Network::peer_name() gives it.
[[nodiscard]] inline bool may_come_from(const SessionSettings& settings,
                                        std::string_view peer_name) {
  return settings.admission.allowed_remote_addresses.contains(
      transport::peer_address_of(peer_name));
}

// AllowedUsernames. The Username must be the counterparty's CompID, or one of the list, where "*"
// allows all.
[[nodiscard]] inline bool is_users_session(const SessionSettings& settings,
                                           std::string_view comp_id, std::string_view username) {
  return username == comp_id || std::ranges::any_of(settings.credentials.allowed_usernames,
                                                    [&](const std::string& allowed) {
                                                      return allowed == "*" || allowed == username;
                                                    });
}

}  // namespace nexusfix::engine
