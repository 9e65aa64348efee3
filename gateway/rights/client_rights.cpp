#include "gateway/rights/client_rights.hpp"

#include <algorithm>

namespace nexusfix::gateway {
namespace {

bool has(const std::vector<std::string>& list, std::string_view value) noexcept {
  return list.empty() || std::ranges::find(list, value) != list.end();
}

}  // namespace

bool MessageRule::matches(const OwnerFields& fields) const noexcept {
  const auto begins = [&](const std::string& prefix) {
    return fields.cl_ord_id.starts_with(prefix);
  };
  return has(msg_types, fields.msg_type) && has(accounts, fields.account) &&
         has(symbols, fields.symbol) &&
         (cl_ord_id_prefixes.empty() || std::ranges::any_of(cl_ord_id_prefixes, begins));
}

bool MessageRule::is_everything() const noexcept {
  return msg_types.empty() && accounts.empty() && symbols.empty() && cl_ord_id_prefixes.empty();
}

bool ClientRights::may_see(std::string_view session) const noexcept {
  return has(sessions, session);
}

const ClientRights* owner_of(std::span<const ClientRights> clients, std::string_view session,
                             const OwnerFields& fields) noexcept {
  const auto owns = [&](const ClientRights& one) {
    return !one.is_observer() && one.may_see(session) && one.rule.matches(fields);
  };
  const auto found = std::ranges::find_if(clients, owns);
  return found == clients.end() ? nullptr : &*found;
}

bool is_token(const ClientRights& client, std::string_view token) noexcept {
  unsigned difference = client.token.size() == token.size() ? 0 : 1;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const char expected = client.token.empty() ? '\0' : client.token[i % client.token.size()];
    difference |= static_cast<unsigned char>(expected ^ token[i]);
  }
  return difference == 0 && !client.token.empty();
}

}  // namespace nexusfix::gateway
