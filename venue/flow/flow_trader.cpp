#include "venue/flow/flow_trader.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include <nexusfix/fix44/tags.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/parser.hpp>

namespace nexusfix::flow {
namespace {

using engine::Session;
using venue::Action;
using venue::ActionKind;
namespace tag = fix44::tag;

constexpr char kIdLetter = 'R';
constexpr unsigned kPermille = 1'000;

std::uint64_t number_of(std::string_view cl_ord_id) noexcept {
  std::uint64_t number = 0;
  if (cl_ord_id.size() < 2 || cl_ord_id.front() != kIdLetter) return 0;
  const char* const end = cl_ord_id.data() + cl_ord_id.size();
  const auto [stop, fault] = std::from_chars(cl_ord_id.data() + 1, end, number);
  return fault == std::errc{} && stop == end ? number : 0;
}

bool is_final(std::string_view ord_status) noexcept {
  return ord_status == "2" || ord_status == "4" || ord_status == "8" || ord_status == "C";
}

}  // namespace

std::string FlowTrader::next_id() { return kIdLetter + std::to_string(++last_id_); }

void FlowTrader::on_recovered(const engine::RecoveredMessage& recovered) {
  last_id_ = std::max(last_id_, number_of(recovered.message[tag::ClOrdID].value_or("")));
  if (recovered.message.msg_type() == "D") ++counts_.sent;
}

void FlowTrader::on_logon(Session& session) {
  if (!is_scheduled_) schedule(session);
}

// It waited for OutboundMessages, and the Logon has ended: no answer will come. Another order is
// sent in the place of an order.
void FlowTrader::on_not_sent(Session&, const engine::NotSentMessage& not_sent) {
  wire::Parser parser;
  const auto message = parser.parse(not_sent.bytes);
  if (!message) return;
  if (message->msg_type() == "D") {
    counts_.sent -= open_.erase(std::string{(*message)[tag::ClOrdID].value_or("")});
    return;
  }
  const auto found = open_.find((*message)[tag::OrigClOrdID].value_or(""));
  if (found != open_.end()) found->second.is_changing = false;
}

bool FlowTrader::finished() const noexcept {
  return has_ended_ || (counts_.sent >= rules_.orders && open_.empty());
}

// One timer at a time: the next order, or the end.
void FlowTrader::schedule(Session& session) {
  is_scheduled_ = true;
  double pause = 1e9 / rules_.rate;
  if (rules_.is_rate_random) {
    // Exponential: the pauses of orders that do not know of each other.
    constexpr double kBits53 = 9'007'199'254'740'992.0;
    const double uniform = (static_cast<double>(random_.next() >> 11U) + 1) / kBits53;
    pause *= -std::log(uniform);
  }
  session.call_after(std::chrono::nanoseconds{static_cast<std::int64_t>(pause)},
                     [this](Session& same) {
                       is_scheduled_ = false;
                       if (has_ended_ || !same.is_logged_on()) return;
                       if (counts_.sent < rules_.orders) {
                         send_order(same);
                       } else {
                         cancel_all(same);
                       }
                       if (!finished()) schedule(same);
                     });
}

void FlowTrader::send_order(Session& session) {
  const bool is_market = random_.next() % kPermille < rules_.market_permille;
  Open order{.symbol = rules_.pick_symbol(random_),
             .side = random_.next() % kPermille < rules_.buy_permille ? '1' : '2',
             .quantity = rules_.size.pick(random_),
             .price = is_market ? 0 : rules_.price.pick(random_)};
  const std::string id = next_id();
  wire::Encoder message = session.begin("D");
  message.field(tag::ClOrdID, std::string_view{id});
  if (session.application_version() == "FIX.4.2") message.field(tag::HandlInst, '1');
  message.field(tag::Symbol, std::string_view{order.symbol})
      .field(tag::Side, order.side)
      .field(tag::TransactTime, session.now())
      .field(tag::OrderQty, venue::to_decimal(order.quantity))
      .field(tag::OrdType, is_market ? '1' : '2');
  if (!is_market) message.field(tag::Price, venue::to_decimal(order.price));
  if (const auto sent = session.finish(message); !sent) return on_refused(sent.error());
  ++counts_.sent;
  open_.emplace(id, std::move(order));
  if (rules_.replace.happens(random_)) {
    change_later(session, id, rules_.replace.pick(random_), false);
  }
  if (rules_.cancel.happens(random_)) change_later(session, id, rules_.cancel.pick(random_), true);
}

void FlowTrader::change_later(Session& session, std::string cl_ord_id, Milliseconds time,
                              bool is_cancel) {
  session.call_after(time, [this, id = std::move(cl_ord_id), is_cancel](Session& same) {
    send_change(same, id, is_cancel);
  });
}

// The order may be closed meanwhile, or have another ClOrdID.
void FlowTrader::send_change(Session& session, std::string_view cl_ord_id, bool is_cancel) {
  const auto found = open_.find(cl_ord_id);
  if (found == open_.end() || !session.is_logged_on() || has_ended_) return;
  Open& order = found->second;
  if (order.is_changing || !order.is_accepted || (!is_cancel && order.price == 0)) return;
  const std::string id = next_id();
  wire::Encoder message = session.begin(is_cancel ? "F" : "G");
  message.field(tag::OrigClOrdID, std::string_view{found->first})
      .field(tag::ClOrdID, std::string_view{id});
  if (!is_cancel && session.application_version() == "FIX.4.2") message.field(tag::HandlInst, '1');
  message.field(tag::Symbol, std::string_view{order.symbol})
      .field(tag::Side, order.side)
      .field(tag::TransactTime, session.now());
  if (!is_cancel) {
    const Units price = rules_.price.pick(random_);
    message.field(tag::OrderQty, venue::to_decimal(order.quantity))
        .field(tag::OrdType, '2')
        .field(tag::Price, venue::to_decimal(price));
  } else {
    message.field(tag::OrderQty, venue::to_decimal(order.quantity));
  }
  if (const auto sent = session.finish(message); !sent) return on_refused(sent.error());
  order.is_changing = true;
}

void FlowTrader::cancel_all(Session& session) {
  std::vector<std::string> ids;
  for (const auto& [id, order] : open_) ids.push_back(id);
  for (const std::string& id : ids) send_change(session, id, true);
}

void FlowTrader::on_message(Session& session, const wire::MessageView& message) {
  const std::string_view type = message.msg_type();
  if (type == "8") {
    on_report(session, message);
  } else if (type == "9" || type == "j") {
    ++counts_.refused;
    const auto found = open_.find(message[tag::OrigClOrdID].value_or(""));
    if (found != open_.end()) found->second.is_changing = false;
  }
  react(session, message);
}

void FlowTrader::on_report(Session&, const wire::MessageView& report) {
  const std::string_view status = report[tag::OrdStatus].value_or("");
  const std::string_view id = report[tag::ClOrdID].value_or("");
  auto found = open_.find(report[tag::OrigClOrdID].value_or(id));
  if (found == open_.end()) found = open_.find(id);
  const std::string_view type = report[tag::ExecType].value_or("");
  counts_.accepted += type == "0" ? 1U : 0U;
  counts_.fills += type == "F" || type == "1" || type == "2" ? 1U : 0U;
  counts_.replaced += type == "5" ? 1U : 0U;
  if (found == open_.end()) return;
  found->second.is_accepted = true;
  if (is_final(status)) {
    counts_.filled += status == "2" ? 1U : 0U;
    counts_.canceled += status == "4" || status == "C" ? 1U : 0U;
    counts_.rejected += status == "8" ? 1U : 0U;
    open_.erase(found);
    return;
  }
  if (found->first == id || type != "5") return;
  auto node = open_.extract(found);
  node.key() = std::string{id};
  node.mapped().is_changing = false;
  if (const auto price = report.get<Decimal>(tag::Price)) {
    node.mapped().price = venue::to_units(*price).value_or(node.mapped().price);
  }
  open_.insert(std::move(node));
}

void FlowTrader::react(Session& session, const wire::MessageView& message) {
  const auto rule = std::ranges::find_if(rules_.rules, [&](const venue::Rule& one) {
    return std::ranges::all_of(one.conditions, [&](const venue::Condition& condition) {
      return condition.holds(message, random_);
    });
  });
  if (rule == rules_.rules.end()) return;
  for (const Action& action : rule->actions) {
    switch (action.kind) {
      case ActionKind::Cancel:
        change_later(session, std::string{message[tag::ClOrdID].value_or("")}, action.time, true);
        break;
      case ActionKind::Disconnect:
        session.disconnect("a rule of the trader");
        break;
      case ActionKind::LogOut:
        has_ended_ = true;
        break;
      case ActionKind::Reject:
        end(action.text.empty() ? "a rule does not permit this message" : action.text);
        break;
      default:
        break;
    }
  }
}

// Above OutboundMessages with OutboundLimitRule=Refuse the next turn sends another order; a change
// is left out, and the cancels of the end are repeated.
void FlowTrader::on_refused(const engine::SendError& error) {
  if (error.failure != engine::SendFailure::RateLimited) end(error.what());
}

void FlowTrader::end(std::string_view why) {
  has_ended_ = true;
  if (failure_.empty()) failure_ = why;
}

}  // namespace nexusfix::flow
