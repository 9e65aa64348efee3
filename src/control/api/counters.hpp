// The figures of sessions and of event loops. A loop writes them; every thread reads them.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/deferred/spsc_queue.hpp>
#include <nexusfix/statistics.hpp>

#include "observe/api/figures.hpp"

namespace nexusfix::engine {

using observe::Counter;
using observe::Figure;
using observe::MadeOnce;
using observe::TimeFigure;
using observe::WhyText;

// Counts durations in buckets of logarithmic width, in fixed memory.

// The durations below 2^kLinearBits ns have equal buckets. From there on, each power of two has
// 2^SubBits buckets, up to 2^kDurationBits ns. HdrHistogram has the same ones, but a second thread
// cannot read its counts without a lock or a copy. It also computes the extremes at each record.
// A count that has reached the highest value of its type stays there.
template <unsigned SubBits, class Count>
class LatencyCounters {
 public:
  static constexpr unsigned kLinearBits = 6;
  static constexpr unsigned kDurationBits = 36;
  static constexpr unsigned kUnitBits = kLinearBits - SubBits;  // the first buckets' width
  static constexpr std::size_t kSubBuckets = std::size_t{1} << SubBits;
  static constexpr std::size_t kBuckets = (kDurationBits - kLinearBits + 1) * kSubBuckets;

  // The bucket of a duration of at least 0. Those that are too long are in the last one.
  [[nodiscard]] static constexpr std::size_t index_of(std::int64_t duration_ns) noexcept {
    const auto units = static_cast<std::uint64_t>(duration_ns) >> kUnitBits;
    if (units < kSubBuckets) return units;
    const auto exponent = static_cast<unsigned>(std::bit_width(units)) - 1 - SubBits;
    if (exponent >= kDurationBits - kLinearBits) return kBuckets - 1;
    return (std::size_t{exponent} << SubBits) + (units >> exponent);
  }
  // The lowest duration of a bucket, in nanoseconds.
  [[nodiscard]] static constexpr std::int64_t begin_of(std::size_t index) noexcept {
    if (index < 2 * kSubBuckets) return static_cast<std::int64_t>(index << kUnitBits);
    const std::size_t exponent = index / kSubBuckets - 1;
    const std::size_t sub = index % kSubBuckets + kSubBuckets;
    return static_cast<std::int64_t>(sub << (exponent + kUnitBits));
  }

  // The writer's thread.
  void record(std::chrono::nanoseconds duration) noexcept {
    Figure<Count>& figure = counts_[index_of(duration.count())];
    const Count count = figure.read();
    if (count != std::numeric_limits<Count>::max()) figure.set(static_cast<Count>(count + 1));
  }
  // Any thread.
  [[nodiscard]] LatencyHistogram read() const {
    std::vector<LatencyHistogram::Bucket> buckets;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      const std::uint64_t count = counts_[i].read();
      if (count == 0) continue;
      const bool is_last = i + 1 == kBuckets;
      buckets.push_back({.from = std::chrono::nanoseconds{begin_of(i)},
                         .to = is_last ? std::chrono::nanoseconds::max()
                                       : std::chrono::nanoseconds{begin_of(i + 1)},
                         .count = count});
    }
    return LatencyHistogram{std::move(buckets)};
  }

 private:
  std::array<Figure<Count>, kBuckets> counts_;
};

// Each session has its own, so it takes a quarter of the memory. One message of seventeen is timed:
// a count has room for 73 billion messages.
using LoopLatency = LatencyCounters<4, std::uint64_t>;
using SessionLatency = LatencyCounters<3, std::uint32_t>;

// Counts a session's messages by MsgType, and rejected ones by reason.

// A MsgType as a number, for comparisons. 0: it is longer than 8 characters.
using PackedMsgType = std::uint64_t;

[[nodiscard]] constexpr PackedMsgType pack(std::string_view msg_type) noexcept {
  if (msg_type.size() == 1) [[likely]]
    return static_cast<unsigned char>(msg_type[0]);
  PackedMsgType packed = 0;
  if (msg_type.size() > sizeof packed) return 0;
  for (std::size_t i = msg_type.size(); i-- > 0;) {
    packed = packed << 8U | static_cast<unsigned char>(msg_type[i]);
  }
  return packed;
}
[[nodiscard]] std::string unpack(PackedMsgType msg_type);

// The types in the order of their first message, which most sessions have fewer than ten of. A
// message has mostly the type of the one before it, so that slot is looked at first.
class MessageTypeCounters {
 public:
  MessageTypeCounters() = default;
  MessageTypeCounters(const MessageTypeCounters&) = delete;
  MessageTypeCounters& operator=(const MessageTypeCounters&) = delete;

  // The loop's thread.
  void count(PackedMsgType msg_type) noexcept {
    if (last_->msg_type.read() != msg_type) [[unlikely]]
      last_ = &slot_of(msg_type);
    ++last_->count;
  }
  // Any thread: in the order of their MsgType, "other" last.
  [[nodiscard]] std::vector<SessionStatistics::MessageCount> read() const;
  [[nodiscard]] std::uint64_t all() const noexcept;
  [[nodiscard]] std::uint64_t of(PackedMsgType msg_type) const noexcept;

 private:
  static constexpr std::size_t kOther = 0;  // the slot of all other types; its msg_type is 0
  static constexpr std::size_t kSlots = 1 + 16;

  struct Slot {
    Figure<PackedMsgType> msg_type{};  // 0: it is free
    Counter count;
  };

  [[nodiscard]] Slot& slot_of(PackedMsgType msg_type) noexcept;

  std::array<Slot, kSlots> slots_;
  Slot* last_ = &slots_[kOther];  // the loop's thread
};

enum class RejectKind : std::uint8_t { Session, Business };

// SessionRejectReason (373) is 0 to 18 and 99, BusinessRejectReason (380) 0 to 8 and 18.
class RejectCounters {
 public:
  // The loop's thread. nullopt: the message has no reason.
  void count(RejectKind kind, std::optional<std::uint32_t> reason) noexcept;
  // Any thread.
  [[nodiscard]] std::vector<SessionStatistics::RejectCount> read() const;

 private:
  static constexpr std::size_t kReasons = 19;  // 0 to 18
  static constexpr std::uint32_t kOtherReason = 99;
  static constexpr std::size_t kOther = kReasons;
  static constexpr std::size_t kUndefined = kReasons + 1;

  using Reasons = std::array<Counter, kReasons + 2>;
  std::array<Reasons, 2> kinds_;
};

// What only a session needs that has had a connection.
struct SessionDetails {
  MessageTypeCounters types_in;
  MessageTypeCounters types_out;
  MadeOnce<RejectCounters> rejects_in;       // made with the first Reject
  MadeOnce<RejectCounters> rejects_out;      // made with the first Reject
  MadeOnce<SessionLatency> receive_to_sent;  // made when the first timed answer has been sent
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
  Figure<std::uint64_t> queued_messages;  // for OutboundMessages
  TimeFigure queued_since;                // of the oldest one
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
  // Without what needs memory for each MsgType or duration: by_type, rejects, latencies.
  [[nodiscard]] SessionStatistics read_totals() const;
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

// The figures of one event loop. The loop writes them; every thread reads them.

// Apart from the loop's other data, so that a reader on another core takes no cache line that the
// loop needs for anything else. The members that a turn uses come first.
struct alignas(deferred::kApartBytes) LoopCounters {
  Counter turns;
  Counter messages_in;
  Counter messages_out;
  Counter bytes_in;
  Counter bytes_out;
  struct {
    Figure<std::uint64_t> appended{};  // positions of the log
    Figure<std::uint64_t> durable{};
    Figure<std::uint64_t> synced{};
    TimeFigure unsynced_since;
    Figure<StoreStatistics::Health> health{};
  } store;

  Counter garbled;
  Counter connections_refused;
  Counter out_of_order_discarded;
  Counter late_turns;
  Counter posted_tasks;
  struct {
    Figure<std::uint64_t> count{};
    TimeFigure since;
  } waiting_tasks;
  // Monotonic; 0: there was no turn. A loop that receives directly sets it in some turns only.
  Figure<std::int64_t> turned_at_ns{};
  Figure<std::uint64_t> connections{};
  Figure<bool> is_running{};

  LoopLatency wire_to_callback;
  LoopLatency receive_to_callback;
  LoopLatency callback_to_sent;
  LoopLatency receive_to_sent;
  LoopLatency test_request_round_trip;

  void on_tasks_left(std::size_t count, WallTime now) noexcept {
    waiting_tasks.count.set(count);
    if (count == 0) return waiting_tasks.since.clear();
    if (!waiting_tasks.since.is_set()) waiting_tasks.since.set(now);
  }
  // Any thread. now: the present time.
  [[nodiscard]] LoopStatistics read(std::uint32_t index, const Now& now) const;
};

}  // namespace nexusfix::engine
