// Accepts inbound connections, and limits how many of them wait for their Logon.
#pragma once

#include <cstdint>
#include <string>

#include <nexusfix/base/time.hpp>
#include <nexusfix/transport/network.hpp>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

class Connections;
struct Listener;
class Listeners;

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
