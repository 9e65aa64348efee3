// The example trader: sends a planned number of orders, one at a time or streamed. After a crash it
// knows the sent orders from the engine's store, and the reported ones from its report file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix42/execution_report.hpp>
#include <nexusfix/fix44/execution_report.hpp>

#include "venue/trader/latency.hpp"
#include "venue/trader/order_plan.hpp"
#include "venue/trader/report_file.hpp"

namespace nexusfix::trader {

struct TraderPlan {
  std::uint64_t orders = 1000;      // over all runs of the trader; a multiple of the group size
  std::uint64_t one_at_a_time = 0;  // the number of first orders; the rest are streamed
  std::uint64_t window = 256;       // streamed orders that may be unacknowledged, ≥ 1
  Pattern pattern = Pattern::Pairs;
  std::string symbol = "AAPL";
};

struct TraderCounts {
  std::uint64_t sent = 0;          // over all runs
  std::uint64_t acknowledged = 0;  // at least one report
  std::uint64_t finished = 0;      // no more reports will come
  std::uint64_t filled = 0;
  std::uint64_t reports = 0;  // in this run
};

struct TraderTimes {
  std::vector<Nanoseconds> round_trips;  // order sent to its first report, one at a time only
  std::uint64_t streamed = 0;
  Nanoseconds stream_time{0};  // first streamed order sent to last one finished
};

class Trader {
 public:
  // The clock must outlive the trader.
  Trader(TraderPlan plan, Clock& clock);

  // Call both before the engine is opened: for the lines that the report file has, and for the file
  // to write reports to. The file must outlive the trader.
  void on_reported(const ReportLine& line);
  // on_unwritable is called if a line cannot be written, and must end the process (or throw): when
  // the callback returns, the engine records the report as received, and the file would miss it
  // forever. After an end of the process, the report is resent.
  using Unwritable = void (*)(const DiskError&);
  void record_to(ReportFile& file, Unwritable on_unwritable) noexcept {
    report_file_ = &file;
    on_unwritable_ = on_unwritable;
  }

  // Callbacks of the engine.
  void on_recovered(const engine::RecoveredMessage& recovered);
  void on_logon(engine::Session& session);
  void on_not_sent(engine::Session& session, const engine::NotSentMessage& message);
  void on_message(engine::Session& session, const fix42::ExecutionReport& report);
  void on_message(engine::Session& session, const fix44::ExecutionReport& report);
  void on_message(engine::Session& session, const wire::MessageView& message);

  // The messages of one callback are one record of the store, so a callback sends at most this
  // number. The next reports send the rest of a window, or go_on() between two turns of the engine.
  // True: more orders could be sent now.
  static constexpr std::uint64_t kOrdersAtOnceMax = 1000;
  bool go_on(engine::Session& session);

  [[nodiscard]] bool finished() const noexcept { return counts_.finished >= plan_.orders; }
  [[nodiscard]] const TraderCounts& counts() const noexcept { return counts_; }
  // The highest order in the report file; 0: none. If it is above counts().sent after the engine
  // was opened, the file belongs to another journal.
  [[nodiscard]] std::uint64_t last_reported() const noexcept { return last_reported_; }
  [[nodiscard]] const TraderTimes& times() const noexcept { return times_; }
  // Why the trader cannot continue; empty: it can.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 private:
  struct Progress {
    bool acknowledged = false;
    bool finished = false;
  };

  void handle_report(engine::Session& session, const wire::MessageView& report);
  void note(std::uint64_t number, std::string_view ord_status, std::string_view text);
  void pump(engine::Session& session);
  [[nodiscard]] bool may_send() const noexcept;
  // Whether no report of this order or an earlier one is outstanding, if no other trader takes
  // part.
  [[nodiscard]] bool is_settled(std::uint64_t number) const noexcept;
  void send_next(engine::Session& session);
  void fail(engine::Session& session, std::string_view text);

  TraderPlan plan_;
  Clock& clock_;
  ReportFile* report_file_ = nullptr;
  Unwritable on_unwritable_ = nullptr;
  std::vector<Progress> progress_;  // by order number; the first is unused
  TraderCounts counts_;
  std::uint64_t last_reported_ = 0;
  TraderTimes times_;
  std::uint64_t timed_ = 0;  // the order whose round trip is being measured; 0: none
  MonoTime timed_since_{};
  MonoTime stream_since_{};
  std::string failure_;
};

}  // namespace nexusfix::trader
