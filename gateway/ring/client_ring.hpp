// The client's side of the memory that it shares with a gateway.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "gateway/ring/frame_reader.hpp"
#include "gateway/ring/frame_writer.hpp"
#include "gateway/ring/ring_file.hpp"

namespace nexusfix::gateway {

// What wait() found.
enum class Waited : std::uint8_t {
  Frame,    // next() returns one
  Timeout,  // nothing
  Closed,   // the gateway has closed the ring, or its process has ended; unread frames stay
};

// Frames to and from a gateway. One thread.
//
//   auto ring = ClientRing::attach(path, key, socket);     // from the answer to Hello
//   if ((*ring)->send(order) != Written::Yes) wait_for_room();
//   while ((*ring)->wait(1s) == Waited::Frame) use((*ring)->next());
class ClientRing {
 public:
  // path and key: from the answer to Hello, which came by this Unix socket. The socket stays the
  // caller's, outlives the ring, and does not block. The file is opened and checked; an error names
  // what is different: another layout version, another key, impossible sizes.
  [[nodiscard]] static std::expected<std::unique_ptr<ClientRing>, RingError> attach(
      const std::string& path, std::uint64_t key, int socket);

  // Writes a frame of one or two parts, and wakes the gateway if its loop sleeps, which is a system
  // call. Fault: the memory is damaged.
  [[nodiscard]] Written send(std::string_view frame, std::string_view rest = {}) noexcept;
  // The next frame of the gateway, in the shared memory: valid until the next call. Empty: there is
  // none. No system call.
  [[nodiscard]] std::string_view next() noexcept { return reader_.read(); }
  // Waits until there is a frame: it polls for spin, and then sleeps.
  [[nodiscard]] Waited wait(std::chrono::nanoseconds timeout,
                            std::chrono::nanoseconds spin = std::chrono::microseconds{20}) noexcept;
  // For a caller that waits for the socket. True: the gateway wakes this side by a byte on it,
  // until end_sleep(). False: there is a frame.
  [[nodiscard]] bool begin_sleep() noexcept { return reader_.begin_sleep(Sleeps::Socket); }
  void end_sleep() noexcept { reader_.end_sleep(); }
  // Whether next() found what no gateway writes, or the file was cut: nothing more can be read.
  [[nodiscard]] bool is_damaged() const noexcept {
    return reader_.fault() != RingFault::None || file_->failed();
  }
  // Whether the gateway has closed the ring. No system call.
  [[nodiscard]] bool is_closed() noexcept;
  // Whether the gateway's end of the socket is still open: it closes when its process ends. It also
  // takes the bytes that the gateway sent to wake this side. A system call.
  [[nodiscard]] bool is_gateway_there() noexcept;
  // What the gateway said when it closed the ring, or what this side found damaged.
  [[nodiscard]] RingFault fault() noexcept;
  [[nodiscard]] const std::string& path() const noexcept { return file_->path(); }
  // The longest frame, in bytes.
  [[nodiscard]] std::uint64_t frame_bytes_max() const noexcept {
    return file_->geometry().frame_bytes_max;
  }

 private:
  ClientRing(std::unique_ptr<RingFile> file, int socket) noexcept;

  std::unique_ptr<RingFile> file_;
  FrameReader reader_;
  FrameWriter writer_;
  int socket_;
};

}  // namespace nexusfix::gateway
