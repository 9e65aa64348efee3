#include "peers/acceptance/echo_application.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/group_view.hpp>
#include <nexusfix/wire/typed.hpp>

namespace nexusfix::acceptance {
namespace {

constexpr wire::Tag kClOrdId = 11;

// Fields that the session writes itself, and those of the received message only.
constexpr std::array kNotEchoed{
    tag::BeginString,  tag::BodyLength,      tag::CheckSum,        tag::MsgType,
    tag::MsgSeqNum,    tag::PossDupFlag,     tag::SenderCompID,    tag::SendingTime,
    tag::TargetCompID, tag::OrigSendingTime, tag::SignatureLength, tag::Signature,
};

bool is_data_of(wire::Tag length, wire::Tag data) {
  static const wire::DataFieldTable kTable = wire::DataFieldTable::standard();
  return kTable.data_tag_for(length) == data;
}

void write(wire::Encoder& encoder, const MessageView& message, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const wire::FieldView field = message.field(i);
    if (i + 1 < end && is_data_of(field.tag, message.field(i + 1).tag)) {
      const wire::FieldView data = message.field(++i);
      encoder.data(field.tag, data.tag, data.value);
    } else if (field.value.empty()) {
      encoder.field_without_value(field.tag);
    } else {
      encoder.field(field.tag, field.value);
    }
  }
}

}  // namespace

void EchoApplication::on_logout(Session& session) { cl_ord_ids_[session.name()].clear(); }

MessageReply EchoApplication::on_message(Session& session, const MessageView& message) {
  const std::string_view type = message.msg_type();
  if (type == "D") {
    const std::string_view id = message[kClOrdId].value_or(std::string_view{});
    const bool is_new = cl_ord_ids_[session.name()].emplace(id).second;
    if (!is_new && message[tag::PossResend] == "Y") return accept();
    return echo(session, message);
  }
  if (type == "d" || type == "C") return echo(session, message);
  return engine::unsupported_message_type();
}

// Header fields by ascending tag, then the body's; values byte for byte.
MessageReply EchoApplication::echo(Session& session, const MessageView& message) {
  const std::string_view own =
      wire::application_version(message[tag::ApplVerID].value_or(std::string_view{}));
  collect_units(message, shapes_of(own.empty() ? session.counterparty_version() : own));
  const auto order = [](const Unit& unit) {
    return std::tuple{!wire::is_header_tag(unit.tag), unit.tag, unit.begin};
  };
  std::ranges::sort(units_, {}, order);
  wire::Encoder encoder = session.begin(message.msg_type());
  for (const Unit& unit : units_) write(encoder, message, unit.begin, unit.end);
  const auto sent = session.finish(encoder);
  return sent ? accept() : business_reject(0, 0, "cannot be echoed");
}

void EchoApplication::collect_units(const MessageView& message,
                                    const dictionary::GroupShapes& shapes) {
  units_.clear();
  for (std::size_t i = 0; i < message.field_count();) {
    const wire::Tag tag = message.field(i).tag;
    const auto& shape = shapes.of(message.msg_type(), tag);
    std::size_t end = i + 1;
    if (shape.count_tag() == tag) end = std::max(end, message.group(shape, i).end_index());
    if (end < message.field_count() && is_data_of(tag, message.field(end).tag)) ++end;
    if (std::ranges::find(kNotEchoed, tag) == kNotEchoed.end()) units_.push_back({tag, i, end});
    i = end;
  }
}

const dictionary::GroupShapes& EchoApplication::shapes_of(std::string_view version) {
  if (const auto known = shapes_.find(version); known != shapes_.end()) return known->second;
  const auto known_version = dictionary::version_of_begin_string(version);
  auto made = dictionary::GroupShapes::make(
      dictionary::builtin_dictionary(known_version.value_or(dictionary::Version::Fix44)));
  return shapes_.emplace(std::string{version}, std::move(*made)).first->second;
}

}  // namespace nexusfix::acceptance
