// An HTTP and SOCKS proxy on a free loopback port, driven by the test's thread. It connects every
// requested host to one port of this machine, so no name is resolved.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/transport/network.hpp>

namespace nexusfix::testing {

class LittleProxy {
 public:
  LittleProxy() {
    auto network = transport::make_epoll_network();
    if (!network) throw std::runtime_error{network.error().text};
    network_ = std::move(*network);
    listener_ = network_->listen({"127.0.0.1", 0}).value();
  }

  [[nodiscard]] std::uint16_t port() const { return network_->local_port(listener_); }
  // The request of each connection in turn, as received.
  std::vector<std::string> requests;
  std::uint16_t target_port = 0;
  bool is_silent = false;
  std::string refused_text{};  // a request with this text gets refusal and is closed
  std::string refusal{};

  void poll() {
    std::array<transport::Ready, 16> ready;
    const std::size_t count = network_->wait(ready, std::chrono::nanoseconds{0});
    for (std::size_t i = 0; i < count; ++i) handle(ready[i]);
    for (auto& [socket, end] : ends_) flush(socket, end);
  }

 private:
  struct End {
    transport::SocketId other = 0;  // 0: not connected yet
    bool is_client = false;
    bool is_open = false;
    int step = 0;
    std::string heard{};
    std::string unsent{};
  };

  void handle(const transport::Ready& ready) {
    using ReadyKind = transport::Ready::Kind;
    if (ready.kind == ReadyKind::Accepted) {
      ends_[ready.accepted] = {.is_client = true, .is_open = true};
      requests.emplace_back();
      return;
    }
    const auto found = ends_.find(ready.socket);
    if (found == ends_.end()) return;
    if (ready.kind == ReadyKind::Connected) found->second.is_open = true;
    if (ready.kind == ReadyKind::Failed) close(ready.socket);
    if (ready.kind == ReadyKind::Readable) receive(ready.socket, found->second);
  }

  void receive(transport::SocketId socket, End& end) {
    std::array<char, 16'384> buffer;
    const transport::IoResult result = network_->receive(socket, buffer);
    if (result.status == transport::IoResult::Status::WouldBlock) return;
    if (result.status != transport::IoResult::Status::Ok) return close(socket);
    const std::string_view bytes{buffer.data(), result.bytes};
    if (!end.is_client || end.other != 0) {
      ends_.at(end.other).unsent += bytes;
      return;
    }
    end.heard += bytes;
    requests.back() += bytes;
    if (!is_silent) answer(socket, end);
  }

  // Empty: there is no answer yet.
  std::string next_answer(End& end, bool& is_last) {
    const std::string& heard = end.heard;
    is_last = true;
    if (heard[0] == 'C') {
      return heard.ends_with("\r\n\r\n") ? "HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n"
                                         : "";
    }
    if (heard[0] == '\x04') {
      const bool has_name = heard.size() > 8 && heard.substr(4, 3) == std::string(3, '\0');
      const std::size_t end_of_user = heard.find('\0', 8);
      const bool is_whole = end_of_user != std::string::npos &&
                            (!has_name || heard.find('\0', end_of_user + 1) != std::string::npos);
      return is_whole ? std::string{"\x00\x5A\x00\x00\x00\x00\x00\x00", 8} : "";
    }
    is_last = end.step == 2;
    if (is_last) return heard.size() < 10 ? "" : std::string{"\x05\x00\x00\x03\x01x\x00\x00", 8};
    const bool has_user = heard[0] == '\x05' && heard.contains('\x02');
    end.step = heard[0] == '\x01' || !has_user ? 2 : 1;
    return heard[0] == '\x01' ? std::string{"\x01\x00", 2}
                              : std::string{"\x05"} + (has_user ? '\x02' : '\x00');
  }

  void answer(transport::SocketId socket, End& end) {
    bool is_last = false;
    const std::string text = next_answer(end, is_last);
    if (text.empty()) return;
    if (is_last && !refusal.empty() && end.heard.contains(refused_text)) {
      static_cast<void>(network_->send(socket, refusal));
      return close(socket);
    }
    end.unsent += text;
    end.heard.clear();
    if (!is_last) return;
    const transport::SocketId other = network_->connect({"127.0.0.1", target_port}).value();
    end.other = other;
    ends_[other] = {.other = socket};
  }

  void flush(transport::SocketId socket, End& end) {
    if (!end.is_open || end.unsent.empty()) return;
    const transport::IoResult sent = network_->send(socket, end.unsent);
    if (sent.status == transport::IoResult::Status::Ok) end.unsent.erase(0, sent.bytes);
  }

  void close(transport::SocketId socket) {
    const auto found = ends_.find(socket);
    if (found == ends_.end()) return;
    const transport::SocketId other = found->second.other;
    ends_.erase(found);
    network_->close(socket);
    if (other != 0) close(other);
  }

  std::unique_ptr<transport::Network> network_;
  transport::SocketId listener_ = 0;
  std::map<transport::SocketId, End> ends_;
};

}  // namespace nexusfix::testing
