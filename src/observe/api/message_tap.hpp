// Passes the messages of one event loop to its readers, and to the program's message log.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/deferred/spsc_queue.hpp>
#include <nexusfix/observe/logs.hpp>

namespace nexusfix::observe {

// The ring between one event loop and one reader of its messages.
class TapChannel {
 public:
  // Some thousand orders. A message above half of it is counted as lost.
  static constexpr std::size_t kRingBytes = std::size_t{1} << 20U;
  // A reader that has lost this number of messages in a row has gone.
  static constexpr std::uint64_t kLostInRowMax = std::uint64_t{1} << 20U;

  // session: only its messages; empty: all messages.
  explicit TapChannel(std::string session) : session_{std::move(session)} {}

  // The loop. False: the reader has gone, and the channel must be removed.
  [[nodiscard]] bool write(const LoggedMessage& message) noexcept;

  // The reader. visit(const LoggedMessage&) gets up to the given number of bytes of
  // messages, and one message at least. The views are valid until it returns. Returns the bytes.
  std::size_t read(std::size_t bytes_max, auto&& visit) {
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
  [[nodiscard]] std::uint64_t consume_lost() noexcept {
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
  [[nodiscard]] static LoggedMessage unpack(std::span<const std::byte> record) noexcept;

  const std::string session_;
  deferred::RecordQueue ring_{kRingBytes};
  std::atomic<std::uint64_t> lost_{0};  // the loop writes it
  std::atomic<bool> is_abandoned_{false};
  std::atomic<bool> has_ended_{false};
  std::uint64_t lost_in_row_ = 0;  // the loop's
  std::uint64_t lost_seen_ = 0;    // the reader's
};

// The loop's thread only.
class MessageTap final : public MessageLog {
 public:
  // log: of the program; null: there is none.
  explicit MessageTap(MessageLog* log) noexcept : log_{log} {}
  ~MessageTap() override;

  // False: no reader listens, and write() need not be called.
  [[nodiscard]] bool is_heard() const noexcept { return log_ != nullptr || !channels_.empty(); }
  // A reader listens from here on. Removes those that have gone.
  void add(std::shared_ptr<TapChannel> channel);
  // Throws what the program's log throws.
  void write(const LoggedMessage& message) override;

 private:
  MessageLog* log_;
  std::vector<std::shared_ptr<TapChannel>> channels_;
};

// Reads copies of the messages of all event loops. One thread at a time. It may outlive the engine:
// then nothing more comes.
//
//   auto reader = desk.tap("FIX.4.4:VENUE->TRADER");
//   reader->read(65'536, [](const LoggedMessage& message) { show(message); });
//   if (const auto lost = reader->consume_lost(); lost != 0) show_lost(lost);
class TapReader {
 public:
  // One channel for each loop.
  explicit TapReader(std::vector<std::shared_ptr<TapChannel>> channels) noexcept
      : channels_{std::move(channels)} {}
  TapReader(TapReader&& other) noexcept : channels_{std::exchange(other.channels_, {})} {}
  TapReader& operator=(TapReader&& other) noexcept {
    std::swap(channels_, other.channels_);
    return *this;
  }
  ~TapReader() {
    for (const auto& channel : channels_) channel->abandon();
  }

  // Passes the messages that wait, up to about bytes_max bytes: those of one loop in their order.
  // Never waits. Returns the bytes; 0: nothing waits.
  std::size_t read(std::size_t bytes_max, auto&& visit) {
    std::size_t bytes = 0;
    for (const auto& channel : channels_) {
      if (bytes >= bytes_max) break;
      bytes += channel->read(bytes_max - bytes, visit);
    }
    // The next call begins with another loop.
    if (channels_.size() > 1) std::ranges::rotate(channels_, channels_.begin() + 1);
    return bytes;
  }
  // The messages that did not fit since the last call.
  [[nodiscard]] std::uint64_t consume_lost() noexcept {
    std::uint64_t lost = 0;
    for (const auto& channel : channels_) lost += channel->consume_lost();
    return lost;
  }
  // Every loop has ended, or has removed this reader because it did not read.
  [[nodiscard]] bool has_ended() const noexcept {
    return std::ranges::all_of(channels_, [](const auto& one) { return one->has_ended(); });
  }

 private:
  std::vector<std::shared_ptr<TapChannel>> channels_;
};

}  // namespace nexusfix::observe
