#include "venue/demo/demo_report.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <nexusfix/fix44/tags.hpp>
#include <nexusfix/wire/parser.hpp>

#include "nexusfix/journal/journal_summary.hpp"
#include "nexusfix/text/text.hpp"
#include "venue/trader/latency.hpp"

namespace nexusfix::command {
namespace {

namespace tag = fix44::tag;

std::string histogram_text(const std::vector<std::chrono::nanoseconds>& samples) {
  constexpr std::size_t kRows = 12;
  constexpr std::size_t kColumns = 44;
  const auto rows = trader::histogram(samples, kRows);
  std::size_t most = 1;
  for (const trader::HistogramRow& row : rows) most = std::max(most, row.count);
  std::string text;
  for (const trader::HistogramRow& row : rows) {
    const auto share = static_cast<double>(row.count) / static_cast<double>(most);
    text += fmt::format("  {:>8} to {:>8}  {:<{}} {:>7}\n", duration_text(row.from),
                        duration_text(row.to), bar_text(share, kColumns), kColumns,
                        with_thousands(row.count));
  }
  return text;
}

struct LastOrder {
  std::string cl_ord_id;
  std::string bytes;
};

LastOrder find_last_order(store::Store& store) {
  LastOrder last;
  wire::Parser parser;
  const auto visit = [&](const store::Store::LogMessage& stored) {
    const auto message = parser.parse(stored.bytes);
    if (!message || message->msg_type() != "D") return;
    last = {std::string{(*message)[tag::ClOrdID].value_or("")}, std::string{stored.bytes}};
  };
  static_cast<void>(store.scan(visit));
  return last;
}

std::string find_fill(store::Store& store, const std::string& cl_ord_id) {
  std::string fill;
  wire::Parser parser;
  const auto visit = [&](const store::Store::LogMessage& stored) {
    const auto message = parser.parse(stored.bytes);
    if (message && (*message)[tag::ClOrdID] == cl_ord_id && (*message)[tag::OrdStatus] == "2") {
      fill = stored.bytes;
    }
  };
  static_cast<void>(store.scan(visit));
  return fill;
}

std::expected<void, std::string> agree(const JournalSummary& venue, const JournalSummary& trader) {
  if (venue.sessions.size() != 1 || trader.sessions.size() != 1) {
    return std::unexpected{"each journal should hold one session"};
  }
  const store::SessionRecord& v = venue.sessions[0].record;
  const store::SessionRecord& t = trader.sessions[0].record;
  if (v.next_inbound == t.next_outbound && v.next_outbound == t.next_inbound) return {};
  return std::unexpected{fmt::format(
      "the journals disagree: the venue expects {} and sends {} next, the trader sends {} and "
      "expects {}",
      v.next_inbound, v.next_outbound, t.next_outbound, t.next_inbound)};
}

}  // namespace

std::string measurement_text(const Measurements& measurements) {
  const trader::LatencySummary latency = trader::summarize(measurements.round_trips);
  std::string text = fmt::format(
      "\nRound trip, NewOrderSingle sent to first ExecutionReport, "
      "{} orders one at a time\n",
      with_thousands(latency.count));
  constexpr std::array<std::string_view, 5> kNames{"P50", "P90", "P99", "P99.9", "max"};
  for (const std::string_view name : kNames) text += fmt::format("  {:>10}", name);
  text += '\n';
  for (const auto value : {latency.p50, latency.p90, latency.p99, latency.p999, latency.max}) {
    text += fmt::format("  {:>10}", duration_text(value));
  }
  text += "\n\n" + histogram_text(measurements.round_trips);
  if (measurements.stream_time.count() > 0) {
    const double rate = static_cast<double>(measurements.streamed) * 1e9 /
                        static_cast<double>(measurements.stream_time.count());
    text +=
        fmt::format("\nThroughput: {} orders streamed and filled in {}: {} orders/s\n",
                    with_thousands(measurements.streamed), duration_text(measurements.stream_time),
                    with_thousands(static_cast<std::uint64_t>(rate)));
  }
  return text;
}

std::expected<JournalFindings, std::string> inspect_journals(Disk& disk,
                                                             const std::string& venue_folder,
                                                             const std::string& trader_folder) {
  auto venue = open_for_reading(disk, venue_folder);
  if (!venue) return std::unexpected{venue.error()};
  auto trader = open_for_reading(disk, trader_folder);
  if (!trader) return std::unexpected{trader.error()};
  const auto venue_summary = summarize_log(*venue->store, venue->report, "of the venue");
  if (!venue_summary) return std::unexpected{venue_summary.error()};
  const auto trader_summary = summarize_log(*trader->store, trader->report, "of the trader");
  if (!trader_summary) return std::unexpected{trader_summary.error()};
  if (auto agreed = agree(*venue_summary, *trader_summary); !agreed) {
    return std::unexpected{agreed.error()};
  }
  LastOrder order = find_last_order(*trader->store);
  std::string fill = find_fill(*venue->store, order.cl_ord_id);
  if (fill.empty()) return std::unexpected{"the venue's journal has no fill of the last order"};
  return JournalFindings{summary_text(*venue_summary) + summary_text(*trader_summary) +
                             "  Both agree on every sequence number.\n",
                         std::move(order.bytes), std::move(fill)};
}

}  // namespace nexusfix::command
