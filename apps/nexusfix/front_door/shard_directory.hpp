// Which engines may own a session: the shards of a cluster, each with its sessions and addresses.
#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/config/settings.hpp>
#include <nexusfix/session/session_id.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::front_door {

// Where a session can be served. At most one of the addresses has the port open: the owner's.
struct Place {
  std::vector<transport::Endpoint> addresses{};  // in the order of the nodes, at least one
  bool wants_header = false;                     // UseTCPProxy: its listener expects a PROXY header
};

// The acceptor sessions of the engines' own configuration files.
class ShardDirectory {
 public:
  // Adds the acceptors of a shard, which can be on each of these hosts. The error is one line: the
  // file has no acceptor, a session that another shard has, or a port with TLS.
  [[nodiscard]] std::expected<void, std::string> add(const config::Settings& settings,
                                                     const std::vector<std::string>& hosts);
  // Where the session of a Logon can be served, as an engine would find it: by its IDs, or by a
  // template. Null: no shard has it. Valid until the next add().
  [[nodiscard]] const Place* find(const session::SessionId& id) const;
  // The largest MaxLogonSize.
  [[nodiscard]] std::size_t logon_bytes_max() const noexcept { return logon_bytes_max_; }
  [[nodiscard]] std::size_t session_count() const noexcept { return places_.size(); }
  [[nodiscard]] std::size_t template_count() const noexcept { return templates_.size(); }

 private:
  struct Template {
    session::SessionId id;
    Place place;
  };
  std::map<std::string, Place, std::less<>> places_;  // by the name of the session
  std::deque<Template> templates_;
  std::size_t logon_bytes_max_ = 0;
};

// The session that a Logon names, as its acceptor calls it. Nothing: a CompID is missing.
[[nodiscard]] std::optional<session::SessionId> session_of(const wire::MessageView& logon);

}  // namespace nexusfix::front_door
