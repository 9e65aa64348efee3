// The order flow of one session, as a desk and its venue send it: orders, replaces and cancels, and
// the venue's reports, fills and rejects. A seed repeats it, on every machine.
//
// | what | drawn |
// |---|---|
// | requests | 60 % orders, 20 % replaces, 20 % cancels; orders only while none is open |
// | answers | 5 % of the orders and 10 % of the others are rejected; 70 % of the others are filled,
// by one to three fills | | Symbol (55) | 1 to 12 characters, each length equally often | | Price
// (44), LastPx (31) | 1 to 9 digits, 0 to 5 decimals, each number of them equally often | |
// OrderQty (38) | 1 to 7 digits, each number of them equally often | | ClOrdID (11), OrderID (37),
// ExecID (17) | a third each: a counter; a date and a counter; a UUID | | Account (1), Parties
// (453), Text (58) | in 75 %, 25 % (with 1 to 3 entries) and 12.5 % of the messages | |
// TransactTime (60) | 50 % with milliseconds, 25 % with microseconds, 25 % with nanoseconds |
//
// SendingTime (52) has milliseconds, because one engine writes it for the whole session.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "bench/subject.hpp"
#include "bench/traffic/random.hpp"

namespace nexusfix::bench {

// Report: an ExecutionReport without a fill. Reject: one with ExecType (150) 8, or an
// OrderCancelReject.
enum class FlowKind : std::uint8_t { Order, Replace, Cancel, Report, Fill, Reject };

// Which forms TransactTime has. Some peers read milliseconds only.
enum class FlowTimes : std::uint8_t { All, Milliseconds };

// Values of a fill, for the rows that read them.
struct FlowFill {
  std::string order_id;
  std::string exec_id;
  char ord_status = '1';
  std::int64_t last_qty = 0;
  PriceValue last_px;
  std::int64_t leaves_qty = 0;
  std::int64_t cum_qty = 0;
  PriceValue avg_px;
};

struct FlowMessage {
  FlowKind kind = FlowKind::Order;
  char msg_type = 'D';
  std::uint64_t msg_seq_num = 0;  // of the side that sends it, from 1
  std::int64_t sending_time_ms = 0;
  std::int64_t transact_time_ms = 0;
  std::string body;  // the fields after the header, with `|` for SOH
  DeskOrder order;   // that the message sends or answers
  FlowFill fill;     // of a Fill

  // The message with header and trailer. The desk is DESK7, the venue VENUE.
  [[nodiscard]] std::string text() const;
};

class OrderFlow {
 public:
  explicit OrderFlow(std::uint64_t seed, FlowTimes times = FlowTimes::All);

  [[nodiscard]] FlowMessage next();

 private:
  // An order that the venue works on.
  struct Open {
    DeskOrder order;
    std::string order_id;
    std::int64_t cum_qty = 0;
  };

  [[nodiscard]] FlowMessage request();
  [[nodiscard]] FlowMessage new_order();
  [[nodiscard]] FlowMessage replace(Open& open);
  [[nodiscard]] FlowMessage cancel(std::size_t index);
  void fill(Open& open);
  void answer(const Open& open, FlowKind kind, char exec_type, char ord_status,
              const std::string& more);
  void refuse(const Open& open, const DeskOrder& request, char response_to);
  [[nodiscard]] FlowMessage message(FlowKind kind, char msg_type, const DeskOrder& order,
                                    std::string body);

  [[nodiscard]] DeskOrder draw_order();
  [[nodiscard]] std::string draw_id(std::uint64_t& counter);
  [[nodiscard]] PriceValue draw_price();
  [[nodiscard]] std::string draw_text();
  [[nodiscard]] std::string transact_time();
  [[nodiscard]] bool in(unsigned percent) { return random_.below(100) < percent; }

  Random random_;
  FlowTimes times_;
  std::deque<FlowMessage> answers_;  // sent before the next request
  std::vector<Open> open_;
  std::uint64_t desk_ids_;
  std::uint64_t venue_ids_;
  std::uint64_t desk_number_ = 1;
  std::uint64_t venue_number_ = 1;
  std::int64_t now_ms_;
  std::int64_t transact_time_ms_ = 0;
};

}  // namespace nexusfix::bench
