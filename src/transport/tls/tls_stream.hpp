// One connection's TLS: plain bytes on this side, a connection of another network on the other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nexusfix/transport/tls.hpp>

#include "transport/tls/tls_openssl.hpp"

namespace nexusfix::transport {

class TlsStream final : public ConnectionState {
 public:
  enum class Progress : std::uint8_t { Waiting, Done, Failed };

  // Null: no memory. host: what an initiator connects to; of acceptors nothing.
  [[nodiscard]] static std::unique_ptr<TlsStream> make(const TlsContext& context,
                                                       const std::string& host);
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // The connection that it goes on over.
  void move_to(Network& network, SocketId socket) noexcept;
  [[nodiscard]] bool is_initiator() const noexcept { return is_initiator_; }
  [[nodiscard]] bool is_established() const noexcept { return is_established_; }
  [[nodiscard]] bool has_failed() const noexcept { return !failure_.empty(); }
  // Whether receive() has something to give that the network below knows nothing of.
  [[nodiscard]] bool has_more() const noexcept { return has_more_; }
  // Whether who was refused by send() may go on.
  [[nodiscard]] bool has_room() const noexcept { return wants_room_ && unsent_.empty(); }
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  // Whether it broke for want of memory; the network below knows nothing of that.
  [[nodiscard]] bool had_no_memory() const noexcept;
  [[nodiscard]] std::string no_memory_text() const;
  [[nodiscard]] std::string description() const;
  [[nodiscard]] std::vector<std::string> peer_identities() const;

  // As far as the bytes that are there allow.
  [[nodiscard]] Progress shake_hands() noexcept;
  [[nodiscard]] IoResult receive(std::span<char> buffer) noexcept;
  [[nodiscard]] IoResult send(std::span<const char> bytes) noexcept;
  // True: nothing is left that has to be sent.
  [[nodiscard]] bool flush() noexcept;
  // Says that nothing more comes, if there is somebody to say it to.
  void end() noexcept;

  // By OpenSSL.
  [[nodiscard]] int read_below(char* bytes, int size) noexcept;
  [[nodiscard]] int write_below(const char* bytes, int size) noexcept;
  [[nodiscard]] bool is_at_end_below() const noexcept { return is_at_end_; }

  bool is_paused = false;   // for who waits on the network
  bool is_telling = false;  // likewise: is among those that have something to say

 private:
  TlsStream() = default;
  IoResult fail(int ssl_result) noexcept;
  [[nodiscard]] bool take_arrived() noexcept;
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
  bool has_ended_ = false;           // in order
  bool is_at_end_ = false;           // of what the network below has
  bool is_dry_ = false;              // it had nothing, or no more may be taken in this call
  int error_number_ = 0;             // of the network below
  std::size_t readable_ = SIZE_MAX;  // what may be taken of it in this call
  std::string failure_;
  std::vector<char> buffer_;  // empty until there is something to read
  std::span<char> arrived_;   // of it: encrypted, and not taken by OpenSSL yet
  std::vector<char> unsent_;  // encrypted; what the network below did not take
};

}  // namespace nexusfix::transport
