#include "venue/trader/trader.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <nexusfix/fix42/new_order_single.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/wire/parser.hpp>

namespace nexusfix::trader {
namespace {

namespace tag = fix44::tag;

constexpr std::string_view kFilled = "2";  // OrdStatus (39)
constexpr std::string_view kRejected = "8";

bool is_final(std::string_view ord_status) noexcept {
  constexpr std::string_view kCanceled = "4";
  constexpr std::string_view kExpired = "C";
  return ord_status == kFilled || ord_status == kRejected || ord_status == kCanceled ||
         ord_status == kExpired;
}

engine::SendResult send_42(engine::Session& session, std::string_view cl_ord_id,
                           const PlannedOrder& order, std::string_view symbol) {
  using namespace fix42;
  return session.send<NewOrderSingle>(
      ClOrdID{cl_ord_id}, HandlInst::AutomatedExecutionOrderPrivateNoBrokerIntervention,
      Symbol{symbol}, order.side == PlannedSide::Buy ? Side::Buy : Side::Sell,
      TransactTime{session.now()}, OrderQty{order.quantity}, OrdType::Limit, Price{order.price},
      TimeInForce::Day);
}

engine::SendResult send_44(engine::Session& session, std::string_view cl_ord_id,
                           const PlannedOrder& order, std::string_view symbol) {
  using namespace fix44;
  return session.send<NewOrderSingle>(ClOrdID{cl_ord_id}, Symbol{symbol},
                                      order.side == PlannedSide::Buy ? Side::Buy : Side::Sell,
                                      TransactTime{session.now()}, OrderQty{order.quantity},
                                      OrdType::Limit, Price{order.price}, TimeInForce::Day);
}

// FIX 5.0SP2, where the fields of an order are those of FIX 4.4.
engine::SendResult send_50(engine::Session& session, std::string_view cl_ord_id,
                           const PlannedOrder& order, std::string_view symbol) {
  wire::Encoder message = session.begin(fix44::NewOrderSingle::kMsgType);
  message.field(tag::ClOrdID, cl_ord_id)
      .field(tag::Symbol, symbol)
      .field(tag::Side, order.side == PlannedSide::Buy ? '1' : '2')
      .field(tag::TransactTime, session.now())
      .field(tag::OrderQty, order.quantity)
      .field(tag::OrdType, '2')
      .field(tag::Price, order.price)
      .field(tag::TimeInForce, '0');
  return session.finish(message);
}

engine::SendResult send_order(engine::Session& session, std::string_view cl_ord_id,
                              const PlannedOrder& order, std::string_view symbol) {
  const std::string_view version = session.application_version();
  if (version == fix42::NewOrderSingle::kBeginString) {
    return send_42(session, cl_ord_id, order, symbol);
  }
  return version == fix44::NewOrderSingle::kBeginString
             ? send_44(session, cl_ord_id, order, symbol)
             : send_50(session, cl_ord_id, order, symbol);
}

}  // namespace

Trader::Trader(TraderPlan plan, Clock& clock)
    : plan_{std::move(plan)}, clock_{clock}, progress_(plan_.orders + 1) {
  times_.round_trips.reserve(plan_.one_at_a_time);
}

// Applies a report to one of our orders. A report has the whole state of its order, so that a
// repeated one changes nothing.
void Trader::note(std::uint64_t number, std::string_view ord_status, std::string_view text) {
  Progress& progress = progress_[number];
  if (!std::exchange(progress.acknowledged, true)) ++counts_.acknowledged;
  if (!is_final(ord_status) || std::exchange(progress.finished, true)) return;
  ++counts_.finished;
  if (ord_status == kFilled) {
    ++counts_.filled;
  } else if (failure_.empty()) {
    failure_ = "order T" + std::to_string(number) +
               (ord_status == kRejected ? " was rejected" : " was canceled by the venue");
    if (!text.empty()) (failure_ += ": ") += text;
  }
}

void Trader::on_reported(const ReportLine& line) {
  const auto number = order_number(line.cl_ord_id);
  if (!number) return;
  last_reported_ = std::max(last_reported_, *number);
  if (*number < progress_.size()) note(*number, line.ord_status, {});
}

void Trader::on_recovered(const engine::RecoveredMessage& recovered) {
  if (recovered.message.msg_type() != fix44::NewOrderSingle::kMsgType) return;
  const auto number = order_number(recovered.message[tag::ClOrdID].value_or(""));
  if (number && *number > counts_.sent) counts_.sent = *number;
}

void Trader::on_logon(engine::Session& session) { pump(session); }

// Orders wait for OutboundMessages in their order: all later ones are not sent either. The next
// Logon sends them.
void Trader::on_not_sent(engine::Session&, const engine::NotSentMessage& message) {
  wire::Parser parser;
  const auto order = parser.parse(message.bytes);
  const auto number = order ? order_number((*order)[tag::ClOrdID].value_or("")) : std::nullopt;
  if (!number || *number == 0) return;
  timed_ = 0;
  counts_.sent = std::min(counts_.sent, *number - 1);
}

void Trader::on_message(engine::Session& session, const fix42::ExecutionReport& report) {
  handle_report(session, report.view());
}
void Trader::on_message(engine::Session& session, const fix44::ExecutionReport& report) {
  handle_report(session, report.view());
}

// Reports of FIX 5.0SP2 come here, too. A BusinessMessageReject means that the venue will not
// answer an order. Other messages do not concern our orders.
void Trader::on_message(engine::Session& session, const wire::MessageView& message) {
  constexpr std::string_view kBusinessMessageReject = "j";
  if (message.msg_type() == fix44::ExecutionReport::kMsgType) {
    return handle_report(session, message);
  }
  if (message.msg_type() != kBusinessMessageReject) return;
  fail(session, "the counterparty refused a message: " +
                    std::string{message[tag::Text].value_or("without a reason")});
}

void Trader::handle_report(engine::Session& session, const wire::MessageView& report) {
  const auto number = order_number(report[tag::ClOrdID].value_or(""));
  if (!number || *number == 0 || *number > counts_.sent || *number >= progress_.size()) return;
  if (*number == timed_) {
    times_.round_trips.push_back(clock_.now().mono - timed_since_);
    timed_ = 0;
  }
  const std::string_view ord_status = report[tag::OrdStatus].value_or("");
  if (report_file_ != nullptr) {
    const auto written = report_file_->append(
        {report[tag::ClOrdID].value_or(""), report[tag::ExecID].value_or(""),
         report[tag::ExecType].value_or(""), ord_status, report[tag::LastQty].value_or("0"),
         report[tag::CumQty].value_or("0"), report[tag::LeavesQty].value_or("0"),
         report[tag::MsgSeqNum].value_or("0"), report[tag::PossDupFlag].value_or("N")});
    if (!written) {
      on_unwritable_(written.error());
      std::abort();
    }
  }
  ++counts_.reports;
  note(*number, ord_status, report[tag::Text].value_or(""));
  pump(session);
  if (finished() && times_.streamed > 0) times_.stream_time = clock_.now().mono - stream_since_;
}

bool Trader::is_settled(std::uint64_t number) const noexcept {
  if (number == 0) return true;
  // A buy rests until a sell matches it. A sell finds its buys on the book.
  return planned_order(number, plan_.pattern).side == PlannedSide::Buy
             ? progress_[number].acknowledged
             : progress_[number].finished;
}

bool Trader::may_send() const noexcept {
  if (counts_.sent >= plan_.orders || !failure_.empty()) return false;
  if (counts_.sent <= plan_.one_at_a_time) return is_settled(counts_.sent);
  return counts_.sent - counts_.acknowledged < plan_.window;
}

void Trader::pump(engine::Session& session) {
  for (std::uint64_t left = kOrdersAtOnceMax; left > 0; --left) {
    if (!session.is_logged_on() || !may_send()) return;
    send_next(session);
  }
}

bool Trader::go_on(engine::Session& session) {
  pump(session);
  return session.is_logged_on() && may_send();
}

void Trader::send_next(engine::Session& session) {
  const std::uint64_t number = counts_.sent + 1;
  const PlannedOrder order = planned_order(number, plan_.pattern);
  char buffer[kClOrdIdBytesMax];
  const std::string_view cl_ord_id = write_cl_ord_id(number, buffer);
  if (number <= plan_.one_at_a_time) {
    timed_ = number;
    timed_since_ = clock_.now().mono;
  } else if (times_.streamed++ == 0) {
    stream_since_ = clock_.now().mono;
  }
  const engine::SendResult sent = send_order(session, cl_ord_id, order, plan_.symbol);
  if (!sent) {
    timed_ = 0;
    return fail(session, "order " + std::string{cl_ord_id} + ": " + sent.error().what());
  }
  counts_.sent = number;
}

void Trader::fail(engine::Session& session, std::string_view text) {
  if (failure_.empty()) failure_ = text;
  session.log_out();
}

}  // namespace nexusfix::trader
