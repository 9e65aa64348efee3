// The connections of a script, over any network: real, or of a test in memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/transport/network.hpp>

namespace nexusfix::tester {

enum class EventKind : std::uint8_t { Connect, Message, Disconnect };

struct Event {
  EventKind kind = EventKind::Message;
  std::string bytes;  // Message: up to its CheckSum, or what came before the end of a connection
  MonoTime at{};      // when it was received
};

// How bytes are sent: this number at a time, with a pause after each piece. 0: all at once.
struct Pieces {
  std::size_t bytes = 0;
  std::chrono::milliseconds pause{};
};

// When a send ends that is not done.
struct Until {
  MonoTime deadline{};
  const std::function<bool()>& is_interrupted;
};

// One connection at a time, and what came by it and is not expected yet.
struct Channel {
  transport::SocketId socket = 0;  // 0: not connected
  bool is_open = false;            // the connection is established
  bool is_reading = true;
  bool has_more = false;          // there may be more to read than was read at a time
  bool is_full = false;           // paused until the events are judged
  std::size_t waiting_bytes = 0;  // received since there was no event to judge
  std::string received;           // no whole message yet
  std::string error;              // why a connection failed
  std::deque<Event> events;
};

// One thread. Channels that are connected must outlive the Wire, or be closed before.
class Wire {
 public:
  // Both must outlive it.
  Wire(transport::Network& network, Clock& clock) : network_{network}, clock_{clock} {}
  ~Wire() { close_all(); }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  // Listens. Returns the port in use.
  [[nodiscard]] std::expected<std::uint16_t, std::string> listen(
      const transport::Endpoint& endpoint);
  // Starts to connect: a Connect event, or Channel::error.
  [[nodiscard]] std::expected<void, std::string> connect(Channel& channel,
                                                         const transport::Endpoint& endpoint);
  // Gives the channel the oldest accepted connection. False: there is none.
  [[nodiscard]] bool accept(Channel& channel);
  // Sends all bytes, and reads meanwhile. False: it was not done before the deadline or the
  // interrupt, or the connection ended; then the channel has the event.
  [[nodiscard]] bool send(Channel& channel, std::string_view bytes, Pieces pieces, Until until);
  void set_reading(Channel& channel, bool is_reading);
  // Closes the connection of a channel, and forgets what was received.
  void close(Channel& channel);
  // Closes all connections; the port stays open.
  void close_all();

  // Waits for at most this time, and moves what came to the channels: of each connection at most
  // 256 KiB, so that the caller also goes on while an engine sends without end. It does not read a
  // connection while 64 MiB of it are not judged. False: nothing came.
  bool poll(std::chrono::nanoseconds timeout);
  // Polls without waiting until nothing is there, but not without end.
  void poll_all();

  // When this side closed a connection last; the zero time: never.
  [[nodiscard]] MonoTime closed_at() const noexcept { return closed_at_; }
  // All bytes that came since the begin.
  [[nodiscard]] std::uint64_t bytes_received() const noexcept { return bytes_received_; }

 private:
  void handle(const transport::Ready& ready);
  void receive(Channel& channel);
  void receive_all(Channel& channel);
  bool read_on();
  void end(Channel& channel);
  void extract_messages(Channel& channel);
  bool pause(std::chrono::milliseconds time, const Until& until);

  transport::Network& network_;
  Clock& clock_;
  std::map<transport::SocketId, Channel*> channels_;
  std::deque<transport::SocketId> accepted_;  // no channel has them yet
  std::uint64_t bytes_received_ = 0;
  MonoTime closed_at_{};
};

}  // namespace nexusfix::tester
