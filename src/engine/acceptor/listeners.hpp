// The ports on which the loop listens.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/time.hpp>
#include <nexusfix/transport/address_range.hpp>
#include <nexusfix/transport/network.hpp>

#include "engine/acceptor/pending_logons.hpp"
#include "engine/loop/loop_context.hpp"

namespace nexusfix::engine {

class DynamicSessions;
class SessionRegistry;

struct Listener {
  transport::Endpoint endpoint;
  transport::SocketId socket = 0;            // 0: closed; no session uses it any more
  bool is_elsewhere = false;                 // another loop listens, and migrates connections here
  std::unique_ptr<LoopTask> close_unused{};  // posted to the loop that listens
  bool is_kept = false;                      // for sessions of a reload that is not applied yet
  bool is_leaving = false;                   // no session uses it after the pending reload
  bool is_displaced = false;                 // closed before that, for another address of its port
  std::uint16_t port = 0;
  std::chrono::seconds logon_timeout{0};   // the longest of its sessions
  transport::AllowList allowed{};          // of all its sessions
  PendingLogons::Limits pending_limits{};  // the largest of its sessions
  std::uint32_t logon_bytes_max = 0;       // likewise
  PendingLogons pending{};
};

class Listeners {
 public:
  Listeners(LoopContext& loop, DynamicSessions& dynamic, SessionRegistry& registry) noexcept
      : loop_{loop}, dynamic_{dynamic}, registry_{registry} {}

  [[nodiscard]] std::expected<std::size_t, EngineError> listen_for(const SessionSettings& settings,
                                                                   const std::string& file);
  [[nodiscard]] std::uint16_t accept_port() const noexcept;
  void append_accept_endpoints(std::vector<transport::Endpoint>& endpoints) const;
  // Checks before anything is created whether the process can listen on the ports.
  [[nodiscard]] std::expected<void, EngineError> could_listen(const Settings& settings) const;
  void open_displaced() noexcept;
  void close_unused_listeners();
  [[nodiscard]] bool is_address_allowed(const Listener& listener, std::string_view peer_name);

  [[nodiscard]] std::vector<Listener>& all() noexcept { return listeners_; }
  [[nodiscard]] const std::vector<Listener>& all() const noexcept { return listeners_; }
  // Null: no listener has this host and port.
  [[nodiscard]] Listener* find(const transport::Endpoint& endpoint) noexcept;
  void close_all() noexcept;
  // While it lives, listen_for() does not compare TLS and proxies with those in use: in a reload,
  // one file sets them for all sessions of a port.
  class ByFile {
   public:
    explicit ByFile(Listeners& listeners) noexcept : flag_{listeners.listens_by_file_} {
      flag_ = true;
    }
    ByFile(const ByFile&) = delete;
    ByFile& operator=(const ByFile&) = delete;
    ~ByFile() { flag_ = false; }

   private:
    bool& flag_;
  };

 private:
  [[nodiscard]] std::expected<void, transport::NetworkError> open_listener(
      Listener& listener, const transport::Endpoint& wanted);
  void close_listener(Listener& listener);
  [[nodiscard]] std::string_view difference_from(const transport::Endpoint& used,
                                                 const transport::Endpoint& wanted) const;
  [[nodiscard]] bool displace_for(const transport::Endpoint& wanted) noexcept;
  [[nodiscard]] bool is_used(std::size_t listener) const;

  LoopContext& loop_;
  DynamicSessions& dynamic_;
  SessionRegistry& registry_;

  std::vector<Listener> listeners_;
  bool listens_by_file_ = false;  // in a reload: see ByFile
};

}  // namespace nexusfix::engine
