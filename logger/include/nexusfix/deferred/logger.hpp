// Log lines whose text is made on a background thread.
#pragma once

#include <algorithm>
#include <array>
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

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/decimal.hpp>
#include <nexusfix/deferred.hpp>
#include <nexusfix/deferred/spsc_queue.hpp>

// The format of a log record and the types of its arguments, checked at compile time.

namespace nexusfix::deferred {

namespace detail {

// The text of a format, as a template argument:
//
//   logger.write<"filled {} at {}">(now, quantity, price);
template <std::size_t Size>
struct LogFormat {
  // Copies a string literal. Implicit, so that a literal is a template argument.
  explicit(false) consteval LogFormat(const char (&literal)[Size]) {
    std::copy_n(literal, Size, text);
  }
  // The text without its terminating zero. Valid as long as this object.
  [[nodiscard]] constexpr std::string_view view() const noexcept { return {text, Size - 1}; }

  char text[Size]{};  // the literal with its terminating zero
};

// The layout of an argument in a record: 8 bytes each, except Decimal (16) and Text (8 for the
// size, then the bytes, padded to 8).
enum class LogArgument : std::uint8_t { Bool, Char, Int, Uint, Double, Text, Pointer, Decimal };

// The description of a record, one object for each format and list of argument types. A record
// holds its address, and the hot path writes nothing more of it.
struct LogCallSite {
  std::string_view format;
  const LogArgument* arguments = nullptr;
  std::size_t argument_count = 0;
};

template <class T>
consteval LogArgument log_argument_of() {
  using Plain = std::remove_cvref_t<T>;
  if constexpr (std::is_enum_v<Plain>) {
    return log_argument_of<std::underlying_type_t<Plain>>();
  } else if constexpr (std::same_as<Plain, bool>) {
    return LogArgument::Bool;
  } else if constexpr (std::same_as<Plain, char>) {
    return LogArgument::Char;
  } else if constexpr (std::signed_integral<Plain>) {
    return LogArgument::Int;
  } else if constexpr (std::unsigned_integral<Plain>) {
    return LogArgument::Uint;
  } else if constexpr (std::same_as<Plain, float> || std::same_as<Plain, double>) {
    return LogArgument::Double;
  } else if constexpr (std::same_as<Plain, Decimal>) {
    return LogArgument::Decimal;
  } else if constexpr (std::convertible_to<const Plain&, std::string_view>) {
    return LogArgument::Text;
  } else {
    static_assert(
        std::is_pointer_v<Plain> && sizeof(Plain) <= sizeof(std::uint64_t),
        "no log argument: integer, float, double, bool, char, enumeration, Decimal, text, "
        "pointer");
    return LogArgument::Pointer;
  }
}

// Not constexpr: a call during the check of a format is the compiler's error message.
inline void log_format_has_a_brace_that_does_not_end() {}
inline void log_format_has_a_closing_brace_alone() {}
inline void log_format_has_more_placeholders_than_arguments() {}
inline void log_format_has_fewer_placeholders_than_arguments() {}
inline void log_format_placeholder_is_empty_or_begins_with_a_colon() {}
inline void log_format_specification_does_not_suit_its_argument() {}
inline void log_format_has_a_control_byte() {}

[[nodiscard]] constexpr bool is_log_alignment(char c) noexcept {
  return c == '<' || c == '>' || c == '^';
}
[[nodiscard]] constexpr bool is_log_number(LogArgument argument) noexcept {
  return argument == LogArgument::Int || argument == LogArgument::Uint ||
         argument == LogArgument::Double;
}
// The letters that may end a specification.
[[nodiscard]] constexpr std::string_view log_presentations(LogArgument argument) noexcept {
  switch (argument) {
    case LogArgument::Int:
    case LogArgument::Uint:
      return "dxXbBo";
    case LogArgument::Double:
      return "aAeEfFgG";
    case LogArgument::Pointer:
      return "p";
    default:
      return "s";
  }
}

// The index of the first c at or after from; text.size() if there is none. string_view's find has a
// check for a null pointer that g++ 12 cannot evaluate at compile time with its sanitizer.
[[nodiscard]] constexpr std::size_t log_index_of(std::string_view text, char c,
                                                 std::size_t from = 0) noexcept {
  while (from < text.size() && text[from] != c) ++from;
  return from;
}
[[nodiscard]] constexpr bool log_contains(std::string_view text, char c) noexcept {
  return log_index_of(text, c) != text.size();
}

// [[fill]align][sign][#][0][width][.precision][letter]: the part of std::format's syntax that does
// not depend on other arguments.
[[nodiscard]] constexpr bool log_specification_suits(std::string_view specification,
                                                     LogArgument argument) noexcept {
  std::size_t at = 0;
  const auto peek = [&](std::size_t ahead = 0) {
    return at + ahead < specification.size() ? specification[at + ahead] : '\0';
  };
  const auto skip_digits = [&] {
    const std::size_t before = at;
    while (peek() >= '0' && peek() <= '9') ++at;
    // Three digits are enough for a column, and too few for a gigabyte of blanks.
    return at - before <= 3 ? at - before : std::string_view::npos;
  };
  const bool number = is_log_number(argument);
  if (is_log_alignment(peek(1))) {
    at += 2;
  } else if (is_log_alignment(peek())) {
    ++at;
  }
  if (peek() == '+' || peek() == '-' || peek() == ' ') {
    if (argument != LogArgument::Int && argument != LogArgument::Double) return false;
    ++at;
  }
  if (peek() == '#') {
    if (!number) return false;
    ++at;
  }
  if (peek() == '0' && !number) return false;
  if (skip_digits() == std::string_view::npos) return false;
  if (peek() == '.') {
    ++at;
    const std::size_t digits = skip_digits();
    if (digits == 0 || digits == std::string_view::npos) return false;
    if (argument != LogArgument::Double && argument != LogArgument::Text) return false;
  }
  if (at < specification.size() && log_contains(log_presentations(argument), peek())) ++at;
  return at == specification.size();
}

// Compiles only if each argument has its placeholder, with a specification for its type.
template <std::size_t Count>
consteval bool check_log_format(std::string_view format,
                                const std::array<LogArgument, Count>& arguments) {
  std::size_t used = 0;
  for (std::size_t at = 0; at < format.size(); ++at) {
    const char c = format[at];
    constexpr char kFirstPrintable = ' ';
    if (static_cast<unsigned char>(c) < kFirstPrintable) log_format_has_a_control_byte();
    if (c != '{' && c != '}') continue;
    if (at + 1 < format.size() && format[at + 1] == c) {
      ++at;
      continue;
    }
    if (c == '}') log_format_has_a_closing_brace_alone();
    const std::size_t end = log_index_of(format, '}', at);
    if (end == format.size()) log_format_has_a_brace_that_does_not_end();
    if (used == Count) log_format_has_more_placeholders_than_arguments();
    const std::string_view inside = format.substr(at + 1, end - at - 1);
    if (!inside.empty()) {
      if (inside[0] != ':') log_format_placeholder_is_empty_or_begins_with_a_colon();
      if (log_contains(inside, '{') ||
          !log_specification_suits(inside.substr(1), arguments[used])) {
        log_format_specification_does_not_suit_its_argument();
      }
    }
    ++used;
    at = end;
  }
  if (used != Count) log_format_has_fewer_placeholders_than_arguments();
  return true;
}

template <class... Arguments>
inline constexpr std::array<LogArgument, sizeof...(Arguments)> kLogArguments{
    log_argument_of<Arguments>()...};

template <LogFormat Format, class... Arguments>
inline constexpr LogCallSite kLogCallSite{Format.view(), kLogArguments<Arguments...>.data(),
                                          sizeof...(Arguments)};

}  // namespace detail

// A log whose hot path stores raw arguments. A background thread makes the text.

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
  // The options of a Logger.
  struct Options {
    // The size of the ring: a power of two, at least 64. A record takes 24 bytes, and 8 for each
    // number in it.
    std::size_t capacity_bytes = std::size_t{1} << 20U;
    Idle idle = Idle::Sleep;  // what the background thread does without work
  };
  // Counted since construction.
  struct Stats {
    std::uint64_t written = 0;  // records that became a line
    std::uint64_t lost = 0;     // records that found no room, or no running logger
    // The number of times that the sink threw, whose lines are lost, and of records that became no
    // line for lack of memory.
    std::uint64_t failed = 0;
  };
  // Allocates the ring. Records are accepted after start().
  explicit Logger(const Options& options);
  Logger() : Logger{Options{}} {}
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
  template <detail::LogFormat Format, class... Arguments>
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
  [[nodiscard]] Stats stats() const noexcept;

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
    const std::expected<std::span<std::byte>, RecordQueue::Error> room = queue_.claim(size_bytes);
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
  detail::ConsumerThread thread_;
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
