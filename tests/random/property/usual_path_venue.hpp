// The application of usual_path_property.cpp: it notes its callbacks, and does what an order asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>

#include "support/fix_text.hpp"

namespace nexusfix::testing {

// What happened, in order.
using Transcript = std::vector<std::string>;

inline constexpr std::size_t kSessions = 2;
inline constexpr wire::Tag kOrderQty = 38;

// What the venue does with an order, by the last digit of its OrderQty (38).
enum class Behaviour : std::uint8_t {
  Report,
  NoAnswer,
  TwoReports,
  ReportAndThrow,
  BusinessReject,
  SessionReject,
  ReportOnEachSession,
  LogOut,
  Disconnect,
};

class Venue {
 public:
  Venue(Transcript& transcript, std::optional<Engine>& engine)
      : transcript_{transcript}, engine_{engine} {}

  void on_logon(Session& session) { note("on_logon", session); }
  void on_logout(Session& session) { note("on_logout", session); }
  void on_disconnect(Session& session, const Disconnection& end) {
    note("on_disconnect", session, end.text);
  }
  MessageReply on_message(Session& session, const fix44::NewOrderSingle& order) {
    using namespace nexusfix::literals;
    const auto report = [&](Session& on) {
      return on.send<fix44::ExecutionReport>(
          fix44::OrderID{"O1"}, fix44::ExecID{"E1"}, fix44::ExecType::Trade,
          fix44::OrdStatus::Filled, order.cl_ord_id(), order.symbol(), order.side(),
          fix44::LeavesQty{0_d}, fix44::CumQty{100_d}, fix44::AvgPx{12.5_d});
    };
    note("order", session, bar(order.view().bytes()));
    return answer(session, order.view(), report);
  }
  MessageReply on_message(Session& session, const MessageView& message) {
    const auto report = [&](Session& on) {
      wire::Encoder encoder = on.begin("8");
      encoder.field(11, message[11].value_or("?")).field(150, '0').field(39, '0').field(14, 7);
      return on.finish(encoder);
    };
    note("message", session, bar(message.bytes()));
    if (message.msg_type() != "D") return engine::unsupported_message_type();
    return answer(session, message, report);
  }
  // Outside of a callback. Some messages cannot be sent.
  void send(Session& session, unsigned how) {
    wire::Encoder news = session.begin(how % 16 == 15 ? "0" : "B");
    news.field(148, how % 32 == 14 ? "" : "Headline").field(58, std::string(how % 300 + 1, 'x'));
    record_sent(session, session.finish(news));
  }

 protected:
  void note(std::string_view what, const Session& session, std::string_view text = {}) {
    transcript_.push_back(std::string{what} + ' ' + std::string{session.name()} + ' ' +
                          std::string{text});
  }

 private:
  void record_sent(const Session& session, const engine::SendResult& sent) {
    if (!sent) return note("not sent", session, sent.error().what());
    note(sent->is_transmitted ? "sent" : "stored", session, std::to_string(sent->msg_seq_num));
  }
  template <class Report>
  MessageReply answer(Session& session, const MessageView& order, const Report& report) {
    const std::string_view quantity = order[kOrderQty].value_or("0");
    const auto send = [&](Session& on) { record_sent(on, report(on)); };
    note("fields", session, std::to_string(order.field_count()));
    switch (static_cast<Behaviour>(quantity.back() - '0')) {
      case Behaviour::NoAnswer:
        return accept();
      case Behaviour::TwoReports:
        send(session);
        break;
      case Behaviour::ReportAndThrow:
        send(session);
        throw std::runtime_error{"not today"};
      case Behaviour::BusinessReject:
        return business_reject(0, kOrderQty, "no such quantity", "A1");
      case Behaviour::SessionReject:
        return session_reject(5, kOrderQty, "wrong quantity");
      case Behaviour::ReportOnEachSession:
        for (std::size_t i = 0; i < kSessions; ++i) send(engine_->session(i));
        return accept();
      case Behaviour::LogOut:
        session.log_out("enough");
        break;
      case Behaviour::Disconnect:
        session.disconnect("too much");
        break;
      default:
        break;
    }
    send(session);
    return accept();
  }

  Transcript& transcript_;
  std::optional<Engine>& engine_;
};

// It has the optional callbacks, too, which look at each message.
class WatchingVenue final : public Venue {
 public:
  using Venue::Venue;

  void on_admin(Session& session, const MessageView& message) {
    note("on_admin", session, bar(message.bytes()));
  }
  engine::SendDecision on_sending(Session& session, OutgoingMessage& message) {
    note("on_sending", session, bar(message.view().bytes()));
    if (message.msg_seq_num() % 7 == 0) return engine::SendDecision::Withhold;
    if (message.msg_seq_num() % 5 == 0) message.edit().set(58, "edited");
    return engine::SendDecision::Send;
  }
  void on_sent(Session& session, const SentMessage& message) {
    note(message.is_transmitted ? "on_sent" : "on_sent later", session, bar(message.bytes));
  }
  engine::ResendAnswer on_resend_request(Session& session, const engine::ResendRequest& request) {
    note("on_resend_request", session, std::to_string(request.begin_seq_no));
    return request.begin_seq_no % 4 == 0 ? engine::ResendAnswer::gap_fill()
                                         : engine::ResendAnswer{};
  }
};

}  // namespace nexusfix::testing
