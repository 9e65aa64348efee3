// An acceptor whose configuration file changes while it runs.
#pragma once

#include <algorithm>
#include <fstream>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {

class ReloadTest : public AcceptorTest {
 protected:
  using Names = std::vector<std::string>;
  static constexpr const char* kNewcomer =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=NEWCOMER\n";

  void open_file() {
    write();
    under_test_of_file(path()).open(acceptor, venue);
  }
  engine::Reloaded reload() {
    write();
    const auto done = acceptor->reload();
    EXPECT_TRUE(done.has_value()) << done.error().what();
    return done.value_or(engine::Reloaded{});
  }
  std::string reload_error() {
    const auto done = acceptor->reload();
    return done ? std::string{} : done.error().what();
  }
  void remove_trader() { sessions.erase(0, sessions.find("[SESSION]", 1)); }
  void refuse(std::string_view who, std::uint64_t number) {
    RawPeer& peer = connect();
    peer.send(logon(who, number));
    EXPECT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
    for (const std::string& message : peer.messages()) {
      EXPECT_FALSE(contains(message, "|35=A|")) << message;
    }
  }

  // The listening port at this address, from the event log; 0 if there is none.
  std::uint16_t port_at(const std::string& address) {
    const std::string said = "listening on " + address + " port ";
    std::uint16_t port = 0;
    for (const std::string& line : log.lines) {
      const auto at = line.find(said);
      if (at == std::string::npos) continue;
      port = static_cast<std::uint16_t>(std::stoul(line.substr(at + said.size())));
    }
    return port;
  }
  bool is_taken_at(std::uint16_t port) {
    RawPeer& peer = *peers.emplace_back(std::make_unique<RawPeer>(port));
    peer.send(logon("NEWCOMER", 1));
    EXPECT_TRUE(run_until([&] { return peer.closed() || !peer.messages().empty(); })) << log.all();
    return !peer.closed() && contains(peer.messages().front(), "|35=A|");
  }
};

}  // namespace nexusfix::testing
