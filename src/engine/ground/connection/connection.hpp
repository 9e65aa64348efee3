// One TCP connection: its state, the bytes of an incomplete message, and the bytes to send.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/store.hpp>
#include <nexusfix/transport/network.hpp>
#include <nexusfix/wire/frame.hpp>

#include "base/api/full_path.hpp"
#include "base/api/timer_queue.hpp"
#include "config/api/logon_passwords.hpp"
#include "control/api/notice_limiter.hpp"
#include "engine/ground/connection/buffer_budget.hpp"
#include "engine/ground/loop_work.hpp"
#include "engine/ground/statistics/latency_meter.hpp"

namespace nexusfix::engine {

// The connections of one port that have not logged on yet, by their source addresses. A
// client that floods a port does not take the places of other clients.
class PendingLogons {
 public:
  struct Limits {
    std::uint32_t all_max = 0;
    std::uint32_t per_source_max = 0;

    // Takes the larger limit of each kind. In `other`, 0 means no limit, as in a configuration.
    void widen(const Limits& other) noexcept;
  };

  enum class Answer : std::uint8_t { Yes, TooMany, TooManyOfSource };
  struct Place {
    Answer answer = Answer::Yes;
    std::optional<transport::SocketId> displaced{};  // Yes: the connection to close for it
  };

  // Whether one more connection may wait. If all_max wait already, the source that has most loses
  // its oldest one, unless it has at most as many as this source would then have.
  [[nodiscard]] Place ask(transport::Source source, const Limits& limits) const noexcept;
  // The oldest connection of the source that has most; nullopt: no source has more than one.
  [[nodiscard]] std::optional<transport::SocketId> oldest_of_most() const noexcept;
  void add(transport::Source source, transport::SocketId socket);
  void remove(transport::Source source, transport::SocketId socket) noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  // Oldest first; no entry is empty. ask() searches all sources for one to displace: at most
  // all_max, and only while one source has more than its share.
  std::map<transport::Source, std::vector<transport::SocketId>> sources_;
  std::size_t size_ = 0;
};

// The states of one connection, and the transitions between them.

// A connection is in exactly one of these states. What several of them have in common is a property
// of the Connection: `blocked` is about its socket, a pause by the throttle is about reading (a
// draining connection may be paused, too), and a Logon is a matter of the session's state machine.
// AwaitingLogon includes the wait for a proxy's announcement: until then the network delivers none
// of the connection's bytes.
enum class LinkState : std::uint8_t {
  Connecting,        // our connect() has not finished; its session is known
  CheckingPassword,  // reading is paused: its Logon waits for the check of its password
  Deferred,          // reading is paused: its Logon waits, because the event loop is late
  AwaitingLogon,     // a listener accepted it: its first message names its session
  Bound,             // it has its session
  Migrating,         // its session is on another event loop, where it moves at once
  Draining,          // received bytes are ignored; it is closed when its last bytes have left
  Dead,              // it has no socket and no session; it is destroyed at the end of the turn
};

[[nodiscard]] constexpr bool can_become(LinkState from, LinkState to) noexcept {
  using enum LinkState;
  switch (from) {
    case Connecting:
      return to == Bound || to == Dead;
    case AwaitingLogon:
      return to == CheckingPassword || to == Deferred || to == Bound || to == Migrating ||
             to == Dead;
    case CheckingPassword:
    case Deferred:
      return to == AwaitingLogon || to == Dead;
    case Bound:
      return to == Draining || to == Dead;
    case Migrating:
    case Draining:
      return to == Dead;
    case Dead:
      return false;
  }
  return false;
}

class SessionEntry;

class OutboundQueue;

// Bytes that a queue has not copied, because they can stay where they were encoded. At most one
// queue has them, and ends the loan when it has sent, copied or dropped them.
class LentBytes {
 public:
  LentBytes() = default;
  LentBytes(const LentBytes&) = delete;
  LentBytes& operator=(const LentBytes&) = delete;
  ~LentBytes() { recall(); }

  [[nodiscard]] bool are_out() const noexcept { return queue_ != nullptr; }
  // The queue copies what it has not sent. Afterwards the bytes may change.
  void recall() noexcept;

 private:
  friend class OutboundQueue;

  OutboundQueue* queue_ = nullptr;
  const char* bytes_ = nullptr;
};

// Bytes that wait for the socket, first in, first out. Holds at most twice the waiting bytes. Keeps
// its storage when it becomes empty, until give_back().
class OutboundQueue {
 public:
  // Storage up to this size is kept for the next bytes.
  static constexpr std::size_t kKeptBytesMax = 64U << 10U;

  OutboundQueue() = default;
  OutboundQueue(const OutboundQueue&) = delete;
  OutboundQueue& operator=(const OutboundQueue&) = delete;
  ~OutboundQueue() { clear(); }

  void count_in(BufferBudget& budget) noexcept { storage_.count_in(budget); }
  // The storage that this number of further bytes needs; 0: the present storage is large enough.
  [[nodiscard]] std::size_t storage_for(std::size_t bytes) const noexcept {
    if (storage_ - end_ >= bytes) [[likely]]
      return 0;
    return std::max(end_ + bytes, 2 * storage_);
  }
  [[nodiscard]] std::size_t storage() const noexcept { return storage_; }
  void push(std::string_view bytes) {
    if (const std::size_t wanted = storage_for(bytes.size()); wanted != 0) [[unlikely]]
      grow(wanted);
    add(bytes);
  }
  // In steps: storage_for() has said 0, or grow() had what it said.
  void grow(std::size_t storage);
  void add(std::string_view bytes) noexcept {
    if (lent_ != nullptr) [[unlikely]]
      copy_lent();
    std::memcpy(bytes_.get() + end_, bytes.data(), bytes.size());
    end_ += bytes.size();
  }
  // add() of bytes that stay where they are until loan.recall(), if the queue is empty. There must
  // be room for them, for a copy. No other queue has the loan.
  void lend(std::string_view bytes, LentBytes& loan) noexcept {
    if (end_ != 0) [[unlikely]]
      return add(bytes);
    lent_ = &loan;
    loan.queue_ = this;
    loan.bytes_ = bytes.data();
    end_ = bytes.size();
  }
  // Copies bytes that were lent.
  void copy_lent() noexcept;
  [[nodiscard]] std::span<const char> waiting() const noexcept {
    return {(lent_ != nullptr ? lent_->bytes_ : bytes_.get()) + begin_, size()};
  }
  [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  void take(std::size_t count) noexcept {
    if (count != size()) [[unlikely]]
      return remove_front(count);
    clear();
  }
  void clear() noexcept {
    begin_ = end_ = 0;
    if (LentBytes* const lent = std::exchange(lent_, nullptr)) lent->queue_ = nullptr;
  }
  // Drops the newest bytes until size() == size. No allocation.
  void shrink_to(std::size_t size) noexcept {
    end_ = std::min(end_, begin_ + size);
    if (empty()) clear();
  }
  // Drops all bytes and the storage.
  void release() noexcept;
  // Releases the storage if the queue is empty and the storage is above kKeptBytesMax. True: the
  // storage is still large.
  bool give_back() noexcept;

 private:
  void remove_front(std::size_t count) noexcept;

  std::unique_ptr<char[]> bytes_;
  LentBytes* lent_ = nullptr;  // null: the waiting bytes are in bytes_; otherwise all are lent
  std::size_t begin_ = 0;      // of the waiting bytes
  std::size_t end_ = 0;        // 0: none wait, and none are lent
  BufferCharge storage_;       // the size of bytes_
};

// Whether more bytes wait for a connection than its application should add to, for
// Session::is_writable() and on_writable(). High: a sixteenth of MaxQueuedBytes, 4 MiB by default:
// far below the cut, which an application that reacts late must not reach, and above the 1 MiB that
// a resend queues by itself. Low: a quarter of that. It is not 0, so that the socket does not run
// dry before the application has begun again; and few notices come.
class Backlog {
 public:
  [[nodiscard]] static constexpr std::size_t high(std::size_t queued_bytes_max) noexcept {
    return queued_bytes_max / 16;
  }
  [[nodiscard]] static constexpr std::size_t low(std::size_t queued_bytes_max) noexcept {
    return high(queued_bytes_max) / 4;
  }

  // After a flush, Connections::check_backlog() looks at this number of waiting bytes and more: one
  // comparison, which the limit of the queue needs anyway.
  [[nodiscard]] std::size_t checked_from() const noexcept { return checked_from_; }
  // There was more than high(), and not yet low() again.
  [[nodiscard]] bool is_high() const noexcept { return is_high_; }
  void begin() noexcept {
    is_high_ = true;
    is_reported_ = true;
    checked_from_ = 0;
  }
  void end() noexcept {
    is_high_ = false;
    is_reported_ = false;
  }
  // While it is not high.
  void check_above(std::size_t bytes) noexcept {
    checked_from_ = FullPathOnly::is_on() ? 0 : bytes + 1;
  }
  // MaxQueuedBytes has changed.
  void check_again() noexcept { checked_from_ = 0; }
  // on_writable() is due; true once after each end().
  [[nodiscard]] bool consume_end() noexcept { return !std::exchange(is_reported_, true); }

 private:
  std::size_t checked_from_ = 0;
  bool is_high_ = false;
  bool is_reported_ = true;
};

// The received bytes that a connection keeps: the beginning of an incomplete message, and all that
// waits while reading is paused. The storage is at most twice what has arrived (but at least
// kStorageBytesMin), whatever length a message claims. Work is linear in the bytes: the storage
// doubles, and bytes move only when at least as many have been dropped.
class CarriedBytes {
 public:
  // Room for an ordinary message, so that a slightly longer one needs no new storage.
  static constexpr std::size_t kStorageBytesMin = 512;
  // Storage up to this size is kept for the next message that comes in pieces.
  static constexpr std::size_t kKeptBytesMax = 4096;

  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data() + begin_, size()}; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() - begin_; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] std::size_t capacity() const noexcept { return bytes_.capacity(); }
  void count_in(BufferBudget& budget) noexcept { storage_.count_in(budget); }
  void append(std::string_view bytes);
  // The storage that append() would allocate; 0: none.
  [[nodiscard]] std::size_t storage_for(std::size_t bytes) const noexcept;
  void drop_front(std::size_t count) noexcept;
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
  std::size_t begin_ = 0;  // bytes before it are dropped
  bool wipes_on_clear_ = false;
  BufferCharge storage_;
};

// What the check of the Username and the Password in a connection's Logon has found.
class LogonCredentials {
 public:
  [[nodiscard]] bool are_valid() const noexcept { return state_ == State::Accepted; }
  [[nodiscard]] bool are_refused() const noexcept { return state_ == State::Refused; }
  // Accepted: names the user. Refused: the reason.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  // change: starts when the Logon is accepted; null: the Logon has no NewPassword.
  void admit(std::string text, std::unique_ptr<PasswordChange> change) noexcept {
    state_ = State::Accepted;
    text_ = std::move(text);
    change_ = std::move(change);
  }
  void refuse(std::string why) noexcept {
    state_ = State::Refused;
    text_ = std::move(why);
  }

  // Null: there is none, or it has begun.
  [[nodiscard]] const PasswordChange* change() const noexcept { return change_.get(); }
  // The new password is being written to the file.
  [[nodiscard]] bool is_changing() const noexcept {
    return new_password_ == NewPassword::BeingWritten;
  }
  // The new password is in the file.
  [[nodiscard]] bool is_changed() const noexcept { return new_password_ == NewPassword::Written; }
  [[nodiscard]] std::unique_ptr<PasswordChange> begin_change() noexcept {
    new_password_ = NewPassword::BeingWritten;
    return std::move(change_);
  }
  void end_change(bool is_written) noexcept {
    new_password_ = is_written ? NewPassword::Written : NewPassword::None;
  }

 private:
  enum class State : std::uint8_t { Unchecked, Accepted, Refused };
  enum class NewPassword : std::uint8_t { None, BeingWritten, Written };

  State state_ = State::Unchecked;
  NewPassword new_password_ = NewPassword::None;
  std::string text_;
  std::unique_ptr<PasswordChange> change_;
};

// Only for a connection that a listener accepted.
struct AcceptedFrom {
  std::size_t listener = 0;           // its index
  transport::Source source = 0;       // the address that it counts for
  std::uint32_t logon_bytes_max = 0;  // what it may send before its Logon is complete
  PendingLogons* pending = nullptr;   // those of its listener; null: it is not among them
};

// For a connection whose session is on another event loop.
struct Migration {
  std::uint32_t loop = 0;
  std::string bytes{};  // its Logon
};

// Where the next message begins.
class Framing {
 public:
  explicit Framing(const wire::FrameScanner& scanner = wire::FrameScanner{}) noexcept
      : scanner_{scanner} {}

  // From here on with the limits of this scanner.
  void use(const wire::FrameScanner& scanner) noexcept { scanner_ = scanner; }
  [[nodiscard, gnu::always_inline]] wire::FrameResult next(std::string_view bytes) noexcept {
    if (unsound_ != 0) [[unlikely]]
      return next_unsound(bytes);
    return scanner_.next(bytes);
  }
  // The frame that next() returned was not processed, and is returned again.
  void put_back(const wire::FrameResult& frame) noexcept {
    if (is_of_unsound(frame)) unsound_ += frame.size;
  }
  // These next bytes are the rest of a frame whose BodyLength is invalid: each message ends with
  // its trailer. Framed by BodyLength again, each would cost the whole rest.
  void set_unsound(std::size_t bytes) noexcept { unsound_ += bytes; }
  // Whether all received bytes before were frames, and the next one may have this number of bytes.
  [[nodiscard]] bool may_begin(std::size_t bytes) const noexcept {
    return carried_.empty() && scanner_.may_begin(bytes);
  }
  // Whether bytes that are one message need not be framed: none of them belong to a frame whose
  // BodyLength is invalid.
  [[nodiscard]] bool may_be_whole() const noexcept { return unsound_ == 0; }
  // The scanner needs at least this number of bytes.
  [[nodiscard]] std::size_t needed() const noexcept { return needed_; }
  void set_needed(std::size_t bytes) noexcept { needed_ = bytes; }
  // The bytes of a message that is not complete, or that waits while reading is paused.
  [[nodiscard]] CarriedBytes& carried() noexcept { return carried_; }
  [[nodiscard]] const CarriedBytes& carried() const noexcept { return carried_; }

 private:
  static constexpr std::size_t kFullPath = ~(SIZE_MAX >> 1U);

  [[nodiscard]] wire::FrameResult next_unsound(std::string_view bytes) noexcept;
  // A scanner's complete frame has no reason.
  [[nodiscard]] static bool is_of_unsound(const wire::FrameResult& frame) noexcept {
    return frame.status == wire::FrameResult::Status::Complete &&
           frame.reason == wire::GarbledReason::BodyLengthWrong;
  }

  wire::FrameScanner scanner_;  // what it knows of the message in carried_
  CarriedBytes carried_;
  std::size_t needed_ = 0;
  // Received bytes; with FullPathOnly kFullPath more, so that a message does not pay for the
  // question.
  std::size_t unsound_ = FullPathOnly::is_on() ? kFullPath : 0;
};

// Events within the present second.
struct ConnectionRates {
  SecondLimit garbled;
  SecondLimit administrative;  // received
  SecondLimit rejects;         // sent
};

// The event loop's thread only. Its state changes only as can_become() permits. The members that a
// message uses come first. Its timer is not later than its deadlines.
class Connection : public TimerOwner {
 public:
  // Opened for an initiator's session, which has it after link().
  Connection(transport::SocketId socket, SessionEntry& entry, MonoTime deadline) noexcept;
  // Accepted by a listener.
  Connection(transport::SocketId socket, const AcceptedFrom& accepted, MonoTime deadline) noexcept
      : socket_{socket}, deadline_{deadline}, accepted_{accepted} {
    framing_.carried().wipe_on_clear();
  }
  void count_in(BufferBudget& budget) noexcept {
    framing_.carried().count_in(budget);
    outbound_.count_in(budget);
  }

  // 0: it is dead.
  [[nodiscard]] transport::SocketId socket_id() const noexcept { return socket_; }
  // Null: accepted, and no Logon was received yet; or dead.
  [[nodiscard]] SessionEntry* entry() const noexcept { return entry_; }

  [[nodiscard]] LinkState state() const noexcept { return state_; }
  [[nodiscard]] bool is_connecting() const noexcept { return state_ == LinkState::Connecting; }
  [[nodiscard]] bool is_checking_password() const noexcept {
    return state_ == LinkState::CheckingPassword;
  }
  [[nodiscard]] bool is_migrating() const noexcept { return state_ == LinkState::Migrating; }
  [[nodiscard]] bool is_draining() const noexcept { return state_ == LinkState::Draining; }
  [[nodiscard]] bool is_dead() const noexcept { return state_ == LinkState::Dead; }
  // It has its session, and neither ends nor moves.
  [[nodiscard]] bool is_bound() const noexcept { return state_ == LinkState::Bound; }
  // Received bytes are processed.
  [[nodiscard]] bool listens() const noexcept {
    return state_ == LinkState::AwaitingLogon || state_ == LinkState::Bound;
  }

  // Only link(), bind_to() and end() set the session's connection.
  void link() noexcept;
  // The connect() of its session has finished.
  void on_connected() noexcept;
  // Its first message names this session.
  void bind_to(SessionEntry& entry) noexcept;
  // Its Logon waits for the check of its password.
  void begin_password_check(MonoTime now, LoopWork& work) noexcept;
  // Its Logon waits for the event loop, and is tried again then.
  void defer_logon(MonoTime now, MonoTime until, LoopWork& work) noexcept;
  void defer_logon_again(MonoTime until) noexcept;
  void begin_migration(Migration migration) noexcept;
  [[nodiscard]] Migration consume_migration() noexcept { return *std::exchange(migration_, {}); }
  // Nothing more is received, and what waits for its socket is the last that is sent. Has no effect
  // on a connection that is draining.
  void begin_draining() noexcept {
    if (!is_draining()) become(LinkState::Draining);
  }
  // Its socket is closed, or belongs to another loop. Returns its session, or null.
  SessionEntry* end() noexcept;

  // Reading is paused by the throttle, by a late loop, or while a password is checked.
  [[nodiscard]] bool is_paused() const noexcept { return paused_until_ != kNever; }
  // kNever: it is not paused.
  [[nodiscard]] MonoTime paused_until() const noexcept { return paused_until_; }
  // By the throttle.
  void pause(MonoTime until, LoopWork& work) noexcept {
    paused_until_ = until;
    work.set(Work::Links);
  }
  // A Logon that waits is no longer deferred.
  void end_pause() noexcept;
  // The connection ends: the throttle pauses it no more.
  void end_throttle() noexcept { throttle_has_ended_ = true; }
  [[nodiscard]] bool has_throttle_ended() const noexcept { return throttle_has_ended_; }
  // Its Logon has waited, and messages after it with it, until end_wait().
  [[nodiscard]] bool has_waited() const noexcept { return has_waited_; }
  [[nodiscard]] std::chrono::nanoseconds waited(MonoTime now) const noexcept {
    return now - waits_since_;
  }
  void end_wait() noexcept { has_waited_ = false; }

  // The socket did not take all bytes; Writable follows.
  [[nodiscard]] bool is_blocked() const noexcept { return is_blocked_; }
  void set_blocked(bool is_blocked) noexcept { is_blocked_ = is_blocked; }
  // Blocked: it is closed then, unless the socket takes bytes.
  [[nodiscard]] MonoTime takes_by() const noexcept { return takes_by_; }
  void set_takes_by(MonoTime time) noexcept { takes_by_ = time; }
  // The socket has taken this number of bytes.
  void on_taken(std::size_t bytes) noexcept {
    takes_by_ = kNever;
    outbound_.take(bytes);
  }
  // It is in the list of connections with bytes to send.
  [[nodiscard]] bool is_unsent() const noexcept { return is_unsent_; }
  void set_unsent(bool is_unsent) noexcept { is_unsent_ = is_unsent; }
  // The running event has queued bytes for it.
  [[nodiscard]] bool is_in_event() const noexcept { return before_in_event_ != nullptr; }
  // before: the connection that got bytes before it; null: it is the first one.
  void enter_event(Connection* before) noexcept {
    before_in_event_ = before != nullptr ? before : this;
  }
  // Returns that one.
  Connection* leave_event() noexcept {
    Connection* const before = std::exchange(before_in_event_, nullptr);
    return before != this ? before : nullptr;
  }
  // Outbound bytes may be sent when the log is durable up to here.
  [[nodiscard]] store::LogPosition waits_for() const noexcept { return waits_for_; }
  void wait_for(store::LogPosition position) noexcept { waits_for_ = position; }

  // For the Logon, or for the last bytes.
  [[nodiscard]] MonoTime deadline() const noexcept { return deadline_; }
  void set_deadline(MonoTime deadline) noexcept { deadline_ = deadline; }
  [[nodiscard]] MonoTime next_deadline() const noexcept {
    return std::min({deadline_, takes_by_, paused_until_});
  }

  // When its last bytes came, by the operating system; WallTime::min(): it is not known.
  [[nodiscard]] WallTime received_at() const noexcept { return received_at_; }
  void set_received_at(WallTime time) noexcept { received_at_ = time; }
  // A receive has not the time that its session wants. True: once, after the first receives, whose
  // bytes the kernel has got before it was asked.
  [[nodiscard]] bool lacks_stamps() noexcept {
    constexpr std::uint8_t kUnstamped = 8;
    if (unstamped_ > kUnstamped) return false;
    return ++unstamped_ > kUnstamped;
  }

  // Views into its buffers are in use.
  [[nodiscard]] bool is_receiving() const noexcept { return is_receiving_; }
  [[nodiscard]] bool has_logged_on() const noexcept { return has_logged_on_; }
  void on_logged_on() noexcept { has_logged_on_ = true; }

  [[nodiscard]] const AcceptedFrom& accepted() const noexcept { return accepted_; }
  // It counts for this address from here on.
  void set_source(transport::Source source) noexcept { accepted_.source = source; }
  // It waits for its Logon among these, which outlive it.
  void join_pending(PendingLogons& pending);
  void leave_pending() noexcept;

  // It is to be closed for this event, with the close reason as its text.
  void end_with(EventId id) noexcept { end_ = id; }
  [[nodiscard]] EventId end_event() const noexcept { return end_; }
  [[nodiscard]] bool has_ended() const noexcept { return end_ != EventId{}; }
  // For on_disconnect() of a connection that is draining.
  [[nodiscard]] const std::string& close_reason() const noexcept { return close_reason_; }
  void set_close_reason(std::string_view why) { close_reason_ = why; }

  [[nodiscard]] TimedAnswer& timed_answer() noexcept { return timed_answer_; }
  [[nodiscard]] Backlog& backlog() noexcept { return backlog_; }
  [[nodiscard]] OutboundQueue& outbound() noexcept { return outbound_; }
  [[nodiscard]] const OutboundQueue& outbound() const noexcept { return outbound_; }
  [[nodiscard]] Framing& framing() noexcept { return framing_; }
  [[nodiscard]] const Framing& framing() const noexcept { return framing_; }
  [[nodiscard]] ConnectionRates& rates() noexcept { return rates_; }
  [[nodiscard]] LogonCredentials& credentials() noexcept { return credentials_; }
  [[nodiscard]] const LogonCredentials& credentials() const noexcept { return credentials_; }

 private:
  friend class Receiving;

  void begin_wait(MonoTime now) noexcept;
  void become(LinkState next) noexcept {
    NEXUSFIX_DEBUG_ASSERT(can_become(state_, next));
    state_ = next;
  }

  transport::SocketId socket_ = 0;
  SessionEntry* entry_ = nullptr;
  LinkState state_ = LinkState::AwaitingLogon;
  bool is_blocked_ = false;
  bool is_unsent_ = false;
  bool is_receiving_ = false;
  bool has_logged_on_ = false;
  bool throttle_has_ended_ = false;
  bool has_waited_ = false;
  std::uint8_t unstamped_ = 0;
  Connection* before_in_event_ = nullptr;  // itself: it is the first one; null: it is not in one
  MonoTime deadline_ = kNever;
  MonoTime takes_by_ = kNever;
  store::LogPosition waits_for_ = 0;
  Backlog backlog_;
  OutboundQueue outbound_;
  TimedAnswer timed_answer_;
  Framing framing_;
  WallTime received_at_ = WallTime::min();
  MonoTime paused_until_ = kNever;
  MonoTime waits_since_ = kNever;  // its Logon, if has_waited_
  ConnectionRates rates_;
  AcceptedFrom accepted_;
  LogonCredentials credentials_;
  std::optional<Migration> migration_;
  std::string close_reason_;
  EventId end_{};
};

// While bytes of the connection are parsed: views into its buffers are in use.
class Receiving {
 public:
  explicit Receiving(Connection& connection) noexcept : connection_{connection} {
    NEXUSFIX_DEBUG_ASSERT(!connection.is_receiving_);
    connection.is_receiving_ = true;
  }
  ~Receiving() { connection_.is_receiving_ = false; }
  Receiving(const Receiving&) = delete;
  Receiving& operator=(const Receiving&) = delete;

 private:
  Connection& connection_;
};

}  // namespace nexusfix::engine
