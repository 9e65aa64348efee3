#include "stream/stream_metrics.hpp"

#include <array>
#include <fmt/format.h>
#include <iterator>

#include "base/api/printable_text.hpp"

namespace nexusfix::stream {
namespace {

using metrics::MetricDescription;
using metrics::MetricType;

enum Row : std::size_t { Messages, Bytes, Age, Acknowledged, Records, Cursor, Brokers };

constexpr std::array kTable{
    MetricDescription{"nexusfix_stream_lag_messages", MetricType::Gauge, "messages", "journal",
                      "Messages that the journal has and the destination has not acknowledged."},
    MetricDescription{"nexusfix_stream_lag_bytes", MetricType::Gauge, "bytes", "journal",
                      "Bytes of the log from the cursor to its end."},
    MetricDescription{"nexusfix_stream_lag_seconds", MetricType::Gauge, "seconds", "journal",
                      "Age of the oldest message that was read and is not acknowledged; 0: none."},
    MetricDescription{"nexusfix_stream_messages_total", MetricType::Counter, "messages", "journal",
                      "Messages that the destination has acknowledged."},
    MetricDescription{"nexusfix_stream_records_total", MetricType::Counter, "records", "journal",
                      "Records that the destination has acknowledged."},
    MetricDescription{"nexusfix_stream_cursor_position", MetricType::Gauge, "bytes", "journal",
                      "The log position of the cursor."},
    MetricDescription{"nexusfix_stream_brokers_answer", MetricType::Gauge, "", "",
                      "Whether the destination acknowledges messages."},
};

void append_head(std::string& text, const MetricDescription& metric) {
  fmt::format_to(std::back_inserter(text), "# HELP {0} {1}\n# TYPE {0} {2}\n", metric.name,
                 metric.help, metrics::to_string(metric.type));
}

std::string label_of(const std::string& folder) {
  std::string label;
  for (const char c : printable(folder)) {
    if (c == '\\' || c == '"') label += '\\';
    label += c;
  }
  return label;
}

std::string value_of(std::size_t row, const JournalState& one) {
  switch (row) {
    case Messages:
      return std::to_string(one.lag.messages);
    case Bytes:
      return std::to_string(one.lag.bytes);
    case Age:
      return fmt::format("{:.3f}", std::chrono::duration<double>{one.lag.age}.count());
    case Acknowledged:
      return std::to_string(one.counts.acknowledged);
    case Records:
      return std::to_string(one.counts.records);
    default:
      return std::to_string(one.cursor);
  }
}

}  // namespace

std::span<const MetricDescription> stream_metrics() noexcept { return kTable; }

std::string to_prometheus(const StreamState& state) {
  std::string text;
  for (std::size_t row = 0; row < Brokers; ++row) {
    append_head(text, kTable[row]);
    for (const JournalState& one : state.journals) {
      fmt::format_to(std::back_inserter(text), "{}{{journal=\"{}\"}} {}\n", kTable[row].name,
                     label_of(one.folder), value_of(row, one));
    }
  }
  append_head(text, kTable[Brokers]);
  fmt::format_to(std::back_inserter(text), "{} {}\n", kTable[Brokers].name,
                 state.has_brokers ? 1 : 0);
  return text;
}

}  // namespace nexusfix::stream
