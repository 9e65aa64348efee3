#include "venue/venue.hpp"

#include <algorithm>
#include <array>
#include <exception>

#include <nexusfix/fix44/tags.hpp>

#include "venue/orders/order_fields.hpp"

namespace nexusfix::venue {
namespace {

using engine::MessageReply;
using engine::Session;
namespace tag = fix44::tag;

constexpr std::array<std::string_view, 3> kVersions{"FIX.4.2", "FIX.4.4", "FIX.5.0SP2"};
constexpr std::string_view kByRule = "rejected by a rule of the venue";

MessageReply venue_closing() {
  return engine::business_reject(kApplicationNotAvailable, 0, "the venue is closing");
}

// The answer to a message that was delayed: the engine has accepted it already.
void send_business_reject(Session& session, const wire::MessageView& message,
                          const MessageReply& reply) {
  const bool is_of_business = reply.kind() == MessageReply::Kind::RejectBusiness;
  wire::Encoder reject = session.begin("j");
  reject.field(tag::RefSeqNum, message[tag::MsgSeqNum].value_or("0"))
      .field(tag::RefMsgType, message.msg_type())
      .field(tag::BusinessRejectReason, is_of_business ? reply.reason() : kOtherReason)
      .field(tag::Text, reply.text().empty() ? kByRule : reply.text());
  static_cast<void>(session.finish(reject));  // the session takes no message now
}

}  // namespace

void Venue::set_rules(std::shared_ptr<const Rules> rules) {
  exchange_.set_rules(std::move(rules));
  entry_.auctions().follow_rules();
}

bool Venue::attach(engine::Engine& engine) {
  if (!failure().empty()) return false;
  exchange_.reserve_failure();
  exchange_.engine = &engine;
  for (Session& session : engine.sessions()) {
    if (std::ranges::find(kVersions, session.application_version()) == kVersions.end()) {
      exchange_.set_failure("session " + std::string{session.name()} +
                            ": this venue speaks FIX.4.2, FIX.4.4 and FIX.5.0SP2 only");
      return false;
    }
    exchange_.parties.join(session);
  }
  restored_.clear();
  if (!check_owners()) return false;
  try {
    if (!settle_losses()) return false;
    cancel_what_cannot_rest();
    for (Session& session : engine.sessions()) entry_.on_disconnect(session);
    entry_.auctions().follow_rules();
    return true;
  } catch (const std::exception& error) {
    exchange_.set_failure("open orders could not be canceled or traded at the start: " +
                          std::string{error.what()});
    return false;
  }
}

bool Venue::check_owners() {
  exchange_.book.visit_orders([this](OrderIndex index) {
    const Order& order = exchange_.book.order(index);
    const Party& owner = exchange_.parties[order.owner];
    if (!order.is_open() || owner.session != nullptr) return;
    exchange_.set_failure(
        "the store holds open orders of session " + owner.name +
        ", which is not served: their fills could not be reported. If the engine has "
        "refused it, repair the journal; if the configuration does not name it, add the "
        "session, or start with an empty FileStorePath");
  });
  return failure().empty();
}

// A rule held them, and what it had to do with them has ended with the process.
void Venue::cancel_what_cannot_rest() {
  std::vector<OrderIndex> held;
  exchange_.book.visit_orders([&](OrderIndex index) {
    const Order& order = exchange_.book.order(index);
    if (order.is_open() && !order.is_resting) held.push_back(index);
  });
  for (const OrderIndex index : held) {
    exchange_.change(
        [&](auto sink) { exchange_.book.cancel_open(index, CancelCause::Venue, sink); },
        "canceled: the venue was started again");
  }
}

std::optional<engine::LogonAnswer> Venue::answer_logon(Session& session,
                                                       const engine::LogonRequest& request) {
  const Rule* const rule = exchange_.rules().first(request.message, random_);
  if (rule == nullptr) return engine::LogonAnswer::accept();
  if (rule->action(ActionKind::StaySilent) != nullptr) return std::nullopt;
  engine::LogonAnswer answer;
  if (const Action* const rejection = rule->action(ActionKind::Reject)) {
    answer = engine::LogonAnswer::refuse(rejection->text.empty() ? std::string{kByRule}
                                                                 : rejection->text);
  }
  const Action* const delay = rule->action(ActionKind::Delay);
  if (delay == nullptr) return answer;
  session.call_after(time_of(*delay),
                     [id = request.id, answer](Session& later) { later.answer_logon(id, answer); });
  return std::nullopt;
}

// Also adds a session that was added to the running engine.
void Venue::on_logon(Session& session) {
  if (!exchange_.parties.has(session)) exchange_.parties.join(session);
}

void Venue::on_disconnect(Session& session, const engine::Disconnection&) {
  market_data_.on_disconnect(session);
  trade_capture_.on_disconnect(session);
  if (failure().empty()) entry_.on_disconnect(session);
}

MessageReply Venue::on_message(Session& session, const wire::MessageView& message) {
  if (!failure().empty()) return venue_closing();
  const Rule* const rule = exchange_.rules().first(message, random_);
  const Action* const delay = rule == nullptr ? nullptr : rule->action(ActionKind::Delay);
  if (delay == nullptr) return act(session, message, rule);
  if (act_later(session, message, *rule, *delay)) return engine::accept();
  return engine::business_reject(kApplicationNotAvailable, 0, "too many messages are delayed");
}

Milliseconds Venue::time_of(const Action& delay) {
  if (delay.time_max == Milliseconds{0}) return delay.time;
  const auto span = static_cast<std::uint64_t>((delay.time_max - delay.time).count()) + 1;
  return delay.time + Milliseconds{random_.below(span)};
}

bool Venue::act_later(Session& session, const wire::MessageView& message, const Rule& rule,
                      const Action& delay) {
  // A reload may replace the rules meanwhile.
  auto act_on_copy = [this, bytes = std::string{message.bytes()}, rules = exchange_.share_rules(),
                      at = &rule](Session& later) {
    const auto copy = parser_.parse(bytes);
    if (!copy || !failure().empty()) return;
    const MessageReply reply = act(later, *copy, at);
    if (!reply.accepts()) send_business_reject(later, *copy, reply);
  };
  return static_cast<bool>(session.call_after(time_of(delay), std::move(act_on_copy)));
}

MessageReply Venue::act(Session& session, const wire::MessageView& message, const Rule* rule) {
  if (rule == nullptr) return handle(session, message, nullptr);
  if (rule->action(ActionKind::Disconnect) != nullptr) session.disconnect("a rule of the venue");
  if (const Action* const log_out = rule->action(ActionKind::LogOut)) {
    session.log_out(log_out->text);
  }
  if (rule->action(ActionKind::StaySilent) != nullptr) return engine::accept();
  if (const Action* const rejection = rule->action(ActionKind::Reject)) {
    Action action = *rejection;
    if (action.text.empty()) action.text = kByRule;
    return reject(session, message, action);
  }
  return handle(session, message, rule);
}

MessageReply Venue::reject(Session& session, const wire::MessageView& message,
                           const Action& action) {
  if (auto refused = refuse_malformed(message)) return *refused;
  if (action.reject_by == RejectBy::Session) {
    constexpr unsigned kOtherOfSession = 99;  // SessionRejectReason
    return engine::session_reject(action.reason.value_or(kOtherOfSession), 0, action.text);
  }
  const std::string_view type = message.msg_type();
  if (action.reject_by == RejectBy::Business) {
    return engine::business_reject(action.reason.value_or(kOtherReason), 0, action.text,
                                   message[tag::ClOrdID].value_or(""));
  }
  constexpr std::array<std::string_view, 5> kOrders{"D", "AB", "F", "G", "AC"};
  constexpr std::array<std::string_view, 4> kQuotes{"S", "i", "Z", "R"};
  if (std::ranges::find(kOrders, type) != kOrders.end()) {
    return entry_.reject(session, message, action);
  }
  const unsigned reason = action.reason.value_or(kOtherReason);
  if (std::ranges::find(kQuotes, type) != kQuotes.end()) {
    quotes_.reject(session, message, reason, action.text);
  } else if (type == "V") {
    market_data_.reject(session, message[tag::MDReqID].value_or(""), reason, action.text);
  } else if (type == "J") {
    allocations_.answer(session, message, reason, action.text);
  } else {
    return engine::business_reject(reason, 0, action.text);
  }
  return engine::accept();
}

MessageReply Venue::handle(Session& session, const wire::MessageView& message, const Rule* rule) {
  if (auto refused = refuse_malformed(message)) return *refused;
  const std::string_view type = message.msg_type();
  if (type == "D") return entry_.submit(session, message, rule);
  if (type == "F") return entry_.cancel(session, message);
  if (type == "G") return entry_.replace(session, message);
  if (type == "H") return mass_requests_.status(session, message);
  if (type == "V") return market_data_.request(session, message);
  if (type == "c") return securities_.define(session, message);
  if (type == "S") return quotes_.quote(session, message);
  if (type == "i") return quotes_.mass_quote(session, message);
  if (type == "Z") return quotes_.cancel(session, message);
  if (type == "R") return quotes_.request(session, message);
  if (type == "J") return allocations_.instruct(session, message);
  // FIX 4.2 does not have the others.
  if (session.application_version() == "FIX.4.2") return engine::unsupported_message_type();
  if (type == "q") return mass_requests_.cancel(session, message);
  if (type == "x") return securities_.list(session, message);
  if (type == "AB") return entry_.submit(session, message, rule);
  if (type == "AC") return entry_.replace(session, message);
  if (type == "AD") return trade_capture_.request(session, message);
  if (type == "AT") return engine::accept();  // the answer to an AllocationReport
  if (type == "AF") return mass_requests_.mass_status(session, message);
  return engine::unsupported_message_type();
}

}  // namespace nexusfix::venue
