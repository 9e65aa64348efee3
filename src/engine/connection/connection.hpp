// One TCP connection: its state, the bytes of an incomplete message, and the bytes to send.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/time.hpp>
#include <nexusfix/store/store.hpp>
#include <nexusfix/transport/address_range.hpp>
#include <nexusfix/transport/network.hpp>
#include <nexusfix/wire/frame.hpp>

#include "engine/connection/buffer_budget.hpp"
#include "engine/credentials/password_change.hpp"
#include "engine/loop/timer_queue.hpp"
#include "engine/report/second_limit.hpp"

namespace nexusfix::engine {

struct SessionEntry;

// Bytes that wait for the socket, first in, first out. Holds at most twice the waiting bytes. Keeps
// its storage when it becomes empty, until give_back().
class OutboundQueue {
 public:
  // Storage up to this size is kept for the next bytes.
  static constexpr std::size_t kKeptBytesMax = 64U << 10U;

  void count_in(BufferBudget& budget) noexcept { storage_.count_in(budget); }
  // The storage that this number of further bytes needs; 0: the present storage is large enough.
  [[nodiscard]] std::size_t storage_for(std::size_t bytes) const noexcept {
    if (bytes_.capacity() - bytes_.size() >= bytes) [[likely]]
      return 0;
    return std::max(bytes_.size() + bytes, 2 * bytes_.capacity());
  }
  [[nodiscard]] std::size_t storage() const noexcept { return storage_; }
  void push(std::string_view bytes) {
    if (const std::size_t wanted = storage_for(bytes.size()); wanted != 0) [[unlikely]]
      grow(wanted);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  [[nodiscard]] std::span<const char> waiting() const noexcept {
    return std::span{bytes_}.subspan(taken_);
  }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() - taken_; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  void take(std::size_t count) noexcept;
  void clear() noexcept;
  // Drops the newest bytes until size() == size. No allocation.
  void shrink_to(std::size_t size) noexcept {
    if (size < this->size()) bytes_.resize(taken_ + size);
  }
  // Drops all bytes and the storage.
  void release() noexcept;
  // Releases the storage if the queue is empty and the storage is above kKeptBytesMax. True: the
  // storage is still large.
  bool give_back() noexcept;

 private:
  void grow(std::size_t storage);

  std::vector<char> bytes_;
  std::size_t taken_ = 0;
  BufferCharge storage_;
};

// The received bytes that a connection keeps: the beginning of an incomplete message, and all that
// waits while reading is paused. The storage is at most twice what has arrived (but at least
// kStorageBytesMin), whatever length a message claims.
class CarriedBytes {
 public:
  // Room for an ordinary message, so that a slightly longer one needs no new storage.
  static constexpr std::size_t kStorageBytesMin = 512;
  // Storage up to this size is kept for the next message that comes in pieces.
  static constexpr std::size_t kKeptBytesMax = 4096;

  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), bytes_.size()}; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return bytes_.capacity(); }
  void count_in(BufferBudget& budget) noexcept { storage_.count_in(budget); }
  // needed: the framing needs at least this number of bytes; until then, more storage is useless.
  void append(std::string_view bytes, std::size_t needed);
  // The storage that append() would allocate; 0: none.
  [[nodiscard]] std::size_t storage_for(std::size_t bytes, std::size_t needed) const noexcept;
  void drop_front(std::size_t count);
  void clear() noexcept;
  [[nodiscard]] std::size_t storage() const noexcept { return storage_; }

  CarriedBytes() = default;
  CarriedBytes(const CarriedBytes&) = delete;
  CarriedBytes& operator=(const CarriedBytes&) = delete;
  ~CarriedBytes() { clear(); }
  // Until the next clear(), bytes that are no longer needed are overwritten: they belong to a
  // Logon, which may contain a password.
  void wipe_on_clear() noexcept { wipes_on_clear_ = true; }

 private:
  std::vector<char> bytes_;
  bool wipes_on_clear_ = false;
  BufferCharge storage_;
};

// The state of the Username and the Password in a connection's Logon.
struct LogonCredentials {
  enum class State : std::uint8_t { NotLookedAt, BeingChecked, Right, Refused };
  State state = State::NotLookedAt;
  std::string text{};                        // Right: names the user; Refused: why
  std::unique_ptr<PasswordChange> change{};  // Right: starts when the Logon is accepted
  bool is_changing = false;                  // the new password is being written to the file
  bool is_changed = false;                   // the new password is in the file
};

// Only for a connection that a listener accepted.
struct AcceptedFrom {
  std::size_t listener = 0;           // its index
  transport::Source source = 0;       // the address that it counts for
  std::uint32_t logon_bytes_max = 0;  // what it may send before its Logon is complete
  bool is_pending = false;            // among those of its listener that have not logged on
};

// For a connection whose session is on another event loop.
struct Migration {
  std::uint32_t loop = 0;
  std::string bytes{};  // its Logon
};

// Reading is paused by the throttle, by a late loop, or while a password is checked. Received bytes
// wait in `carried`.
struct Pause {
  MonoTime until = kNever;     // kNever: reading is not paused
  bool has_ended = false;      // for good: received bytes are processed at once
  bool delayed_logon = false;  // the Logon has waited
};

// Where the next message begins.
struct Framing {
  wire::FrameScanner scanner;      // what it knows of the message in `carried`
  CarriedBytes carried;            // the bytes of a message that is not complete
  std::size_t carried_needed = 0;  // the scanner needs at least this number of bytes
};

// Events within the present second.
struct ConnectionRates {
  SecondLimit garbled;
  SecondLimit administrative;  // received
  SecondLimit rejects;         // sent
};

struct Connection {
  void count_in(BufferBudget& budget) noexcept {
    framing.carried.count_in(budget);
    outbound.count_in(budget);
  }

  transport::SocketId socket = 0;  // 0: it is closed
  SessionEntry* entry = nullptr;   // null: accepted, and no Logon was received yet
  bool established = false;        // false: an initiator's connect() has not finished
  bool closing = false;            // ignores received bytes; is closed when outbound is sent
  bool has_logged_on = false;
  bool blocked = false;              // the socket did not take all bytes; Writable follows
  bool unsent = false;               // is in the list of connections with bytes to send
  bool in_event = false;             // the running event has queued bytes for it
  bool is_receiving = false;         // views into its buffers are in use
  Timer timer;                       // not later than deadline, takes_by and pause.until
  MonoTime deadline = kNever;        // for the Logon, or for the last bytes
  MonoTime takes_by = kNever;        // blocked: it is closed then, unless the socket takes bytes
  store::LogPosition waits_for = 0;  // outbound may be sent when the log is durable up to here
  OutboundQueue outbound;
  Framing framing;
  Pause pause;
  ConnectionRates rates;
  AcceptedFrom accepted;
  LogonCredentials credentials{};
  std::optional<Migration> migration{};
  std::string close_reason{};  // for on_disconnect() of a connection that is closing
};

// While bytes of the connection are parsed: views into its buffers are in use.
class Receiving {
 public:
  explicit Receiving(Connection& connection) noexcept
      : connection_{connection}, outer_{std::exchange(connection.is_receiving, true)} {}
  ~Receiving() { connection_.is_receiving = outer_; }
  Receiving(const Receiving&) = delete;
  Receiving& operator=(const Receiving&) = delete;

 private:
  Connection& connection_;
  bool outer_;
};

}  // namespace nexusfix::engine
