// The counterparty of the engine under test: records in order what it receives, and sends what a
// script says.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "support/network/fake_network.hpp"

namespace nexusfix::scenarios {

enum class EventKind : std::uint8_t { Connect, Disconnect, Message };

struct Event {
  EventKind kind = EventKind::Message;
  std::string bytes;  // of a Message
};

class Venue {
 public:
  static constexpr std::uint16_t kPort = 5001;

  // Listens. The internet must outlive it.
  explicit Venue(transport::FakeInternet& internet);

  // Reads what has arrived. False: nothing has.
  [[nodiscard]] bool poll();
  // False: there is no connection, or it did not take everything.
  [[nodiscard]] bool send(std::string_view bytes);
  // False: there is no connection.
  [[nodiscard]] bool disconnect();
  // Also called when the engine has ended: the script need not expect the end of the connection.
  void forget_connection();

  // The events that the script has not expected yet.
  std::deque<Event> events;

 private:
  void receive();
  void consume_messages();

  transport::FakeNetwork network_;
  transport::SocketId socket_ = 0;  // 0: not connected
  std::string received_;
};

}  // namespace nexusfix::scenarios
