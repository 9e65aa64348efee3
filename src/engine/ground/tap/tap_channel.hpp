// The ring between one event loop and one reader of its messages.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <nexusfix/deferred/record_queue.hpp>
#include <nexusfix/observe/message_log.hpp>

namespace nexusfix::engine {

class TapChannel {
 public:
  // Some thousand orders. A message above half of it is counted as lost.
  static constexpr std::size_t kRingBytes = std::size_t{1} << 20U;
  // A reader that has lost this number of messages in a row has gone.
  static constexpr std::uint64_t kLostInRowMax = std::uint64_t{1} << 20U;

  // session: only its messages; empty: all messages.
  explicit TapChannel(std::string session) : session_{std::move(session)} {}

  // The loop. False: the reader has gone, and the channel must be removed.
  [[nodiscard]] bool write(const observe::LoggedMessage& message) noexcept;

  // The reader. visit(const observe::LoggedMessage&) gets up to the given number of bytes of
  // messages, and one message at least. The views are valid until it returns. Returns the bytes.
  template <class Visitor>
  std::size_t read(std::size_t bytes_max, Visitor&& visit) {
    std::size_t bytes = 0;
    while (bytes < bytes_max) {
      const auto record = ring_.read();
      if (!record) break;
      visit(unpack(*record));
      bytes += record->size();
    }
    ring_.release();
    return bytes;
  }
  // The reader. The messages that were lost since the last call.
  [[nodiscard]] std::uint64_t take_lost() noexcept {
    const std::uint64_t all = lost_.load(std::memory_order_relaxed);  // a count
    return all - std::exchange(lost_seen_, all);
  }
  // The reader reads no more. Relaxed: nothing else is shared by it.
  void abandon() noexcept { is_abandoned_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_abandoned() const noexcept {
    return is_abandoned_.load(std::memory_order_relaxed);
  }
  // The loop has removed it: nothing more comes.
  [[nodiscard]] bool has_ended() const noexcept {
    return has_ended_.load(std::memory_order_relaxed);
  }
  void end() noexcept { has_ended_.store(true, std::memory_order_relaxed); }

 private:
  [[nodiscard]] static observe::LoggedMessage unpack(std::span<const std::byte> record) noexcept;

  const std::string session_;
  deferred::RecordQueue ring_{kRingBytes};
  std::atomic<std::uint64_t> lost_{0};  // the loop writes it
  std::atomic<bool> is_abandoned_{false};
  std::atomic<bool> has_ended_{false};
  std::uint64_t lost_in_row_ = 0;  // the loop's
  std::uint64_t lost_seen_ = 0;    // the reader's
};

}  // namespace nexusfix::engine
