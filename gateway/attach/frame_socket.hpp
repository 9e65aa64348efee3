// The client's end of a gateway's Unix socket.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "gateway/protocol/frame.hpp"
#include "gateway/protocol/greeting.hpp"

namespace nexusfix::gateway {

enum class AttachFault : std::uint8_t {
  Io,       // the socket or the shared memory cannot be used, or no gateway answers at it
  Timeout,  // the gateway has not answered in time
  Refused,  // by a Closed
};

struct AttachError {
  AttachFault fault = AttachFault::Io;
  std::uint32_t code = 0;  // of the Closed: CloseCode; 0: there was none
  std::string text{};      // one line for people
};

// What a client says of bytes that are no frame. Static lifetime.
[[nodiscard]] std::string_view frame_fault_text(FrameFault fault) noexcept;

// The answer to a Hello.
struct Greeting {
  WelcomeText welcome;
  std::uint64_t last_number = 0;  // the highest that the gateway has accepted from this client
};

enum class Sent : std::uint8_t {
  Yes,
  Full,     // the gateway does not read: try again later
  TooLong,  // above kFrameBytesMax, or the longest frame of the shared memory
  Closed,   // the connection has ended
};

enum class Received : std::uint8_t {
  Frame,
  Timeout,
  Closed,  // the connection has ended, and every frame before its end was returned
};

// Frames to and from a gateway as a stream of bytes. One thread.
class FrameSocket {
 public:
  // What send() keeps while the gateway does not read; then it is full.
  static constexpr std::size_t kUnsentBytesMax = 1U << 20U;

  // Connects. Blocks for at most the timeout.
  [[nodiscard]] static std::expected<FrameSocket, AttachError> connect(
      const std::string& path, std::chrono::nanoseconds timeout);
  FrameSocket(FrameSocket&& from) noexcept;
  FrameSocket& operator=(FrameSocket&&) = delete;
  // Closes the connection: the gateway sees that the client has ended.
  ~FrameSocket();

  // Says Hello, and waits for the Welcome. Blocks for at most the timeout.
  [[nodiscard]] std::expected<Greeting, AttachError> greet(const HelloText& hello,
                                                           std::chrono::nanoseconds timeout);
  // Writes what the socket takes, and keeps the rest for the next call of any function. Does not
  // block.
  [[nodiscard]] Sent send(const FrameHeader& header, std::string_view body);
  // The next frame, whose body is valid until the next call. Polls for spin, then sleeps; 0: does
  // not wait.
  [[nodiscard]] Received receive(Frame& to, std::chrono::nanoseconds timeout,
                                 std::chrono::nanoseconds spin = {});
  // Whether receive() returns at once: a frame has arrived as a whole, or the connection has ended.
  [[nodiscard]] bool has_frame();
  // Something waits until the socket takes it.
  [[nodiscard]] bool has_unsent() const noexcept { return !unsent_.empty(); }
  // Why the connection has ended; empty: it has not.
  [[nodiscard]] const std::string& end() const noexcept { return end_; }
  [[nodiscard]] int descriptor() const noexcept { return socket_; }

 private:
  explicit FrameSocket(int socket) noexcept : socket_{socket} {}
  // Reads what is there.
  void fill();
  void flush() noexcept;
  // The bytes that the socket takes now; 0 if it takes none.
  [[nodiscard]] std::size_t write(std::span<const char> bytes) noexcept;
  // The size of the whole frame that begins at begin_; 0: it has not arrived.
  [[nodiscard]] std::size_t whole_frame();
  void sleep(std::chrono::nanoseconds timeout) noexcept;

  int socket_;
  std::vector<char> bytes_;   // received
  std::size_t begin_ = 0;     // of the next frame in it
  std::size_t filled_ = 0;    // up to here it has bytes
  std::size_t returned_ = 0;  // the size of the frame that was returned last
  std::vector<char> unsent_;
  bool is_read_to_end_ = false;
  bool takes_nothing_ = false;  // the gateway reads nothing any more
  std::string end_;
};

}  // namespace nexusfix::gateway
