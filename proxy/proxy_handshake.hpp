// The requests that make a proxy connect, and the proxy's answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "transport/api/address.hpp"
#include "transport/api/proxy.hpp"

namespace nexusfix::transport {

// The maximum of an answer before the connection is made.
inline constexpr std::size_t kProxyAnswerBytesMax = 8'192;

// The handshake of one connection: HTTP CONNECT (RFC 9110, section 9.3.6) with Basic credentials
// (RFC 7617), SOCKS 5 (RFC 1928) with a user and a password (RFC 1929), SOCKS 4 ("SOCKS: A protocol
// for TCP proxy across firewalls") and 4A. It uses no socket and no clock; the answer may come in
// any pieces.
//
// While unsent() is not empty: send it, and report the size by sent(). While neither is_done() nor
// has_failed(): receive at most wanted() bytes, and pass them to take().
class ProxyHandshake {
 public:
  // validate() must have accepted the proxy and the host. address: where SOCKS 4 connects;
  // otherwise the host's own address, if it is a literal one.
  ProxyHandshake(const ConnectProxy& proxy, const Endpoint& target,
                 const std::optional<Address>& address);

  [[nodiscard]] std::string_view unsent() const noexcept {
    return std::string_view{output_}.substr(sent_);
  }
  void sent(std::size_t bytes) noexcept { sent_ += bytes; }

  // At least this number of bytes belongs to the proxy's answer: a caller that receives no more
  // never receives a byte after the answer. 0: no answer is expected now.
  [[nodiscard]] std::size_t wanted() const noexcept;
  // At most wanted().
  void take(std::string_view bytes);
  // The proxy has closed the connection.
  void end();

  [[nodiscard]] bool is_done() const noexcept { return step_ == Step::Done; }
  [[nodiscard]] bool has_failed() const noexcept { return step_ == Step::Failed; }
  // The error: "it refuses: 407 Proxy Authentication Required". Never contains a password.
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
  void read_http(char byte);
  void read_status_line();
  void read_binary();
  void read_method();
  void read_reply();
  void read_reply_4();

  Step step_ = Step::StatusLine;
  std::string output_;
  std::size_t sent_ = 0;
  std::string input_;  // HTTP: the line so far; else the answer so far
  std::size_t received_ = 0;
  std::string request_;     // SOCKS 5: the request that follows the method
  std::string password_;    // SOCKS 5: the request with the password; empty: none is offered
  std::string secrets_[2];  // removed from every text of the proxy
  std::string failure_;
};

}  // namespace nexusfix::transport
