// The gateway's side of one WebSocket (RFC 6455): bytes in, bytes out. It knows no network and no
// frame of the gateway. Boost.Beast speaks the protocol; its headers are only in the source file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nexusfix::gateway {

// What the WebSockets of a door share. One thread.
class WebSocketLoop {
 public:
  WebSocketLoop();
  WebSocketLoop(const WebSocketLoop&) = delete;
  WebSocketLoop& operator=(const WebSocketLoop&) = delete;
  ~WebSocketLoop();

  // Goes on with what was received, and with pings whose time has come. It does not block.
  void poll();

 private:
  friend class WebSocket;
  struct Work;
  std::unique_ptr<Work> work_;
};

// A message of the client. Valid until the next read().
struct WebMessage {
  bool is_text = false;
  std::string_view bytes;
};

struct WebSocketLimits {
  std::size_t text_bytes_max = 0;    // of a text message
  std::size_t binary_bytes_max = 0;  // of a binary message
};

// One thread: that of the loop, which must outlive it.
class WebSocket {
 public:
  // A client that says nothing for half of this time gets a ping, and is cut at its end.
  static constexpr unsigned kIdleSeconds = 30;
  static constexpr std::size_t kRequestBytesMax = 8U << 10U;

  // origins: the values of Origin that are accepted, in lower case; must outlive this object. A
  // client without Origin is no browser, and is accepted.
  WebSocket(WebSocketLoop& loop, const std::vector<std::string>& origins, WebSocketLimits limits);
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;
  ~WebSocket();

  // Messages that have begun keep the earlier limits.
  void set_limits(WebSocketLimits limits) noexcept;
  // Adds bytes of the client. Call WebSocketLoop::poll() afterwards.
  void receive(std::span<const char> bytes);
  // More should not be received now: what has arrived waits for read(), or for the client, which
  // does not read.
  [[nodiscard]] bool is_full() const noexcept;
  // The next whole message; nothing: none has arrived.
  [[nodiscard]] std::optional<WebMessage> read();
  // Adds a message for the client. Nothing is sent before the handshake, and after close().
  void write(bool is_text, std::string bytes);
  // Says that the connection ends; the client answers. A reason above 123 bytes is cut.
  void close(std::uint16_t code, std::string_view reason);

  // The bytes for the client.
  [[nodiscard]] std::string_view output() const noexcept;
  void consume(std::size_t bytes);
  // Those of messages that are not in output() yet.
  [[nodiscard]] std::size_t queued_bytes() const noexcept;
  // The handshake is done.
  [[nodiscard]] bool is_open() const noexcept;
  // After output() the connection can be closed: both sides have said so, or it cannot go on.
  [[nodiscard]] bool is_finished() const noexcept;
  // Why nothing more can be read; empty: no fault. Without a byte of the request's target, which
  // may have a token.
  [[nodiscard]] const std::string& fault() const noexcept;
  // Whether the fault is that of the client's bytes.
  [[nodiscard]] bool is_protocol_fault() const noexcept;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace nexusfix::gateway
