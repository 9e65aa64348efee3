// What several event loops of one engine know of each other: which of them a counterparty belongs
// to.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/session/session_id.hpp>
#include <nexusfix/transport/address_range.hpp>
#include <nexusfix/transport/network.hpp>

namespace nexusfix::engine {

// Acceptors' endpoints are one loop's to listen on, whoever's session a Logon then names: that
// connection is handed over, with its TLS and bytes. All functions: any thread. Only Logons that
// the listening loop does not know come here.
class LoopDirectory {
 public:
  // A connection on its way to another loop.
  struct HandedOver {
    transport::Detached connection{};
    transport::Endpoint endpoint;  // where it was accepted
    std::string bytes;             // received so far: the Logon, and what followed it
  };

  LoopDirectory() = default;
  LoopDirectory(const LoopDirectory&) = delete;
  LoopDirectory& operator=(const LoopDirectory&) = delete;
  ~LoopDirectory();

  void add_loop(std::uint32_t loop, transport::Network& network);
  // The loop takes nothing any more; what was on its way to it is closed.
  void remove_loop(std::uint32_t loop);

  // Whether this loop is the one to listen there: the first that asks is.
  [[nodiscard]] bool claim(const transport::Endpoint& endpoint, std::uint32_t loop);
  // Whom a session of that endpoint lets in, beside those that others do, with a Logon of how many
  // bytes; and whether any does, and the most that one takes.
  void allow(const transport::Endpoint& endpoint, const transport::AllowList& allowed,
             std::uint32_t logon_bytes_max);
  [[nodiscard]] bool allows(const transport::Endpoint& endpoint, std::string_view address);
  [[nodiscard]] std::uint32_t logon_bytes_max(const transport::Endpoint& endpoint);
  void add_acceptor(const std::string& name, std::uint32_t loop);
  void remove_acceptor(const std::string& name);
  void add_template(const session::SessionId& pattern, std::uint32_t loop);

  // The loop of a session of that identity. Nothing: there is none.
  [[nodiscard]] std::optional<std::uint32_t> find(const session::SessionId& id);
  // False: that loop has ended, and the connection is closed.
  bool hand_over(std::uint32_t loop, HandedOver handed);
  // What has come for a loop. One atomic load if there is nothing.
  [[nodiscard]] std::vector<HandedOver> take(std::uint32_t loop);

 private:
  struct Loop {
    transport::Network* network = nullptr;
    std::vector<HandedOver> inbox;
    std::atomic<bool> has_mail{false};
  };
  struct Template {
    session::SessionId pattern;
    std::uint32_t loop = 0;
  };
  struct Claim {
    std::string host;
    std::uint16_t port = 0;
    std::uint32_t loop = 0;
    transport::AllowList allowed{};
    std::uint32_t logon_bytes_max = 0;
  };
  [[nodiscard]] Claim* find_claim(const transport::Endpoint& endpoint);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Loop>> loops_;  // grows before any loop runs
  std::map<std::string, std::uint32_t, std::less<>> acceptors_;
  std::vector<Template> templates_;
  std::vector<Claim> claims_;
};

// Whether a template's CompID stands for this one.
[[nodiscard]] bool stands_for(std::string_view pattern, std::string_view comp_id) noexcept;
[[nodiscard]] bool stands_for(const session::SessionId& pattern, const session::SessionId& id);

}  // namespace nexusfix::engine
