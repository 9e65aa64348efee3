// A client at the WebSocket.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nexusfix/transport/network.hpp>

#include "gateway/door/client_link.hpp"
#include "gateway/door/web_socket.hpp"
#include "gateway/json/field_names.hpp"

namespace nexusfix::gateway {

class WebSocketLink;

// What the links of a door share. It must outlive them.
struct WebSocketShared {
  transport::Network* network = nullptr;
  WebSocketLoop loop{};
  std::vector<std::string> origins{};  // in lower case
  FieldNames names{};
  std::unordered_map<transport::SocketId, WebSocketLink*> links{};
};

// A message is a frame: binary, or JSON as text. The first message of the client says which, for
// both directions.
class WebSocketLink final : public ClientLink {
 public:
  // Owns the connection.
  WebSocketLink(WebSocketShared& shared, transport::SocketId socket);
  WebSocketLink(const WebSocketLink&) = delete;
  WebSocketLink& operator=(const WebSocketLink&) = delete;
  ~WebSocketLink() override;

  std::span<const char> read() override;
  bool write(std::span<const char> frame) override;
  void flush() override;
  // Also until the client has answered the end of the WebSocket.
  bool has_unsent() const noexcept override;
  std::string_view message_fault() const noexcept override { return message_fault_; }
  std::string_view fault() const noexcept override;
  bool is_protocol_fault() const noexcept override;
  // The door has it.
  int descriptor() const noexcept override { return -1; }
  bool begin_sleep() noexcept override;
  bool has_ended() override {
    is_readable_ = true;
    return true;
  }
  bool is_of_this_machine() const noexcept override { return false; }

  // The network has bytes, or the end, to receive.
  void set_readable() noexcept { is_readable_ = true; }

 private:
  enum class Form : std::uint8_t { Unknown, Binary, Json };

  // Receives what has arrived.
  void receive();
  // The frame of a message; empty: it has a fault.
  [[nodiscard]] std::span<const char> frame_of(const WebMessage& message);
  [[nodiscard]] std::span<const char> frame_of_json(std::string_view json);
  void lose(std::string fault);
  void fail(std::string fault);

  WebSocketShared& shared_;
  transport::SocketId socket_;
  WebSocket web_;
  Form form_ = Form::Unknown;
  std::vector<char> frame_;  // of the JSON that was read last
  std::string message_fault_;
  std::string fault_;  // of this link
  bool is_protocol_fault_ = false;
  bool is_readable_ = true;
  bool has_work_ = false;  // of the loop: what has arrived is not parsed
  bool is_paused_ = false;
  bool is_closed_ = false;  // it has its Closed
  bool has_gone_ = false;   // the connection has ended
};

}  // namespace nexusfix::gateway
