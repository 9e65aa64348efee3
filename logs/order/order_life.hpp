// The state of an order after each of its messages, computed from the requests and executions, and
// compared with what the reports say. Source of the rules: FIX 4.4, volume 4, appendix D (order
// state change matrices), and the order of precedence of OrdStatus there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/decimal.hpp>

#include "logs/fields/message_fields.hpp"

namespace nexusfix::logs {

// One message of an order.
struct OrderEvent {
  std::optional<WallTime> time{};
  std::optional<WallTime> other_time{};  // of the same message in the other log
  std::string file{};
  std::uint64_t offset = 0;
  std::string sender{};
  std::string target{};
  std::string msg_type{};
  std::string bytes{};     // the whole message
  bool is_counted = true;  // false: a resend, or an ExecID that was seen before
  std::vector<std::string>
      disagreements{};  // of this report with the computed state, one line each
};

// The values of a report, as it writes them; empty: it does not have the field.
struct ReportedState {
  std::string ord_status{};
  std::string order_qty{};
  std::string cum_qty{};
  std::string leaves_qty{};
  std::string avg_px{};
};

struct OpenRequest {
  std::string msg_type;  // F or G
  std::string cl_ord_id;
  std::string msg_seq_num;
  std::optional<Decimal> order_qty{};
  std::optional<std::string> price{};  // empty: a market order; nothing: it does not say
};

// An execution that is neither canceled nor corrected.
struct OrderFill {
  Decimal quantity;
  double price = 0;
  std::string last_qty{};  // as the report writes it
  std::string last_px{};
  std::optional<WallTime> time{};
};

class OrderLife {
 public:
  // In the order of the log. Sets is_counted and disagreements.
  void add(OrderEvent& event);

  // The computed state now. OrdStatus as on the wire: "1".
  [[nodiscard]] std::string ord_status() const;
  [[nodiscard]] std::optional<Decimal> order_qty() const noexcept { return order_qty_; }
  [[nodiscard]] Decimal cum_qty() const noexcept { return cum_qty_; }
  [[nodiscard]] std::optional<Decimal> leaves_qty() const;
  // Nothing: nothing was executed.
  [[nodiscard]] std::optional<double> avg_px() const;
  // What the last report that counts says; all empty: there is none.
  [[nodiscard]] const ReportedState& reported() const noexcept { return reported_; }
  // Where the last report disagrees with the state now, one line each.
  [[nodiscard]] const std::vector<std::string>& disagreements() const noexcept {
    return disagreements_;
  }
  // Cancels and replaces without an answer.
  [[nodiscard]] std::vector<OpenRequest> open_requests() const;
  // By ExecID; a fill without one has a byte 1 and a number. What was executed before the first
  // message is not among them.
  [[nodiscard]] const std::map<std::string, OrderFill, std::less<>>& fills() const noexcept {
    return fills_;
  }
  // The first message is no NewOrderSingle: what was executed before is taken from the first
  // report.
  [[nodiscard]] bool begins_before() const noexcept { return begins_before_; }

  [[nodiscard]] const std::string& symbol() const noexcept { return symbol_; }
  [[nodiscard]] const std::string& side() const noexcept { return side_; }
  [[nodiscard]] const std::string& price() const noexcept { return price_; }

 private:
  void record_order(const MessageFields& fields);
  void apply_report(const MessageFields& fields, OrderEvent& event);
  void apply_execution(std::string_view exec_type, const MessageFields& fields, OrderEvent& event);
  void change_fill(std::string_view exec_type, const MessageFields& fields, OrderEvent& event);
  void add_fill(const MessageFields& fields, OrderEvent& event);
  void begin_with(std::string_view exec_type, const MessageFields& fields);
  void answer(std::string_view cl_ord_id);
  void record_reject(const MessageFields& fields);
  void sum(OrderEvent& event);
  void compare(const MessageFields& fields, OrderEvent& event);

  std::optional<Decimal> order_qty_;
  std::string symbol_;
  std::string side_;
  std::string price_;
  std::map<std::string, OrderFill, std::less<>> fills_;
  OrderFill before_;  // executed before the first message
  Decimal cum_qty_;
  double turnover_ = 0;
  char ended_ = '\0';      // the OrdStatus of the end; 0: the order can be executed
  char suspended_ = '\0';  // Stopped or Suspended
  char pending_ = '\0';    // PendingCancel or PendingReplace, if the venue has reported it
  bool is_accepted_ = false;
  bool has_first_ = false;
  bool begins_before_ = false;
  std::map<std::string, OpenRequest, std::less<>> requests_;  // by ClOrdID
  std::map<std::string, bool, std::less<>> seen_;             // keys of messages and executions
  ReportedState reported_;
  std::vector<std::string> disagreements_;
};

// A number without zeros at its end: "150.5".
[[nodiscard]] std::string decimal_text(Decimal number);

}  // namespace nexusfix::logs
