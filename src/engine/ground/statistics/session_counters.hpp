// The figures of one session. Its loop writes them; every thread reads them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/deferred/spsc_queue.hpp>
#include <nexusfix/engine/running_engine.hpp>

#include "engine/ground/statistics/counter.hpp"
#include "engine/ground/statistics/latency_counters.hpp"
#include "engine/ground/statistics/message_counters.hpp"

namespace nexusfix::engine {

// A pointer that is set once: the loop's thread makes the object, every thread reads it. It lives
// as long as this.
template <class Object>
class MadeOnce {
 public:
  MadeOnce() = default;
  ~MadeOnce() { delete get(); }
  MadeOnce(const MadeOnce&) = delete;
  MadeOnce& operator=(const MadeOnce&) = delete;

  // The loop's thread. Without memory nothing is made.
  void make() noexcept {
    if (get() != nullptr) return;
    try {
      // Release: a reader that has the pointer sees the object. Pairs with the acquire in read().
      object_.store(new Object, std::memory_order_release);
    } catch (const std::bad_alloc&) {  // it is tried again the next time
    }
  }
  // Makes it, and returns it. Null: there was no memory.
  [[nodiscard]] Object* made() noexcept {
    make();
    return get();
  }
  // The loop's thread. Null: it is not made.
  [[nodiscard]] Object* get() const noexcept { return object_.load(std::memory_order_relaxed); }
  // Any thread.
  [[nodiscard]] const Object* read() const noexcept {
    return object_.load(std::memory_order_acquire);
  }

 private:
  std::atomic<Object*> object_{nullptr};
};

// What only a session needs that has had a connection.
struct SessionDetails {
  MessageTypeCounters types_in;
  MessageTypeCounters types_out;
  MadeOnce<RejectCounters> rejects_in;       // made with the first Reject
  MadeOnce<RejectCounters> rejects_out;      // likewise
  MadeOnce<SessionLatency> receive_to_sent;  // made when the first timed answer has been sent
};

// A text that changes seldom: only its readers and a change of it lock.
class WhyText {
 public:
  // The loop's thread. A text of the counterparty may be part of it: bytes that are not ASCII text
  // become ?.
  void set(std::string text) noexcept {
    for (char& byte : text) {
      if (byte < ' ' || byte > '~') byte = '?';
    }
    if (text == text_) return;
    const std::lock_guard lock{mutex_};
    text_.swap(text);
  }
  // Any thread.
  [[nodiscard]] std::string read() const {
    const std::lock_guard lock{mutex_};
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

// State and expectation in one figure, so that a reader sees both of one moment.
struct PublishedState {
  SessionState state = SessionState::Listening;
  bool is_expected = false;

  friend bool operator==(const PublishedState&, const PublishedState&) = default;
};

// A block of its own, which readers hold while they read it, also if the session is removed
// meanwhile. The members that a message uses are in the first cache line.
struct alignas(deferred::kCacheLineBytes) SessionCounters {
  SessionCounters(std::string_view session, std::uint32_t in_loop, bool initiator)
      : name{session}, loop{in_loop}, is_initiator{initiator} {}

  struct Direction {
    Counter bytes;
    TimeFigure last_at;
    Figure<std::uint64_t> next{};  // MsgSeqNum
  };

  Direction in;
  Direction out;

  MadeOnce<SessionDetails> details;  // made with the first connection
  Figure<std::uint64_t> unsent_bytes;
  TimeFigure unsent_since;
  Figure<PublishedState> state;
  Figure<bool> is_gone;         // a reload has removed the session: no reader shows it
  TimeFigure since;             // of the state
  TimeFigure logon_changed_at;  // the last Logon or its end
  MadeOnce<SessionLatency> test_request_round_trip;  // made with the first TestRequest
  // The loop's thread: when our TestRequest was sent; kNever: none waits for its Heartbeat.
  MonoTime test_request_at = kNever;

  WhyText why;  // it is not logged on
  Figure<std::uint64_t> failures_in_a_row;

  Counter logons;
  Counter logon_failures;
  Counter connect_failures;
  Counter disconnects;
  Counter gaps;
  Counter resent;
  Counter garbled;
  Counter out_of_order_discarded;

  std::uint64_t number = 0;  // in SessionFigures; 0: it is not there
  const std::string name;
  const std::uint32_t loop;
  const bool is_initiator;

  // The loop's thread.
  void on_received(PackedMsgType msg_type, std::size_t bytes, WallTime now) noexcept {
    in.bytes += bytes;
    in.last_at.set(now);
    if (SessionDetails* const made = details.get()) [[likely]]
      made->types_in.count(msg_type);
  }
  void on_sent(PackedMsgType msg_type, std::size_t bytes, WallTime now) noexcept {
    out.bytes += bytes;
    out.last_at.set(now);
    if (SessionDetails* const made = details.get()) [[likely]]
      made->types_out.count(msg_type);
  }
  void on_resent(std::size_t bytes, WallTime now) noexcept {
    ++resent;
    out.bytes += bytes;
    out.last_at.set(now);
  }
  void on_unsent(std::size_t bytes, WallTime now) noexcept {
    unsent_bytes.set(bytes);
    if (bytes == 0) return unsent_since.clear();
    if (!unsent_since.is_set()) unsent_since.set(now);
  }
  void set_state(PublishedState next, WallTime now) noexcept {
    if (state.read().state != next.state || !since.is_set()) since.set(now);
    state.set(next);
  }
  // Any thread. The messages of all types, resent ones included.
  [[nodiscard]] std::uint64_t messages_in() const noexcept;
  [[nodiscard]] std::uint64_t messages_out() const noexcept;
  [[nodiscard]] SessionStatistics read() const;
};

// The figures of all sessions of a loop, for readers on other threads. A reader copies the list and
// holds the blocks of it: sessions may be removed meanwhile. The loop locks only to add and to
// remove a session.
class SessionFigures {
 public:
  using List = std::vector<std::shared_ptr<const SessionCounters>>;

  // The loop's thread. A session on trial is not added: otherwise any client could fill monitoring
  // systems with names.
  void add(std::shared_ptr<SessionCounters> counters) {
    const std::lock_guard lock{mutex_};
    counters->number = ++last_number_;
    by_number_.emplace(counters->number, std::move(counters));
  }
  // The loop's thread. A second call does no harm.
  void remove(const SessionCounters& counters) noexcept {
    const std::lock_guard lock{mutex_};
    by_number_.erase(counters.number);
  }
  // Any thread: in the order of their creation.
  [[nodiscard]] List copy() const {
    List list;
    const std::lock_guard lock{mutex_};
    list.reserve(by_number_.size());
    for (const auto& [number, counters] : by_number_) list.push_back(counters);
    return list;
  }

 private:
  mutable std::mutex mutex_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, std::shared_ptr<const SessionCounters>> by_number_;
};

}  // namespace nexusfix::engine
