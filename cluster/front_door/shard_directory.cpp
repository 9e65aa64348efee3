#include "cluster/front_door/shard_directory.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "session/api/logon_identity.hpp"

namespace nexusfix::front_door {
namespace {

Place place_of(const config::SessionSettings& settings, const std::vector<std::string>& hosts) {
  Place place{.addresses = {}, .wants_header = settings.accept->trusted_proxies.has_value()};
  for (const std::string& host : hosts) {
    place.addresses.push_back({.host = host, .port = settings.accept->port});
  }
  return place;
}

bool is_same(const Place& one, const Place& other) {
  const auto is_same_address = [](const transport::Endpoint& a, const transport::Endpoint& b) {
    return a.host == b.host && a.port == b.port;
  };
  return one.wants_header == other.wants_header &&
         std::ranges::equal(one.addresses, other.addresses, is_same_address);
}

std::string fault_of(const config::SessionSettings& settings) {
  if (settings.tls) {
    return "its connections use TLS, and the front door cannot read who logs on";
  }
  if (settings.accept->port == 0) return "its SocketAcceptPort is 0";
  return {};
}

}  // namespace

std::expected<void, std::string> ShardDirectory::add(const config::Settings& settings,
                                                     const std::vector<std::string>& hosts) {
  const std::size_t before = sessions_.size() + templates_.size();
  for (const config::SessionSettings& one : settings.sessions) {
    if (!one.accept) continue;
    const session::SessionId& id = one.session.id;
    const std::string name = id.to_string();
    if (const std::string fault = fault_of(one); !fault.empty()) {
      return std::unexpected{fmt::format("{}:{}: {}: {}", settings.file, one.line, name, fault)};
    }
    logon_bytes_max_ = std::max<std::size_t>(logon_bytes_max_, one.limits.logon_bytes_max);
    const Place& place = add_place(place_of(one, hosts));
    if (one.is_template) {
      templates_.push_back({.id = id, .place = &place});
    } else if (!sessions_.emplace(name, &place).second) {
      return std::unexpected{
          fmt::format("{}:{}: {}: another shard has this session", settings.file, one.line, name)};
    }
  }
  if (sessions_.size() + templates_.size() == before) {
    return std::unexpected{settings.file + ": it has no acceptor"};
  }
  return {};
}

const Place& ShardDirectory::add_place(Place place) {
  const auto found =
      std::ranges::find_if(places_, [&](const Place& one) { return is_same(one, place); });
  return found != places_.end() ? *found : places_.emplace_back(std::move(place));
}

const Place* ShardDirectory::find(const session::SessionId& id) const {
  if (const auto found = sessions_.find(id.to_string()); found != sessions_.end()) {
    return found->second;
  }
  const session::SessionId plain = session::without_sub_ids(id);
  if (const auto found = sessions_.find(plain.to_string()); found != sessions_.end()) {
    return found->second;
  }
  const auto fits = [&](const Template& one) { return session::stands_for(one.id, plain); };
  const auto found = std::ranges::find_if(templates_, fits);
  return found == templates_.end() ? nullptr : found->place;
}

}  // namespace nexusfix::front_door
