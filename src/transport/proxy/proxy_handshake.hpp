// What is said to a proxy so that it connects us to somebody, and what it answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/transport/network.hpp>

#include "transport/tcp/address.hpp"

namespace nexusfix::transport {

// All that a proxy may answer before there is a connection.
inline constexpr std::size_t kProxyAnswerBytesMax = 8'192;

// One connection's handshake: CONNECT of HTTP (RFC 9110, section 9.3.6) with Basic credentials
// (RFC 7617), SOCKS 5 (RFC 1928) with a user and a password (RFC 1929), SOCKS 4 ("SOCKS: A protocol
// for TCP proxy across firewalls") and 4A. No socket, no clock; the answer may come in any pieces.
//
//   while there is something: send unsent(), and say so by sent();
//   while not is_done() and not has_failed(): receive at most wanted() bytes, and take() them.
class ProxyHandshake {
 public:
  // The proxy and the host must be right: what_is_wrong(). address: what SOCKS 4 connects to; of
  // all others the host's own, if it is a literal one.
  ProxyHandshake(const ConnectProxy& proxy, const Endpoint& target,
                 const std::optional<Address>& address);

  [[nodiscard]] std::string_view unsent() const noexcept {
    return std::string_view{output_}.substr(sent_);
  }
  void sent(std::size_t bytes) noexcept { sent_ += bytes; }

  // So many bytes are the proxy's own, whatever they are: who receives no more receives none of
  // what follows its answer. 0: nothing is waited for.
  [[nodiscard]] std::size_t wanted() const noexcept;
  // At most wanted().
  void take(std::string_view bytes);
  // Nothing more comes.
  void end();

  [[nodiscard]] bool is_done() const noexcept { return step_ == Step::Done; }
  [[nodiscard]] bool has_failed() const noexcept { return step_ == Step::Failed; }
  // What the proxy did: "it refuses: 407 Proxy Authentication Required". Never has a password.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 private:
  enum class Step : std::uint8_t {
    StatusLine,  // of HTTP
    InterimFields,
    Fields,
    Method,  // of SOCKS 5
    Password,
    Reply,
    Reply4,  // of SOCKS 4
    Done,
    Failed,
  };

  void say(std::string bytes);
  void fail(std::string why);
  void take_http(char byte);
  void take_status_line();
  void take_binary();
  void take_method();
  void take_reply();
  void take_reply_4();

  Step step_ = Step::StatusLine;
  std::string output_;
  std::size_t sent_ = 0;
  std::string input_;  // HTTP: the line so far; else the answer so far
  std::size_t received_ = 0;
  std::string request_;     // SOCKS 5: behind what comes first
  std::string password_;    // SOCKS 5: the request that has it; empty: none is offered
  std::string secrets_[2];  // that no text of the proxy may have
  std::string failure_;
};

}  // namespace nexusfix::transport
