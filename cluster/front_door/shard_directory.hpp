// Which engines may own a session: the shards of a cluster, each with its sessions and addresses.
#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <map>
#include <string>
#include <vector>

#include <nexusfix/session/identity.hpp>

#include "config/api/settings.hpp"

namespace nexusfix::front_door {

// Where sessions can be served, one for all of a port. At most one of the addresses has the port
// open: the owner's.
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
  // template. Null: no shard has it. Valid as long as this object.
  [[nodiscard]] const Place* find(const session::SessionId& id) const;
  // The largest MaxLogonSize.
  [[nodiscard]] std::size_t logon_bytes_max() const noexcept { return logon_bytes_max_; }
  [[nodiscard]] std::size_t session_count() const noexcept { return sessions_.size(); }
  [[nodiscard]] std::size_t template_count() const noexcept { return templates_.size(); }

 private:
  struct Template {
    session::SessionId id;
    const Place* place;
  };
  const Place& add_place(Place place);

  std::deque<Place> places_;                                   // each once
  std::map<std::string, const Place*, std::less<>> sessions_;  // by name
  std::deque<Template> templates_;
  std::size_t logon_bytes_max_ = 0;
};

}  // namespace nexusfix::front_door
