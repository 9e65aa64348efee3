// The ports on which the loop listens.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/transport/network.hpp>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

class Connections;

enum class ListenerState : std::uint8_t {
  Closed,     // no session uses it
  Listening,  // it has a socket
  Elsewhere,  // another loop listens, and migrates connections here
  Displaced,  // closed before a reload is applied, for another address of its port
};

// What a reload that is not applied yet does to a listener.
enum class ListenerInReload : std::uint8_t {
  Unchanged,
  Leaving,  // no session uses it afterwards
  Kept,     // for sessions of the reload
};

// What holds for a connection whose session is not known yet: the widest rules of all sessions and
// templates of its port.
struct PortRules {
  std::chrono::seconds logon_timeout{0};
  transport::AllowList allowed{};
  PendingLogons::Limits pending_limits{};
  std::uint32_t logon_bytes_max = 0;

  void widen(const SessionSettings& by);
};

struct Listener {
  transport::Endpoint endpoint;
  ListenerState state = ListenerState::Closed;
  ListenerInReload in_reload = ListenerInReload::Unchanged;
  transport::SocketId socket = 0;  // 0: it does not listen
  std::uint16_t port = 0;
  PortRules rules{};
  // Its connections point to it.
  std::unique_ptr<PendingLogons> pending = std::make_unique<PendingLogons>();

  [[nodiscard]] bool is_listening() const noexcept { return state == ListenerState::Listening; }
  // Connections arrive, here or by another loop.
  [[nodiscard]] bool is_open() const noexcept {
    return is_listening() || state == ListenerState::Elsewhere;
  }
  void listen_with(transport::SocketId opened) noexcept {
    socket = opened;
    state = ListenerState::Listening;
  }
  void listen_elsewhere() noexcept { state = ListenerState::Elsewhere; }
  void leave_elsewhere() noexcept {
    if (state == ListenerState::Elsewhere) state = ListenerState::Closed;
  }
  // The socket is to be closed.
  [[nodiscard]] transport::SocketId stop_listening(ListenerState next) noexcept {
    state = next;
    return std::exchange(socket, 0);
  }
  void keep() noexcept { in_reload = ListenerInReload::Kept; }
  // The sessions that it was kept for use it, or do not come.
  void release() noexcept {
    if (in_reload == ListenerInReload::Kept) in_reload = ListenerInReload::Unchanged;
  }
  // The reload is applied.
  void end_reload() noexcept {
    in_reload = ListenerInReload::Unchanged;
    if (state == ListenerState::Displaced) state = ListenerState::Closed;
  }
  // A listener that sessions of the reload need is kept.
  void set_leaving(bool leaves) noexcept {
    if (in_reload == ListenerInReload::Kept) return;
    in_reload = leaves ? ListenerInReload::Leaving : ListenerInReload::Unchanged;
  }
};

class Listeners {
 public:
  explicit Listeners(LoopContext& loop) noexcept : loop_{loop} {}

  [[nodiscard]] std::expected<std::size_t, EngineError> listen_for(const SessionSettings& settings,
                                                                   const std::string& file);
  [[nodiscard]] std::uint16_t accept_port() const noexcept;
  void append_accept_endpoints(std::vector<transport::Endpoint>& endpoints) const;
  // Checks before anything is created whether the process can listen on the ports.
  [[nodiscard]] std::expected<void, EngineError> could_listen(const Settings& settings) const;
  void open_displaced() noexcept;
  // is_used: whether a session accepts connections at the listener of this index, or a template may
  // create one that does.
  void close_unused(FunctionRef<bool(std::size_t)> is_used);
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

  LoopContext& loop_;

  std::vector<Listener> listeners_;
  bool listens_by_file_ = false;  // in a reload: see ByFile
};

// Accepts inbound connections, and limits how many of them wait for their Logon.
class Acceptor {
 public:
  Acceptor(LoopContext& loop, Connections& connections, Listeners& listeners) noexcept
      : loop_{loop}, connections_{connections}, listeners_{listeners} {}

  void on_accepted(const transport::Ready& ready);
  void on_announced(Connection& connection);
  [[nodiscard]] Connection* await_logon(Listener& listener, transport::SocketId socket,
                                        const std::string& peer);
  void check_refused();

 private:
  [[nodiscard]] bool find_place(Listener& listener, transport::Source source,
                                const std::string& peer);
  void await_among(Listener& listener, transport::Source source, Connection& connection);
  void displace(transport::SocketId oldest);
  void make_room();

  LoopContext& loop_;
  Connections& connections_;
  Listeners& listeners_;

  std::uint64_t refused_counted_ = 0;       // of the connections that the network has closed
  MonoTime short_until_ = MonoTime::min();  // until then, the number of pending ones does not grow
};

}  // namespace nexusfix::engine
