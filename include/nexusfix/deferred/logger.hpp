// A log whose hot path stores raw arguments. A background thread makes the text.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/deferred/consumer_thread.hpp>
#include <nexusfix/deferred/log_format.hpp>
#include <nexusfix/deferred/record_queue.hpp>

namespace nexusfix::deferred {

// The options of a Logger.
struct LoggerOptions {
  // The size of the ring: a power of two, at least 64. A record takes 24 bytes, and 8 for each
  // number in it.
  std::size_t capacity_bytes = std::size_t{1} << 20U;
  Idle idle = Idle::Sleep;  // what the background thread does without work
};

// Counted since construction.
struct LoggerStats {
  std::uint64_t written = 0;  // records that became a line
  std::uint64_t lost = 0;     // records that found no room, or no running logger
  // The number of times that the sink threw, whose lines are lost, and of records that became no
  // line for lack of memory.
  std::uint64_t failed = 0;
};

// A log for one producer thread. A record is one line: the time, a blank, the text. Arguments are
// integers, float, double, bool, char, enumerations (as their numbers), Decimal, text (copied), and
// pointers (in hexadecimal). Bytes of a text that could forge a line or control a terminal are
// shown in hexadecimal, such as `\x0a`, and a backslash as two. A record that finds the ring full
// is lost and counted; the log has a line where the records would have been: "3 records lost".
//
// Threads: one producer writes. Any thread may call start, stop and stats at any time. The sink
// runs on the background thread, must not write to its own logger, and may call stop. The
// constructor, start and the background thread allocate. Only the constructor and start throw
// (std::bad_alloc).
//
//   Logger logger{{.idle = Idle::Sleep}};
//   auto started = logger.start([&](std::string_view lines) { file.append(lines); });
//   logger.write<"order {} filled at {}, {:.1f} us">(now, order_id, price, latency_us);
//   logger.stop();  // drains
class Logger {
 public:
  // Allocates the ring. Records are accepted after start().
  explicit Logger(const LoggerOptions& options = {});
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;
  // As stop().
  ~Logger();

  // sink(std::string_view lines) gets one or more whole lines, each with a line feed at its end;
  // the view is valid during the call. The sink is kept until the next start() or the destructor.
  template <class Sink>
  std::expected<void, StartError> start(Sink&& sink) {
    static_assert(std::is_invocable_v<std::decay_t<Sink>&, std::string_view>);
    using Kept = SinkOf<std::decay_t<Sink>>;
    return start_with(std::make_unique<Kept>(*this, std::forward<Sink>(sink)));
  }
  // Passes every record to the sink, then ends the thread. Does nothing if it does not run.
  void stop() noexcept;

  // Writes a record. Format: placeholders are `{}` or `{:spec}`, where spec is as in std::format
  // for that type. The number of arguments and each spec are checked at compile time. now: the time
  // of the line; it may decrease. Wait-free; false if the record is lost, which is counted.
  template <LogFormat Format, class... Arguments>
  bool write(WallTime now, const Arguments&... arguments) noexcept {
    static_assert(detail::check_log_format(Format.view(), detail::kLogArguments<Arguments...>));
    const std::size_t size_bytes = (kPrefixBytes + ... + bytes_of(arguments));
    if (!thread_.begin_submit()) [[unlikely]]
      return lose(now);
    std::byte* at = claim(size_bytes);
    if (at == nullptr) [[unlikely]] {
      thread_.end_submit();
      return lose(now);
    }
    put(at, &detail::kLogCallSite<Format, Arguments...>);
    put(at, now.time_since_epoch().count());
    (put_argument(at, arguments), ...);
    queue_.commit(size_bytes);
    thread_.end_submit();
    return true;
  }

  // The counts of now. Any thread.
  [[nodiscard]] LoggerStats stats() const noexcept;

 private:
  class Lines;

  struct AnySink {
    explicit AnySink(Logger& its_logger) noexcept : logger{its_logger} {}
    AnySink(const AnySink&) = delete;
    AnySink& operator=(const AnySink&) = delete;
    virtual ~AnySink() = default;
    virtual void write(std::string_view lines) = 0;
    Logger& logger;
  };
  template <class Sink>
  struct SinkOf final : AnySink {
    template <class Given>
    SinkOf(Logger& its_logger, Given&& given)
        : AnySink{its_logger}, sink{std::forward<Given>(given)} {}
    void write(std::string_view lines) override { sink(lines); }
    Sink sink;
  };

  // Address of the call site, and the time.
  static constexpr std::size_t kPrefixBytes = 16;
  static constexpr std::size_t kWordBytes = 8;

  [[nodiscard]] static std::string_view text_of(const char* text) noexcept {
    return text == nullptr ? std::string_view{"(null)"} : std::string_view{text};
  }
  [[nodiscard]] static std::string_view text_of(std::string_view text) noexcept { return text; }

  template <class T>
  [[nodiscard]] static std::size_t bytes_of(const T& argument) noexcept {
    constexpr detail::LogArgument kind = detail::log_argument_of<T>();
    if constexpr (kind == detail::LogArgument::Text) {
      return kWordBytes + (text_of(argument).size() + kWordBytes - 1) / kWordBytes * kWordBytes;
    } else {
      return kind == detail::LogArgument::Decimal ? 2 * kWordBytes : kWordBytes;
    }
  }

  template <class T>
  static void put(std::byte*& at, T word) noexcept {
    static_assert(sizeof(T) == kWordBytes && std::is_trivially_copyable_v<T>);
    std::memcpy(at, &word, kWordBytes);
    at += kWordBytes;
  }

  template <class T>
  static void put_argument(std::byte*& at, const T& argument) noexcept {
    using detail::LogArgument;
    constexpr LogArgument kind = detail::log_argument_of<T>();
    if constexpr (kind == LogArgument::Double) {
      put(at, static_cast<double>(argument));
    } else if constexpr (kind == LogArgument::Int) {
      put(at, static_cast<std::int64_t>(argument));
    } else if constexpr (kind == LogArgument::Bool || kind == LogArgument::Char ||
                         kind == LogArgument::Uint) {
      put(at, static_cast<std::uint64_t>(argument));
    } else if constexpr (kind == LogArgument::Decimal) {
      put(at, argument.mantissa());
      put(at, std::uint64_t{argument.scale()});
    } else if constexpr (kind == LogArgument::Text) {
      const std::string_view text = text_of(argument);
      put(at, std::uint64_t{text.size()});
      if (!text.empty()) std::memcpy(at, text.data(), text.size());
      at += (text.size() + kWordBytes - 1) / kWordBytes * kWordBytes;
    } else if constexpr (std::is_pointer_v<T>) {
      put(at, argument);
    }
  }

  // Room for a record, or null. Losses since the last record are reported before it, so that their
  // line is where the lost records would have been.
  [[nodiscard]] std::byte* claim(std::size_t size_bytes) noexcept {
    // Relaxed, as all uses: the producer reads what it wrote, other threads only count.
    if (lost_.load(std::memory_order_relaxed) != lost_reported_.load(std::memory_order_relaxed))
        [[unlikely]] {
      if (!report_lost_before(size_bytes)) return nullptr;
    }
    const std::expected<std::span<std::byte>, RecordError> room = queue_.claim(size_bytes);
    return room ? room->data() : nullptr;
  }
  [[nodiscard]] bool report_lost_before(std::size_t size_bytes) noexcept;
  bool lose(WallTime now) noexcept;
  std::expected<void, StartError> start_with(std::unique_ptr<AnySink> sink);
  // Consumer.
  [[nodiscard]] bool round(AnySink& sink) noexcept;
  void finish(AnySink& sink) noexcept;
  void append(std::span<const std::byte> record) noexcept;
  void hand_over(AnySink& sink) noexcept;

  RecordQueue queue_;
  ConsumerThread thread_;
  // The producer writes them, and the consumer the second one while it stops.
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<std::uint64_t> lost_reported_{0};  // of those, reported in the log
  std::atomic<std::int64_t> lost_at_{0};         // the time of the last one
  // Written by the consumer.
  alignas(kApartBytes) std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::unique_ptr<Lines> lines_;
  std::mutex starting_;  // guards sink_
  std::unique_ptr<AnySink> sink_;
};

}  // namespace nexusfix::deferred
