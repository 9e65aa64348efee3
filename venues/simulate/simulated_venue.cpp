#include "venues/simulate/simulated_venue.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include <nexusfix/wire/field.hpp>

#include "tester/script/message_text.hpp"
#include "transport/api/signing_key.hpp"
#include "venues/simulate/order_tags.hpp"

namespace nexusfix::venues {
namespace {

using engine::LogonAnswer;
using engine::MessageReply;
using engine::Session;
using session::SessionRejectReason;

constexpr std::string_view kEndpointKey = "VenueEndpoint";
constexpr unsigned kBusinessOther = 0;

// tag: "32". Empty: there is none.
std::string value_in(const Fields& report, const std::string& tag) {
  const auto found = std::ranges::find_if(
      report, [&](const TemplateField& field) { return std::to_string(field.tag) == tag; });
  return found == report.end() ? "" : found->value;
}

void move_fields(Fields& report, const Endpoint& endpoint, const TemplateValues& values) {
  for (const ReportMove& move : endpoint.report_moves) {
    const auto source = std::ranges::find(report, move.from, &TemplateField::tag);
    if (source == report.end()) continue;
    std::string value = source->value;
    if (move.value.starts_with('@')) {
      value = value_in(report, move.value.substr(1));
    } else if (!move.value.empty()) {
      const auto made = expand_template(fmt::format("{}={}", move.to, move.value), values);
      value = made.empty() ? "" : made.front().value;
    }
    const auto target = std::ranges::find(report, move.to, &TemplateField::tag);
    if (target == report.end()) {
      report.push_back({move.to, value});
    } else {
      target->value = value;
    }
  }
}

// With BeginString, BodyLength and CheckSum; the fields have the rest of its header.
std::string whole_message(std::string_view begin_string, const Fields& fields) {
  std::string body;
  for (const TemplateField& field : fields) {
    body += fmt::format("{}={}{}", field.tag, field.value, wire::kSoh);
  }
  const std::string bytes =
      fmt::format("8={}{}9={}{}{}", begin_string, wire::kSoh, body.size(), wire::kSoh, body);
  return bytes + tester::check_sum_field(bytes);
}

}  // namespace

SimulatedVenue::SimulatedVenue(const Kit& kit, Gates gates, Say say)
    : kit_{kit},
      gates_{std::move(gates)},
      say_{std::move(say)},
      market_{kit.house, kit.symbol_tag},
      feed_{market_},
      owners_{nullptr} {}

SimulatedVenue::Client& SimulatedVenue::client_of(Session& session) {
  if (Client* const known = session.data<Client>()) return *known;
  Client& made = session.attach<Client>();
  made.endpoint = kit_.endpoint(session.setting(kEndpointKey).value_or(""));
  made.owner = static_cast<venue::Owner>(owners_.size());
  owners_.push_back(&session);
  return made;
}

std::optional<LogonAnswer> SimulatedVenue::on_logon_request(Session& session,
                                                            const engine::LogonRequest& request) {
  Client& client = client_of(session);
  const Endpoint& endpoint = *client.endpoint;
  std::string detail;
  const auto refusal = gates_.find(endpoint.name)
                           ->second->refusal_of(request.message.bytes(), session.now(), detail);
  const std::string name =
      fmt::format("{}: {}", endpoint.name, text_of(request.message, tag::SenderCompID));
  if (!refusal) {
    const auto fields = tester::fields_of(request.message.bytes());
    client.cancels_on_disconnect =
        endpoint.cancels_on_disconnect && endpoint.cancels_on_disconnect->is_kept(fields);
    return LogonAnswer::accept();
  }
  say_(fmt::format("{} is refused: {} ({})", name, refusal->text, detail));
  if (refusal->way == Way::Send && network_ != nullptr) {
    network_->replace_logout(refusal->text,
                             expand_template(refusal->message, values(session, &request.message)));
  }
  if (refusal->way != Way::Disconnect) return LogonAnswer::refuse(refusal->text);
  session.disconnect(detail);
  return std::nullopt;
}

void SimulatedVenue::write_logon(Session& session, wire::Encoder& logon,
                                 const wire::MessageHeader&) {
  const Endpoint& endpoint = *client_of(session).endpoint;
  if (endpoint.logon_answer.empty()) return;
  write_fields(logon, expand_template(endpoint.logon_answer, values(session, nullptr)));
}

void SimulatedVenue::on_logon(Session& session) {
  logged_on_.push_back(&session);
  const Endpoint& endpoint = *client_of(session).endpoint;
  say_(fmt::format("{}: {} is logged on", endpoint.name, session.id().target_comp_id));
  for (const CannedMessage& one : endpoint.canned) {
    if (one.msg_type.empty()) send_canned(session, one.text, nullptr, endpoint.envelope);
  }
  if (endpoint.tick.count() > 0) {
    session.call_after(endpoint.tick, [this](Session& own) { tick(own); });
  }
}

void SimulatedVenue::on_logout(Session& session) {
  std::erase(logged_on_, &session);
  feed_.leave(session);
  const Client& client = client_of(session);
  if (!client.cancels_on_disconnect) return;
  const unsigned count = market_.cancel_all(
      client.owner, {}, [&](venue::Owner owner, std::string_view symbol, const Fields& fields) {
        report(owner, symbol, fields);
      });
  publish();
  say_(fmt::format("{}: {} orders are cancelled on disconnect", client.endpoint->name, count));
}

MessageReply SimulatedVenue::on_message(Session& session, const wire::MessageView& message) {
  const Client& client = client_of(session);
  const Endpoint& endpoint = *client.endpoint;
  const std::string_view type = message.msg_type();
  if (!endpoint.msg_types.contains(type)) {
    return refuse(session, message, endpoint.other_msg_types,
                  static_cast<unsigned>(SessionRejectReason::InvalidMsgType));
  }
  const auto fields = tester::fields_of(message.bytes());
  for (const MessageRule& one : endpoint.rules) {
    if (one.msg_type != type || one.rule.is_kept(fields)) continue;
    const bool is_missing = !tester::value_of(fields, one.rule.condition().tag());
    return refuse(session, message, one.rule.refusal(),
                  static_cast<unsigned>(is_missing ? SessionRejectReason::RequiredTagMissing
                                                   : SessionRejectReason::ValueIncorrect));
  }
  return handle(session, client, message);
}

MessageReply SimulatedVenue::refuse(Session& session, const wire::MessageView& message,
                                    const Refusal& refusal, unsigned reason) {
  switch (refusal.way) {
    case Way::Reject:
      return engine::session_reject(reason, refusal.tag, refusal.text);
    case Way::BusinessReject:
      return engine::business_reject(kBusinessOther, refusal.tag, refusal.text);
    case Way::Report:
      send_report(session, *client_of(session).endpoint, market_.rejection(message, refusal.text));
      return engine::accept();
    case Way::Send:
      send_canned(session, refusal.message, &message);
      return engine::accept();
    case Way::Logout:
      session.log_out(refusal.text);
      return engine::accept();
    case Way::Disconnect:
      break;
  }
  session.disconnect(refusal.text);
  return engine::accept();
}

MessageReply SimulatedVenue::handle(Session& session, const Client& client,
                                    const wire::MessageView& message) {
  const std::string_view type = message.msg_type();
  const auto canned = std::ranges::find(client.endpoint->canned, type, &CannedMessage::msg_type);
  if (canned != client.endpoint->canned.end()) {
    send_canned(session, canned->text, &message);
    return engine::accept();
  }
  const auto sink = [&](venue::Owner owner, std::string_view symbol, const Fields& fields) {
    report(owner, symbol, fields);
  };
  std::string why;
  if (type == "D") {
    why = market_.submit(client.owner, message, sink);
  } else if (type == "F") {
    why = cancel(session, client, message);
  } else if (type == "G") {
    why = market_.replace(client.owner, message, sink);
  } else if (type == "q") {
    mass_cancel(session, client, message);
  } else if (type == "V") {
    feed_.request(session, message, client.endpoint->feed);
  } else if (type == "H") {
    send_report(session, *client.endpoint, market_.status(client.owner, message));
  } else {
    return engine::unsupported_message_type();
  }
  if (!why.empty()) refuse_order(session, message, why);
  publish();
  return engine::accept();
}

std::string SimulatedVenue::cancel(Session& session, const Client& client,
                                   const wire::MessageView& request) {
  struct Report {
    venue::Owner owner;
    std::string symbol;
    Fields fields;
  };
  std::vector<Report> reports;
  std::string why = market_.cancel(
      client.owner, request, [&](venue::Owner owner, std::string_view symbol, Fields fields) {
        reports.push_back({owner, std::string{symbol}, std::move(fields)});
      });
  const std::string& ack = client.endpoint->cancel_ack;
  if (why.empty() && !ack.empty()) send_canned(session, ack, &request);
  for (const Report& one : reports) report(one.owner, one.symbol, one.fields);
  return why;
}

void SimulatedVenue::refuse_order(Session& session, const wire::MessageView& message,
                                  const std::string& why) {
  const Client& client = client_of(session);
  if (message.msg_type() == "D") {
    return send_report(session, *client.endpoint, market_.rejection(message, why));
  }
  const std::string& own_reject = client.endpoint->cancel_reject;
  if (message.msg_type() == "F" && !own_reject.empty()) {
    return send_canned(session, own_reject, &message);
  }
  wire::Encoder encoder = session.begin("9");
  const bool is_replace = message.msg_type() == "G";
  encoder.field(order_tag::OrderID, std::string_view{market_.order_id_of(client.owner, message)})
      .field(order_tag::ClOrdID, text_of(message, order_tag::ClOrdID));
  if (const auto original = message[order_tag::OrigClOrdID])
    encoder.field(order_tag::OrigClOrdID, *original);
  encoder.field(order_tag::OrdStatus, '8')
      .field(order_tag::CxlRejResponseTo, is_replace ? '2' : '1');
  if (const auto symbol = message[order_tag::Symbol]) encoder.field(order_tag::Symbol, *symbol);
  encoder.field(order_tag::Text, std::string_view{why});
  static_cast<void>(session.finish(encoder));
}

void SimulatedVenue::mass_cancel(Session& session, const Client& client,
                                 const wire::MessageView& request) {
  constexpr wire::Tag kRequestType = 530;
  constexpr wire::Tag kResponse = 531;
  constexpr wire::Tag kTotalAffected = 533;
  const std::string_view type = text_of(request, kRequestType);
  const std::string_view symbol = type == "7" ? "" : text_of(request, market_.symbol_tag());
  const unsigned count = market_.cancel_all(
      client.owner, symbol, [&](venue::Owner owner, std::string_view of, const Fields& fields) {
        report(owner, of, fields);
      });
  wire::Encoder encoder = session.begin("r");
  encoder.field(order_tag::ClOrdID, text_of(request, order_tag::ClOrdID));
  const wire::Tag symbol_tag = market_.symbol_tag();
  if (const auto named = request[symbol_tag]) encoder.field(symbol_tag, *named);
  encoder.field(kRequestType, type).field(kResponse, type).field(kTotalAffected, count);
  static_cast<void>(session.finish(encoder));
}

void SimulatedVenue::send_canned(Session& session, const std::string& text,
                                 const wire::MessageView* request,
                                 const std::optional<Envelope>& envelope) {
  const auto fields = expand_template(text, values(session, request));
  const auto type = std::ranges::find(fields, tag::MsgType, &TemplateField::tag);
  if (type == fields.end()) return;
  wire::Encoder encoder = session.begin(envelope ? envelope->msg_type : type->value);
  if (envelope) {
    const std::string xml = fmt::format("<{0}>{1}</{0}>", envelope->element,
                                        whole_message(session.id().begin_string, fields));
    encoder.data(tag::XmlDataLen, tag::XmlData, xml);
  } else {
    write_fields(encoder, fields);
  }
  if (const auto sent = session.finish(encoder); !sent) {
    say_(fmt::format("a message of the kit cannot be sent: {}", sent.error().what()));
  }
}

void SimulatedVenue::send_report(Session& session, const Endpoint& endpoint, Fields report) {
  wire::Encoder encoder = session.begin("8");
  move_fields(report, endpoint, values(session, nullptr));
  const auto is_omitted = [&](const TemplateField& field) {
    return std::ranges::any_of(endpoint.report_without, [&](const ReportOmission& one) {
      return one.tag == field.tag && (one.value.empty() || one.value == field.value);
    });
  };
  std::erase_if(report, is_omitted);
  write_fields(encoder, report);
  if (!is_omitted({.tag = order_tag::TransactTime})) {
    encoder.field(order_tag::TransactTime, session.now());
  }
  write_fields(encoder, expand_template(endpoint.report_fields, values(session, nullptr)));
  static_cast<void>(session.finish(encoder));
}

void SimulatedVenue::report(venue::Owner owner, std::string_view symbol, const Fields& fields) {
  if (owner == kHouse) return;
  for (Session* const session : logged_on_) {
    const Client& client = client_of(*session);
    const bool is_owner = client.owner == owner;
    if (is_owner || client.endpoint->is_copy) send_report(*session, *client.endpoint, fields);
  }
  touched_.emplace(symbol);
}

void SimulatedVenue::publish() {
  for (const std::string& symbol : touched_) feed_.changed(symbol);
  touched_.clear();
}

void SimulatedVenue::tick(Session& session) {
  if (!session.is_logged_on()) return;
  const std::string symbol = market_.tick();
  if (!symbol.empty()) feed_.changed(symbol);
  session.call_after(client_of(session).endpoint->tick, [this](Session& own) { tick(own); });
}

TemplateValues SimulatedVenue::values(Session& session, const wire::MessageView* message) {
  return {.message = message,
          .count = ++count_,
          .now = session.now(),
          .random = transport::random_text().value_or("")};
}

}  // namespace nexusfix::venues
