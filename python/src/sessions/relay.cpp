#include "python/src/sessions/relay.hpp"

#include <utility>

#include <nexusfix/store.hpp>
#include <nexusfix/wire/encoder.hpp>

namespace nexusfix::python {

using engine::Session;

namespace {

constexpr char kSoh = '\x01';

}  // namespace

SessionPort& Relay::port_of(Session& session) {
  if (SessionPort* const known = SessionPorts::find(session)) return *known;
  SessionPort& port = ports_.add(session);
  // The consumer reads the port after this event.
  channel_.push({.kind = EventKind::NewSession,
                 .session = port.id,
                 .number = reinterpret_cast<std::uintptr_t>(&port)});
  return port;
}

void Relay::push(EventKind kind, Session& session, std::string_view text) {
  channel_.push({.kind = kind, .session = port_of(session).id}, text);
}

void Relay::on_logon(Session& session) {
  port_of(session).is_logged_on = true;
  push(EventKind::LoggedOn, session);
}

void Relay::on_logout(Session& session) {
  port_of(session).is_logged_on = false;
  push(EventKind::LoggedOut, session);
}

void Relay::on_disconnect(Session& session, const engine::Disconnection& gone) {
  channel_.push(
      {.kind = EventKind::Disconnected, .is_set = gone.is_orderly, .session = port_of(session).id},
      gone.text);
}

engine::MessageReply Relay::on_message(Session& session, const wire::MessageView& message) {
  SessionPort& port = port_of(session);
  const std::string_view bytes = message.bytes();
  port.waiting_bytes.fetch_add(bytes.size());
  channel_.push({.kind = EventKind::Message, .session = port.id}, bytes);
  network_.on_message(port);
  return engine::accept();
}

void Relay::on_admin(Session& session, const wire::MessageView& message) {
  if (message.msg_type() == "3") static_cast<void>(on_message(session, message));
}

std::optional<engine::LogonAnswer> Relay::on_logon_request(Session& session,
                                                           const engine::LogonRequest& request) {
  if (!asks_logons_) return engine::LogonAnswer::accept();
  channel_.push(
      {.kind = EventKind::LogonRequest, .session = port_of(session).id, .number = request.id},
      request.message.bytes());
  return std::nullopt;
}

void Relay::write_logon(Session& session, wire::Encoder& encoder, const wire::MessageHeader&) {
  LogonFields& logon = port_of(session).logon;
  for (std::size_t at = 0; at < logon.fields.size(); ++at) {
    const auto& [tag, value] = logon.fields[at];
    if (at + 1 < logon.fields.size() && logon.fields[at + 1].second.contains(kSoh)) {
      encoder.data(tag, logon.fields[at + 1].first, logon.fields[at + 1].second);
      ++at;
    } else {
      encoder.field(tag, std::string_view{value});
    }
  }
  if (logon.state == LogonFields::State::Ready) logon.state = LogonFields::State::None;
}

void Relay::write(const observe::Event& event) {
  std::string text{event.session};
  text.append("\n").append(event.text);
  channel_.push({.kind = EventKind::Log,
                 .code = static_cast<std::uint8_t>(event.severity()),
                 .number = static_cast<std::uint64_t>(event.id)},
                text);
}

void Relay::report(std::uint64_t token, const engine::PostResult& result) {
  EventHeader header{.kind = EventKind::Sent, .token = token};
  if (result.sent) {
    header.is_set = result.sent->is_transmitted;
    header.number = result.sent->msg_seq_num;
  } else if (result.refusal) {
    header.code = static_cast<std::uint8_t>(result.refusal->failure) + 1;
  }
  const bool is_durable = !result.sent || store_->durable() >= store_->appended();
  if (is_durable && reports_.empty()) return channel_.push(header, result.text);
  reports_.push_back(
      {.position = result.sent ? store_->appended() : 0, .header = header, .text = result.text});
}

void Relay::on_turn() {
  while (!reports_.empty() && reports_.front().position <= store_->durable()) {
    channel_.push(reports_.front().header, reports_.front().text);
    reports_.pop_front();
  }
  channel_.flush();
}

void Relay::end(int result) {
  on_turn();
  for (Report& report : reports_) {
    report.header.number = 0;
    channel_.push(report.header, report.text.empty() ? "the store has failed" : report.text);
  }
  reports_.clear();
  channel_.push({.kind = EventKind::End, .number = static_cast<std::uint64_t>(result)});
}

engine::SendResult send_fields(Session& session, const wire::MessageView& message) {
  wire::Encoder encoder = session.begin(message.msg_type());
  const auto count = static_cast<std::uint32_t>(message.field_count());
  for (std::uint32_t at = 0; at < count; ++at) {
    const wire::FieldView field = message.field(at);
    if (wire::belongs_to_session(field.tag)) continue;
    const wire::FieldView next = at + 1 < count ? message.field(at + 1) : wire::FieldView{};
    if (next.value.contains(kSoh)) {  // a data field, after its length
      encoder.data(field.tag, next.tag, next.value);
      ++at;
    } else {
      encoder.field(field.tag, field.value);
    }
  }
  return session.finish(encoder);
}

}  // namespace nexusfix::python
