// TLS of one connection: plain bytes on this side, a connection of another network on the other
// side.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "transport/api/tls.hpp"
#include "transport/tls/tls_openssl.hpp"

namespace nexusfix::transport {

class TlsStream final : public Detached::Layer {
 public:
  enum class Progress : std::uint8_t { Waiting, Done, Failed };

  // Null: no memory. host: what an initiator connects to; empty for acceptors.
  [[nodiscard]] static std::unique_ptr<TlsStream> make(const TlsContext& context,
                                                       const std::string& host);
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // The connection continues over this network and socket.
  void move_to(Network& network, SocketId socket) noexcept;
  [[nodiscard]] bool is_initiator() const noexcept { return is_initiator_; }
  [[nodiscard]] bool is_established() const noexcept { return is_established_; }
  [[nodiscard]] bool has_failed() const noexcept { return !failure_.empty(); }
  // Whether receive() would return something that the network below does not know of.
  [[nodiscard]] bool has_more() const noexcept { return has_more_; }
  // Whether send() would take bytes again after it refused some.
  [[nodiscard]] bool has_room() const noexcept { return wants_room_ && unsent_.empty(); }
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  // Whether it failed for lack of memory, which the network below does not know of.
  [[nodiscard]] bool is_out_of_memory() const noexcept;
  [[nodiscard]] std::string no_memory_text() const;
  [[nodiscard]] std::string description() const;
  [[nodiscard]] std::vector<std::string> peer_identities() const;

  // Continues the handshake as far as the bytes that have arrived allow.
  [[nodiscard]] Progress advance_handshake() noexcept;
  [[nodiscard]] IoResult receive(std::span<char> buffer) noexcept;
  [[nodiscard]] IoResult send(std::span<const char> bytes) noexcept;
  // True: all bytes are sent.
  [[nodiscard]] bool flush() noexcept;
  // Sends close_notify, if the handshake has finished.
  void end() noexcept;

  // Called by OpenSSL.
  [[nodiscard]] int read_below(char* bytes, int size) noexcept;
  [[nodiscard]] int write_below(const char* bytes, int size) noexcept;
  [[nodiscard]] bool is_at_end_below() const noexcept { return is_at_end_; }

  bool is_paused = false;     // paused by the user of the network
  bool is_reporting = false;  // the network has it among the connections to report

 private:
  TlsStream() = default;
  IoResult fail(int ssl_result) noexcept;
  [[nodiscard]] bool receive_arrived() noexcept;
  [[nodiscard]] bool make_buffer() noexcept;
  [[nodiscard]] std::string failure_text(int ssl_error) const;
  [[nodiscard]] bool has_pending() const noexcept;
  [[nodiscard]] std::string reason_of(int ssl_error) const;

  std::shared_ptr<const TlsKeys> keys_;
  Ssl ssl_;
  Network* network_ = nullptr;
  SocketId socket_ = 0;
  bool is_initiator_ = false;
  bool is_established_ = false;
  bool has_more_ = false;
  bool wants_room_ = false;
  bool has_ended_ = false;  // by close_notify
  bool is_at_end_ = false;  // of the bytes of the network below
  bool is_dry_ = false;     // the network below has no bytes, or this call may read no more
  int error_number_ = 0;    // of the network below
  std::size_t readable_ = SIZE_MAX;  // the bytes that this call may still read
  std::string failure_;
  std::vector<char> buffer_;  // empty until there is something to read
  std::span<char> arrived_;   // in buffer_: encrypted bytes that OpenSSL has not taken yet
  std::vector<char> unsent_;  // encrypted; what the network below did not take
};

}  // namespace nexusfix::transport
