#include "nexusfix/front_door/shard_directory.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include <nexusfix/wire/session_tags.hpp>

namespace nexusfix::front_door {
namespace {

Place place_of(const config::SessionSettings& settings, const std::vector<std::string>& hosts) {
  Place place{.addresses = {}, .wants_header = settings.accept->trusted_proxies.has_value()};
  for (const std::string& host : hosts) {
    place.addresses.push_back({.host = host, .port = settings.accept->port});
  }
  return place;
}

// Whether a template is for this session. A CompID of * is any.
bool stands_for(const session::SessionId& made_of, const session::SessionId& id) {
  const auto fits = [](std::string_view wanted, std::string_view given) {
    return wanted == "*" || wanted == given;
  };
  return made_of.begin_string == id.begin_string &&
         fits(made_of.sender_comp_id, id.sender_comp_id) &&
         fits(made_of.target_comp_id, id.target_comp_id);
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
  const std::size_t before = places_.size() + templates_.size();
  for (const config::SessionSettings& one : settings.sessions) {
    if (!one.accept) continue;
    const session::SessionId& id = one.session.id;
    const std::string name = id.to_string();
    if (const std::string fault = fault_of(one); !fault.empty()) {
      return std::unexpected{fmt::format("{}:{}: {}: {}", settings.file, one.line, name, fault)};
    }
    logon_bytes_max_ = std::max<std::size_t>(logon_bytes_max_, one.limits.logon_bytes_max);
    if (one.is_template) {
      templates_.push_back({.id = id, .place = place_of(one, hosts)});
    } else if (!places_.emplace(name, place_of(one, hosts)).second) {
      return std::unexpected{
          fmt::format("{}:{}: {}: another shard has this session", settings.file, one.line, name)};
    }
  }
  if (places_.size() + templates_.size() == before) {
    return std::unexpected{settings.file + ": it has no acceptor"};
  }
  return {};
}

const Place* ShardDirectory::find(const session::SessionId& id) const {
  if (const auto found = places_.find(id.to_string()); found != places_.end()) {
    return &found->second;
  }
  const session::SessionId plain{.begin_string = id.begin_string,
                                 .sender_comp_id = id.sender_comp_id,
                                 .target_comp_id = id.target_comp_id};
  if (const auto found = places_.find(plain.to_string()); found != places_.end()) {
    return &found->second;
  }
  const auto fits = [&](const Template& one) { return stands_for(one.id, plain); };
  const auto found = std::ranges::find_if(templates_, fits);
  return found == templates_.end() ? nullptr : &found->place;
}

std::optional<session::SessionId> session_of(const wire::MessageView& logon) {
  const auto sender = logon[tag::SenderCompID];
  const auto target = logon[tag::TargetCompID];
  if (!sender || !target) return std::nullopt;
  const auto part = [&](wire::Tag tag) { return std::string{logon[tag].value_or("")}; };
  return session::SessionId{.begin_string = std::string{logon.begin_string()},
                            .sender_comp_id = std::string{*target},
                            .target_comp_id = std::string{*sender},
                            .sender_sub_id = part(tag::TargetSubID),
                            .sender_location_id = part(tag::TargetLocationID),
                            .target_sub_id = part(tag::SenderSubID),
                            .target_location_id = part(tag::SenderLocationID)};
}

}  // namespace nexusfix::front_door
