// Work that is passed to another thread, compared with the same work done by the caller. The rows
// need two cores; with one, they measure the scheduler.
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>

#include <nexusfix/deferred.hpp>
#include <nexusfix/deferred/logger.hpp>
#include <nexusfix/observe/logs.hpp>
#include <nexusfix/wire/convert.hpp>

#include "bench/compare/mutex_queue.hpp"
#include "bench/measure/background.hpp"
#include "bench/messages/messages.hpp"
#include "bench/row.hpp"
#include "bench/store/bench_folder.hpp"
#include "observe/api/logs.hpp"
#include "observe/api/session_logs.hpp"

namespace nexusfix::bench {
namespace {

constexpr std::size_t kRingSlots = 1024;  // of 256 bytes, so that they stay in a core's own cache
constexpr std::size_t kSlotBytes = 256;

// Rings between two busy cores: 2 to 4 MiB, larger than a second-level cache.
constexpr std::size_t kLongRingSlots = 16'384;    // of 256 bytes
constexpr std::size_t kMessageRingSlots = 4'096;  // of a message buffer

struct Slot {
  std::array<char, kSlotBytes> bytes{};
};

// A summary of the consumed records, which shows a lost, repeated or changed record.
struct Tally {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  // sum of their values

  void add(std::string_view record) {
    ++records;
    for (const char c : record) bytes += static_cast<unsigned char>(c);
  }
  friend bool operator==(const Tally&, const Tally&) = default;
};

std::string_view text_of(const Slot& slot) { return {slot.bytes.data(), slot.bytes.size()}; }

std::vector<Slot> make_slots() {
  std::vector<Slot> slots;
  for (const std::string& text : execution_reports().texts) {
    Slot slot;
    std::copy_n(text.begin(), std::min(text.size(), kSlotBytes), slot.bytes.begin());
    slots.push_back(slot);
  }
  return slots;
}

// A common interface of the two queues.
template <std::size_t Slots>
struct OurQueue {
  std::unique_ptr<deferred::SpscQueue<Slot, Slots>> queue =
      std::make_unique<deferred::SpscQueue<Slot, Slots>>();

  bool push(const Slot& slot) { return queue->push(slot); }
  template <class Use>
  void drain(Use use) {
    while (true) {
      const std::span<Slot> slots = queue->readable(256);
      if (slots.empty()) return;
      for (const Slot& slot : slots) use(slot);
      queue->release(slots.size());
    }
  }
};

struct ReferenceQueue {
  std::unique_ptr<MutexQueue<Slot>> queue = std::make_unique<MutexQueue<Slot>>();
  std::deque<Slot> popped;

  bool push(const Slot& slot) {
    queue->push(slot);
    return true;
  }
  template <class Use>
  void drain(Use use) {
    queue->pop_all(popped);
    for (const Slot& slot : popped) use(slot);
  }
};

// The producer alone: the same thread empties the queue between the measured calls.
template <class Queue>
struct PushAlone {
  std::vector<Slot> slots = make_slots();
  Queue queue{};

  std::uint64_t operator()(std::size_t input) { return queue.push(slots[input]) ? 1 : 0; }
  void prepare() { settle(); }
  void settle() {
    queue.drain([](const Slot& slot) { keep(static_cast<unsigned char>(slot.bytes[0])); });
  }
  CallLimits limits() const { return {.least = kRingSlots, .most = kRingSlots}; }
};

template <class Queue>
std::string check_push_alone(PushAlone<Queue>& push) {
  Tally sent;
  Tally received;
  for (std::size_t i = 0; i < push.slots.size(); ++i) {
    if (push(i) != 1) return "full too early";
    sent.add(text_of(push.slots[i]));
  }
  push.queue.drain([&](const Slot& slot) { received.add(text_of(slot)); });
  return sent == received ? "" : "the received records differ from the sent ones";
}

// A consumer on another core takes the producer's records. There are enough records that a slower
// consumer stops the producer.
template <class Queue>
struct PushSustained {
  struct Shared {
    Queue queue{};
    Tally received;  // only the consumer uses it while it runs
    bool tallying = false;
  };
  struct Round {
    Shared* shared;
    void operator()() const {
      shared->queue.drain([&](const Slot& slot) {
        if (shared->tallying) shared->received.add(text_of(slot));
        keep(static_cast<unsigned char>(slot.bytes[0]));
      });
      for (int i = 0; i < kPauses; ++i) pause();
    }
    // The queue is empty. The consumer pauses: each look at an empty queue takes the index's cache
    // line away from the producer.
    static constexpr int kPauses = 512;
    static void pause() {
#if defined(__x86_64__)
      _mm_pause();
#endif
    }
  };

  std::vector<Slot> slots = make_slots();
  std::unique_ptr<Shared> shared = std::make_unique<Shared>();
  std::unique_ptr<BackgroundLoop<Round>> consumer =
      std::make_unique<BackgroundLoop<Round>>(Round{shared.get()});

  std::uint64_t operator()(std::size_t input) {
    while (!shared->queue.push(slots[input])) {
    }
    return 1;
  }
  void prepare() { consumer->resume(); }
  void settle() { consumer->pause(); }
  CallLimits limits() const { return {.least = 4 * kLongRingSlots}; }
};

template <class Queue>
std::string check_push_sustained(PushSustained<Queue>& push) {
  constexpr std::size_t kTimes = 10'000;
  Tally sent;
  push.shared->tallying = true;
  push.prepare();
  for (std::size_t i = 0; i < kTimes; ++i) {
    const std::size_t input = i % push.slots.size();
    (void)push(input);
    sent.add(text_of(push.slots[input]));
  }
  push.settle();
  push.shared->tallying = false;
  return push.shared->received == sent ? "" : "the received records differ from the sent ones";
}

// The deferred work: a readable line of an audit log.
class AuditLine {
 public:
  void format(std::string_view message, WallTime time) {
    char* at = line_.data();
    at += wire::from_utc_timestamp(time, wire::TimePrecision::Micros, at);
    *at++ = ' ';
    for (const char c : message) *at++ = c == wire::kSoh ? '|' : c;
    *at++ = '\n';
    size_ = static_cast<std::size_t>(at - line_.data());
  }
  [[nodiscard]] std::string_view text() const { return {line_.data(), size_}; }

 private:
  std::array<char, 1024> line_{};
  std::size_t size_ = 0;
};

constexpr WallTime kTime{std::chrono::nanoseconds{1'705'314'600'123'456'000}};

struct Inline {
  std::vector<std::string> messages = execution_reports().texts;
  AuditLine line{};

  std::uint64_t operator()(std::size_t input) {
    line.format(messages[input], kTime);
    return line.text().size();
  }
};

using Processor = deferred::DeferredProcessor<deferred::MessageBuffer<512>, kMessageRingSlots>;

struct Submit {
  struct Shared {
    AuditLine line;
    Tally received;
    Processor processor{{.when_full = deferred::WhenFull::Refuse, .idle = deferred::Idle::Spin}};
  };

  std::vector<std::string> messages = execution_reports().texts;
  std::unique_ptr<Shared> shared = std::make_unique<Shared>();

  std::uint64_t operator()(std::size_t input) {
    return shared->processor.submit(messages[input], kTime) ? 1 : 0;
  }
  // The thread runs only during this subject's turn, because it spins, and the peer has a thread,
  // too. One message is sent first, so that the thread runs when the burst begins.
  void prepare() {
    start();
    (void)(*this)(0);
    while (shared->processor.stats().processed != shared->processor.stats().accepted) {
    }
  }
  // This thread returns to its own core before it waits for the other one.
  void start() {
    const StartElsewhere elsewhere;
    (void)shared->processor.start([s = shared.get()](const auto& message) {
      s->line.format(message.bytes(), message.time());
      s->received.records += 1;
      s->received.bytes += s->line.text().size();
    });
  }
  void settle() { shared->processor.stop(); }
  CallLimits limits() const { return {.least = kRingSlots, .most = kRingSlots}; }
};

std::string check_submit(Submit& submit) {
  submit.prepare();
  AuditLine line;
  line.format(submit.messages[0], kTime);
  Tally expected{.records = 1, .bytes = line.text().size()};
  for (std::size_t i = 0; i < submit.messages.size(); ++i) {
    if (submit(i) != 1) return "refused";
    line.format(submit.messages[i], kTime);
    expected.records += 1;
    expected.bytes += line.text().size();
  }
  submit.settle();
  return submit.shared->received == expected
             ? ""
             : "the handled messages differ from the submitted ones";
}

// The peer of submit: the same line, formatted by a thread with a mutex.
struct SubmitReference {
  struct Shared {
    MutexQueue<std::string> queue;
    std::deque<std::string> popped;
    AuditLine line;
    Tally received;
  };
  struct Round {
    Shared* shared;
    void operator()() const {
      shared->queue.pop_all(shared->popped);
      for (const std::string& message : shared->popped) {
        shared->line.format(message, kTime);
        shared->received.records += 1;
        shared->received.bytes += shared->line.text().size();
      }
    }
  };

  std::vector<std::string> messages = execution_reports().texts;
  std::unique_ptr<Shared> shared = std::make_unique<Shared>();
  std::unique_ptr<BackgroundLoop<Round>> consumer =
      std::make_unique<BackgroundLoop<Round>>(Round{shared.get()});

  std::uint64_t operator()(std::size_t input) {
    shared->queue.push(messages[input]);
    return 1;
  }
  void prepare() { consumer->resume(); }
  void settle() { consumer->pause(); }
  CallLimits limits() const { return {.least = kRingSlots, .most = kRingSlots}; }
};

std::string check_submit_reference(SubmitReference& submit) {
  submit.prepare();
  for (std::size_t i = 0; i < submit.messages.size(); ++i) (void)submit(i);
  submit.settle();
  return submit.shared->received.records == submit.messages.size() ? "" : "messages were lost";
}

// A line with an integer, a decimal and a floating-point number.
struct LogCall {
  struct Shared {
    std::uint64_t line_bytes = 0;
    std::string first_line;
    deferred::Logger logger{{.idle = deferred::Idle::Spin}};
  };

  std::vector<Order> orders = bench::orders().values;
  std::unique_ptr<Shared> shared = std::make_unique<Shared>();

  std::uint64_t operator()(std::size_t input) {
    const Order& order = orders[input];
    return shared->logger.write<"order {} filled at {}, {:.1f} us">(
               kTime, order.msg_seq_num, Decimal{order.price_cents, 2}, 1.25)
               ? 1
               : 0;
  }
  // As in Submit.
  void prepare() {
    const std::uint64_t before = shared->logger.stats().written;
    start();
    (void)(*this)(0);
    while (shared->logger.stats().written == before) {
    }
  }
  void start() {
    const StartElsewhere elsewhere;
    (void)shared->logger.start([s = shared.get()](std::string_view lines) {
      if (s->first_line.empty()) s->first_line = lines.substr(0, lines.find('\n'));
      s->line_bytes += lines.size();
    });
  }
  void settle() { shared->logger.stop(); }
  CallLimits limits() const { return {.least = kRingSlots, .most = kRingSlots}; }
};

std::string log_text(const Order& order) {
  return fmt::format("order {} filled at {}, {:.1f} us", order.msg_seq_num,
                     cents_text(order.price_cents), 1.25);
}

std::string check_log_call(LogCall& call) {
  call.prepare();
  for (std::size_t i = 0; i < call.orders.size(); ++i) {
    if (call(i) != 1) return "a record was lost";
  }
  call.settle();
  return call.shared->first_line.ends_with(log_text(call.orders[0]))
             ? ""
             : "the first line is: " + call.shared->first_line;
}

// That line, formatted by the caller.
struct LogInline {
  std::vector<Order> orders = bench::orders().values;
  std::array<char, 128> line{};

  std::uint64_t operator()(std::size_t input) {
    const Order& o = orders[input];
    const auto end =
        fmt::format_to_n(line.data(), line.size(), "{} order {} filled at {}, {:.1f} us\n",
                         kTime.time_since_epoch().count(), o.msg_seq_num,
                         static_cast<double>(o.price_cents) / 100, 1.25);
    return end.size;
  }
};

// Logs a sent message to a session's message log. All of it is written between the bursts.
struct LogMessage {
  struct Shared {
    BenchFolder folder;
    PosixDisk disk;
    std::unique_ptr<observe::SessionLogs> logs;
  };

  std::vector<std::string> messages = execution_reports().texts;
  std::unique_ptr<Shared> shared = std::make_unique<Shared>();

  std::uint64_t operator()(std::size_t input) {
    shared->logs->sent(0, messages[input], kTime);
    return 1;
  }
  void prepare() {
    const StartElsewhere elsewhere;
    constexpr std::size_t kQueueBytes = 1U << 20U;
    observe::LogFileOptions files{.folder = shared->folder.file("log")};
    files.bytes_max = 16U << 20U;
    files.backups_max = 0;
    files.free_bytes_min = 0;
    auto opened = observe::SessionLogs::open(shared->disk, {.queue_bytes = kQueueBytes},
                                             {{.prefix = "BENCH", .files = files}}, kTime);
    if (!opened) throw std::runtime_error{opened.error()};
    shared->logs = std::move(*opened);
  }
  void settle() { shared->logs.reset(); }
  CallLimits limits() const { return {.least = kRingSlots, .most = kRingSlots}; }
};

std::string check_log_message(LogMessage& log) {
  log.prepare();
  for (std::size_t i = 0; i < log.messages.size(); ++i) (void)log(i);
  log.settle();
  std::ifstream file{log.shared->folder.file("log/BENCH.messages.current.log"), std::ios::binary};
  std::string line;
  for (const std::string& message : log.messages) {
    if (!std::getline(file, line) || !line.ends_with(" OUT : " + message)) {
      return "a line is: " + line;
    }
  }
  return {};
}

Plan plan_log_message(Subjects subjects) {
  Plan plan;
  plan.bytes = execution_reports().mean_bytes;
  plan.contestants.emplace_back(
      subjects.front()->name(),
      make_prepared_contestant(LogMessage{}, kRotation, check_log_message));
  add_contestants(plan, subjects,
                  [&](Subject& subject) { return subject.log(execution_reports()); });
  return plan;
}

template <class Ours, class CheckOurs, class Reference, class CheckReference>
Row two_subjects_row(RowSpec spec, CheckOurs check_ours, CheckReference check_reference) {
  return {std::move(spec), [=](Subjects subjects) {
            Plan plan;
            plan.contestants.emplace_back(subjects.front()->name(),
                                          make_prepared_contestant(Ours{}, kRotation, check_ours));
            plan.contestants.emplace_back(
                "reference", make_prepared_contestant(Reference{}, kRotation, check_reference));
            return plan;
          }};
}

Plan plan_inline(Subjects subjects) {
  Plan plan;
  Inline operation;
  plan.bytes = execution_reports().mean_bytes;
  plan.contestants.emplace_back(
      subjects.front()->name(),
      make_checked_contestant(std::move(operation), kRotation, [](Inline& format) {
        constexpr std::size_t kTimeAndEnd = 24 + 1 + 1;
        return format(0) == format.messages[0].size() + kTimeAndEnd ? "" : "another line";
      }));
  return plan;
}

Plan plan_log(Subjects subjects) {
  Plan plan;
  plan.contestants.emplace_back(subjects.front()->name(),
                                make_prepared_contestant(LogCall{}, kRotation, check_log_call));
  plan.contestants.emplace_back(
      "reference", make_checked_contestant(LogInline{}, kRotation, [](LogInline& log) {
        return log(0) > log_text(log.orders[0]).size() ? "" : "another line";
      }));
  return plan;
}

}  // namespace

void add_deferred_rows(std::vector<Row>& rows) {
  rows.push_back(two_subjects_row<Submit, decltype(&check_submit), SubmitReference,
                                  decltype(&check_submit_reference)>(
      {.name = "deferred/submit",
       .purpose = "an ExecutionReport to a background thread, which makes a line of it",
       .published = 12.3,
       .budget = 10},
      check_submit, check_submit_reference));
  rows.push_back({{.name = "deferred/inline",
                   .purpose = "the same line, made by the caller",
                   .published = 75.6,
                   .budget = {}},
                  plan_inline});
  rows.push_back(
      two_subjects_row<PushAlone<OurQueue<kRingSlots>>,
                       decltype(&check_push_alone<OurQueue<kRingSlots>>), PushAlone<ReferenceQueue>,
                       decltype(&check_push_alone<ReferenceQueue>)>(
          {.name = "spsc/push",
           .purpose = "256 bytes into a queue, the producer alone",
           .published = 10.7,
           .budget = 5},
          check_push_alone<OurQueue<kRingSlots>>, check_push_alone<ReferenceQueue>));
  rows.push_back(two_subjects_row<PushSustained<OurQueue<kLongRingSlots>>,
                                  decltype(&check_push_sustained<OurQueue<kLongRingSlots>>),
                                  PushSustained<ReferenceQueue>,
                                  decltype(&check_push_sustained<ReferenceQueue>)>(
      {.name = "spsc/sustained",
       .purpose = "256 bytes through a queue to another core, as fast as it takes them",
       .published = {},
       .budget = 8},
      check_push_sustained<OurQueue<kLongRingSlots>>, check_push_sustained<ReferenceQueue>));
  rows.push_back({{.name = "log/call",
                   .purpose = "a line with three arguments, handed to the background",
                   .published = {},
                   .budget = 8},
                  plan_log});
  rows.push_back(
      {{.name = "log/message",
        .purpose = "an ExecutionReport into a session's message log, on the loop's thread",
        .published = {},
        .budget = 40},
       plan_log_message});
}

}  // namespace nexusfix::bench
