#include "peers/scenarios/venue.hpp"

#include <array>
#include <stdexcept>
#include <utility>

namespace nexusfix::scenarios {

Venue::Venue(transport::FakeInternet& internet) : network_{internet, "10.0.0.2"} {
  const auto listener = network_.listen({"", kPort});
  if (!listener) throw std::runtime_error{listener.error().text};
}

bool Venue::poll() {
  const std::size_t before = events.size();
  std::array<transport::Ready, 8> ready;
  const std::size_t count = network_.wait(ready, std::nullopt);
  for (std::size_t i = 0; i < count; ++i) {
    if (ready[i].kind == transport::ReadyKind::Accepted) {
      if (socket_ != 0) throw std::runtime_error{"a second connection while the first is open"};
      socket_ = ready[i].accepted;
      events.push_back({EventKind::Connect, {}});
    } else if (ready[i].socket == socket_) {
      receive();
    }
  }
  return events.size() != before;
}

void Venue::receive() {
  std::array<char, 65'536> buffer;
  while (socket_ != 0) {
    const transport::IoResult result = network_.receive(socket_, buffer);
    if (result.status == transport::IoStatus::WouldBlock) return;
    if (result.status == transport::IoStatus::Ok) {
      received_.append(buffer.data(), result.bytes);
      consume_messages();
      continue;
    }
    if (!received_.empty()) events.push_back({EventKind::Message, std::exchange(received_, {})});
    forget_connection();
    events.push_back({EventKind::Disconnect, {}});
  }
}

// Everything up to a CheckSum field is a message; the engine sends no value that contains one.
void Venue::consume_messages() {
  constexpr std::size_t kTrailerBytes = 8;  // SOH 10=ddd SOH
  while (true) {
    const std::size_t at = received_.find(
        "\x01"
        "10=");
    if (at == std::string::npos || received_.size() < at + kTrailerBytes) return;
    events.push_back({EventKind::Message, received_.substr(0, at + kTrailerBytes)});
    received_.erase(0, at + kTrailerBytes);
  }
}

bool Venue::send(std::string_view bytes) {
  if (socket_ == 0) return false;
  const transport::IoResult result = network_.send(socket_, bytes);
  return result.status == transport::IoStatus::Ok && result.bytes == bytes.size();
}

bool Venue::disconnect() {
  if (socket_ == 0) return false;
  forget_connection();
  return true;
}

void Venue::forget_connection() {
  if (socket_ != 0) network_.close(socket_);
  socket_ = 0;
  received_.clear();
}

}  // namespace nexusfix::scenarios
