// The application of an engine whose program is in Python: it passes events on, and waits for none.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/engine.hpp>
#include <nexusfix/observe/logs.hpp>

#include "python/src/sessions/event_channel.hpp"
#include "python/src/sessions/gated_network.hpp"
#include "python/src/sessions/session_port.hpp"

namespace nexusfix::python {

// Threads: that of the engine, or before it runs.
class Relay final : public observe::EventLog {
 public:
  // asks_logons: Python answers the Logons of counterparties. All must outlive it.
  Relay(EventChannel& channel, SessionPorts& ports, GatedNetwork& network, bool asks_logons)
      : channel_{channel}, ports_{ports}, network_{network}, asks_logons_{asks_logons} {}

  void on_logon(engine::Session& session);
  void on_logout(engine::Session& session);
  void on_disconnect(engine::Session& session, const engine::Disconnection& gone);
  engine::MessageReply on_message(engine::Session& session, const wire::MessageView& message);
  void on_admin(engine::Session& session, const wire::MessageView& message);
  std::optional<engine::LogonAnswer> on_logon_request(engine::Session& session,
                                                      const engine::LogonRequest& request);
  void write_logon(engine::Session& session, wire::Encoder& encoder, const wire::MessageHeader&);
  void write(const observe::Event& event) override;

  SessionPort& port_of(engine::Session& session);
  // The end of a send(). A message is reported when it survives the end of the process.
  void report(std::uint64_t token, const engine::PostResult& result);
  void set_store(const store::Store& store) noexcept { store_ = &store; }
  // What is durable now is reported, and what waits for room in the ring.
  void on_turn();
  // The engine has ended: what was not durable before will not be.
  void end(int result);

 private:
  struct Report {
    std::uint64_t position = 0;  // in the store
    EventHeader header;
    std::string text;
  };
  void push(EventKind kind, engine::Session& session, std::string_view text = {});

  EventChannel& channel_;
  SessionPorts& ports_;
  GatedNetwork& network_;
  bool asks_logons_;
  const store::Store* store_ = nullptr;
  std::deque<Report> reports_;  // in the order of their positions
};

// Encodes a message of Python and sends it.
[[nodiscard]] engine::SendResult send_fields(engine::Session& session,
                                             const wire::MessageView& message);

}  // namespace nexusfix::python
