// The gateway's side of the memory that it shares with one client.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/ring/frame_reader.hpp"
#include "gateway/ring/frame_writer.hpp"
#include "gateway/ring/ring_file.hpp"

namespace nexusfix::gateway {

// Frames from and to one client. Only the thread of the gateway's loop. No call but create() waits
// or allocates. It trusts nothing in the memory: a frame is copied before it is returned, and a
// word that no client writes closes the ring with a reason and has no other effect.
//
//   auto ring = GatewayRing::create({.client_process = peer.process});
//   if (!ring) return refuse(ring.error().text);
//   answer(hello, (*ring)->path(), (*ring)->key());
//   while (auto frame = (*ring)->read(); !frame.empty()) handle(frame);
//   if ((*ring)->fault() != RingFault::None) cut(to_string((*ring)->fault()));
class GatewayRing {
 public:
  [[nodiscard]] static std::expected<std::unique_ptr<GatewayRing>, RingError> create(
      const RingFileOptions& options);
  // As close(RingFault::None).
  ~GatewayRing();
  GatewayRing(const GatewayRing&) = delete;
  GatewayRing& operator=(const GatewayRing&) = delete;

  // What the answer to Hello says: the file, and the number that its header has.
  [[nodiscard]] const std::string& path() const noexcept { return file_->path(); }
  [[nodiscard]] std::uint64_t key() const noexcept { return file_->geometry().key; }

  // The next frame of the client, in the gateway's own memory: valid until the next call. Empty:
  // there is none, or the ring is closed. The first frame removes the name of the file.
  [[nodiscard]] std::string_view read() noexcept;

  // Writes a frame of two parts, of which the second may be empty. Full: the client has to read
  // first. Fault: the ring is closed.
  [[nodiscard]] Written write(std::string_view first, std::string_view second = {}) noexcept;
  // After write(): wakes the client if it sleeps by a futex. True: it asks for one byte by its Unix
  // socket, of any value, which the caller sends without waiting; if the socket takes none, there
  // is one already.
  [[nodiscard]] bool wake_client() noexcept;

  // Before the loop sleeps: from now on the client sends a byte by its Unix socket with its next
  // frame. False: there is a frame, so the loop must not sleep.
  [[nodiscard]] bool begin_sleep() noexcept;
  // After the loop has slept.
  void end_sleep() noexcept { reader_.end_sleep(); }

  // Says in the file that the client is served no more, and why, and wakes it. The first reason
  // counts.
  void close(RingFault reason) noexcept;
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }
  // Why the ring was closed. None: it is open, or the gateway ends.
  [[nodiscard]] RingFault fault() const noexcept { return fault_; }

 private:
  explicit GatewayRing(std::unique_ptr<RingFile> file);

  std::unique_ptr<RingFile> file_;
  FrameReader reader_;
  FrameWriter writer_;
  std::vector<char> frame_;  // the frame that read() returned
  RingFault fault_ = RingFault::None;
  bool is_closed_ = false;
  bool is_attached_ = false;
};

}  // namespace nexusfix::gateway
