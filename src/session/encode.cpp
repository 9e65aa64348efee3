// From a thing to do to an Action: where administrative messages are encoded and get their numbers.
#include <algorithm>
#include <array>
#include <cstring>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/session/reject_reason.hpp>
#include <nexusfix/wire/resend.hpp>

#include "session/inbound.hpp"

namespace nexusfix::session {
namespace {

// Bounds on what comes from outside into a message that must fit into the scratch buffer. A longer
// Text is cut, a longer routing field, RefMsgType or BusinessRejectRefID left out.
constexpr std::size_t kRejectTextBytesMax = 1'024;
constexpr std::size_t kRoutingBytesMax = 128;
constexpr std::size_t kRefMsgTypeBytesMax = 32;
constexpr std::size_t kRefIdBytesMax = 256;

struct Route {
  wire::Tag from;
  wire::Tag to;
  bool is_location;
};

// By ascending tag written, as the header's fields go out. FIX 4.0 has no location fields.
constexpr std::array kReverseRoutes{
    Route{tag::DeliverToCompID, tag::OnBehalfOfCompID, false},
    Route{tag::DeliverToSubID, tag::OnBehalfOfSubID, false},
    Route{tag::OnBehalfOfCompID, tag::DeliverToCompID, false},
    Route{tag::OnBehalfOfSubID, tag::DeliverToSubID, false},
    Route{tag::DeliverToLocationID, tag::OnBehalfOfLocationID, true},
    Route{tag::OnBehalfOfLocationID, tag::DeliverToLocationID, true},
};

// A message that came through a third party is rejected to where it came from.
void write_reverse_route(wire::Encoder& encoder, const wire::MessageView& message,
                         const VersionTraits& version) noexcept {
  for (const Route& route : kReverseRoutes) {
    if (route.is_location && !version.has_location_ids) continue;
    const std::string_view value = message[route.from].value_or(std::string_view{});
    if (!value.empty() && value.size() <= kRoutingBytesMax) encoder.field(route.to, value);
  }
}

void write_if_any(wire::Encoder& encoder, wire::Tag tag, std::string_view value) noexcept {
  if (!value.empty()) encoder.field(tag, value);
}

// An empty one (ValidateFieldsHaveValues=N) is answered as it came.
void write_test_req_id(wire::Encoder& encoder, std::string_view id) noexcept {
  if (!id.empty()) {
    encoder.field(tag::TestReqID, id);
  } else {
    encoder.field_without_value(tag::TestReqID);
  }
}

// FIX 4.0 and 4.1 have no RefTagID: the tag goes behind the text.
class TextWithTag {
 public:
  TextWithTag(std::string_view text, std::string_view ref_tag) noexcept {
    put(text);
    if (ref_tag.empty()) return;
    put(" (");
    put(ref_tag);
    put(")");
  }
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }

 private:
  void put(std::string_view text) noexcept {
    const std::size_t size = std::min(text.size(), bytes_.size() - size_);
    std::memcpy(bytes_.data() + size_, text.data(), size);
    size_ += size;
  }
  std::array<char, kRejectTextBytesMax + 32> bytes_;
  std::size_t size_ = 0;
};

std::string_view type_of_stored(std::string_view bytes) noexcept {
  constexpr std::string_view kKey{
      "\x01"
      "35="};
  const std::size_t at = bytes.find(kKey);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = bytes.substr(at + kKey.size());
  return rest.substr(0, rest.find(wire::kSoh));
}

}  // namespace

wire::MessageHeader StateMachine::header(std::string_view msg_type) const noexcept {
  return {.msg_type = msg_type,
          .msg_seq_num = numbers_.next_outbound,
          .sending_time = now_.wall,
          .precision = precision_,
          .poss_dup = false,
          .poss_resend = false,
          .orig_sending_time = {}};
}

// FIX 4.2, LastMsgSeqNumProcessed: the last number that was received and processed.
void StateMachine::write_last_processed(wire::Encoder& encoder) const noexcept {
  if (sends_last_processed_) {
    encoder.field<tag::LastMsgSeqNumProcessed>(numbers_.next_inbound - 1);
  }
}

// body writes the fields behind the header; given false, it leaves out all that comes from outside
// and may not be sendable (SOH within a text). What is left is known to fit: what_is_wrong() has
// seen the CompIDs.
template <class Body>
Transmit StateMachine::transmit(std::string_view msg_type, std::span<char> scratch,
                                Body&& body) noexcept {
  const auto encode = [&](bool in_full) {
    wire::Encoder encoder{scratch, header_template_, header(msg_type)};
    write_last_processed(encoder);
    body(encoder, in_full);
    return encoder.finish();
  };
  std::expected<std::string_view, wire::EncodeError> bytes = encode(true);
  if (!bytes) bytes = encode(false);
  NEXUSFIX_ASSERT(bytes.has_value());
  last_sent_ = now_.mono;
  return {.msg_seq_num = numbers_.next_outbound++, .msg_type = msg_type, .bytes = *bytes};
}

std::optional<Action> StateMachine::perform(const Pending& pending,
                                            std::span<char> scratch) noexcept {
  switch (pending.step) {
    case Step::TransmitLogon:
      return transmit_logon(pending, scratch);
    case Step::TransmitLogout:
      return transmit_logout(pending, scratch);
    case Step::Authenticate:
      return Authenticate{.logon_id = pending.first, .message = message_};
    case Step::TransmitHeartbeat:
      return transmit("0", scratch, [&](wire::Encoder& encoder, bool in_full) {
        if (in_full && pending.flag) write_test_req_id(encoder, pending.text);
      });
    case Step::TransmitTestRequest:
      return transmit("1", scratch,
                      [](wire::Encoder& encoder, bool) { encoder.field(tag::TestReqID, "TEST"); });
    case Step::TransmitResendRequest:
      return transmit("2", scratch, [&](wire::Encoder& encoder, bool) {
        encoder.field(tag::BeginSeqNo, pending.first);
        encoder.field(tag::EndSeqNo,
                      pending.second != 0 ? pending.second : version_->resend_to_infinity);
      });
    case Step::TransmitReject:
      return transmit_reject(scratch);
    case Step::RetransmitStored:
      return retransmit_stored(scratch);
    case Step::RetransmitRest:
      return retransmit_rest(scratch);
    case Step::Deliver:
      return Deliver{.message = message_,
                     .msg_seq_num = pending.first,
                     .poss_dup = pending.flag,
                     .poss_resend = pending.second != 0};
    case Step::ShowAdministrative:
      return Administrative{.message = message_};
    case Step::Hold:
      return Hold{.msg_seq_num = pending.first, .bytes = pending.text};
    case Step::PassedOver:
      return PassedOver{.begin = pending.first, .end = pending.second};
    case Step::ServeExpected:
      serve_expected(pending.first);
      return std::nullopt;
    case Step::AskResend:
      if (asked_.begin == 0) return std::nullopt;
      return AskResend{.begin = pending.first, .end = pending.second};
    case Step::Replay:
      return Replay{.begin = pending.first, .end = pending.second};
    case Step::Reset:
      numbers_.next_outbound = 1;
      reset_is_pending_ = false;
      return Reset{};
    case Step::Release:
      outlet_ = Outlet::Wire;
      return Release{};
    case Step::LoggedOn:
      return LoggedOn{};
    case Step::LoggedOut:
      return LoggedOut{};
    case Step::Disconnect:
      return Disconnect{static_cast<DisconnectReason>(pending.code)};
    case Step::Notice:
      return Notice{.code = static_cast<NoticeCode>(pending.code),
                    .expected = pending.first,
                    .received = pending.second,
                    .text = pending.text};
  }
  return std::nullopt;
}

// What the owner writes into it may not be encodable: then no Logon leaves at all, for one without
// its signature would only be refused.
Action StateMachine::transmit_logon(const Pending& pending, std::span<char> scratch) noexcept {
  const wire::MessageHeader logon_header = header("A");
  wire::Encoder encoder{scratch, header_template_, logon_header};
  write_last_processed(encoder);
  encoder.field(tag::EncryptMethod, '0');
  encoder.field(tag::HeartBtInt, std::int64_t{heart_bt_int_seconds_.count()});
  if (pending.flag) encoder.field(tag::ResetSeqNumFlag, 'Y');
  write_if_any(encoder, tag::Username, config_.logon.username);
  write_if_any(encoder, tag::Password, config_.logon.password);
  if (sends_next_expected_) encoder.field(tag::NextExpectedMsgSeqNum, numbers_.next_inbound);
  write_if_any(encoder, tag::NewPassword, config_.logon.new_password);
  if (version_->has_default_appl_ver_id) {
    encoder.field(tag::DefaultApplVerID, std::string_view{config_.fixt.default_appl_ver_id});
  }
  write_session_status(encoder, pending);
  for (const LogonField& field : config_.logon.fields) {
    encoder.field(field.tag, std::string_view{field.value});
  }
  const LogonWriter& writer = config_.logon.writer;
  if (writer.write != nullptr) writer.write(writer.context, encoder, logon_header);
  const std::expected<std::string_view, wire::EncodeError> bytes = encoder.finish();
  if (!bytes) {
    pending_begin_ = pending_end_;
    state_ = State::Disconnected;
    end_session(DisconnectReason::LogonNotSent);
    return Notice{.code = NoticeCode::LogonInvalid, .text = wire::to_string(bytes.error().code)};
  }
  last_sent_ = now_.mono;
  const bool is_ours_first = state_ == State::LogonSent;
  if (is_ours_first) logon_sent_ = numbers_.next_outbound;
  outlet_ = is_ours_first ? Outlet::BehindLogon : Outlet::Wire;
  return Transmit{
      .msg_seq_num = numbers_.next_outbound++, .msg_type = logon_header.msg_type, .bytes = *bytes};
}

Action StateMachine::transmit_logout(const Pending& pending, std::span<char> scratch) noexcept {
  return transmit("5", scratch, [&](wire::Encoder& encoder, bool in_full) {
    if (in_full) write_if_any(encoder, tag::Text, pending.text.substr(0, kRejectTextBytesMax));
    write_session_status(encoder, pending);
  });
}

void StateMachine::write_session_status(wire::Encoder& encoder,
                                        const Pending& pending) const noexcept {
  if (pending.second != 0 && version_->has_session_status) {
    encoder.field(tag::SessionStatus, pending.second - 1);
  }
}

Action StateMachine::transmit_reject(std::span<char> scratch) noexcept {
  const Objection& objection = objection_;
  const bool as_business = objection.is_business && version_->has_business_reject;
  const auto body = [&](wire::Encoder& encoder, bool in_full) {
    if (in_full) write_reverse_route(encoder, *message_, *version_);
    encoder.field(tag::RefSeqNum, message_seq_num_);
    const std::string_view standard = objection.is_business ? business_reject_text(objection.reason)
                                                            : session_reject_text(objection.reason);
    std::string_view text = in_full && !objection.text.empty() ? objection.text : standard;
    if (objection.is_business && !as_business && text == business_reject_text(3)) {
      text = "Unsupported message type";  // as FIX 4.0 and 4.1 engines spell it
    }
    const bool tag_in_text = !version_->has_reject_reasons;
    const TextWithTag text_with_tag{text.substr(0, kRejectTextBytesMax),
                                    tag_in_text ? objection.ref_tag : std::string_view{}};
    write_if_any(encoder, tag::Text, text_with_tag.view());
    if (tag_in_text) return;
    if (in_full && !as_business) write_if_any(encoder, tag::RefTagID, objection.ref_tag);
    const std::string_view type = message_->msg_type();
    if (type.size() <= kRefMsgTypeBytesMax) write_if_any(encoder, tag::RefMsgType, type);
    if (as_business) {
      if (in_full && objection.ref_id.size() <= kRefIdBytesMax) {
        write_if_any(encoder, tag::BusinessRejectRefID, objection.ref_id);
      }
      encoder.field(tag::BusinessRejectReason, objection.reason);
      if (config_.fixt.business_reject_has_default_appl_ver_id &&
          version_->has_default_appl_ver_id) {
        encoder.field(tag::DefaultApplVerID, std::string_view{config_.fixt.default_appl_ver_id});
      }
      return;
    }
    const bool is_other = objection.reason == 99 && version_->has_reject_reason_other;
    if (objection.reason <= version_->reject_reason_max || is_other) {
      encoder.field(tag::SessionRejectReason, objection.reason);
    }
  };
  Transmit action = transmit(as_business ? "j" : "3", scratch, body);
  action.is_resendable = as_business;
  return action;
}

// A gap fill up to the stored message first, if numbers before it have no message to send again.
// One that turns out not to be resendable is left to the next gap fill.
std::optional<Action> StateMachine::retransmit_stored(std::span<char> scratch) noexcept {
  if (stored_seq_num_ < replay_.begin || is_administrative(type_of_stored(stored_bytes_))) {
    return std::nullopt;
  }
  if (stored_seq_num_ > replay_.begin) {
    push({.step = Step::RetransmitStored});
    return gap_fill(stored_seq_num_, scratch);
  }
  const std::expected<std::string_view, wire::EncodeError> copy =
      wire::resend_copy(stored_bytes_, now_.wall, precision_, scratch);
  if (!copy) {
    return Notice{.code = NoticeCode::MessageNotResendable,
                  .received = stored_seq_num_,
                  .text = wire::to_string(copy.error().code)};
  }
  ++replay_.begin;
  last_sent_ = now_.mono;
  return Retransmit{.msg_seq_num = stored_seq_num_, .bytes = *copy};
}

std::optional<Action> StateMachine::retransmit_rest(std::span<char> scratch) noexcept {
  if (replay_.begin > replay_.end) {
    finish_replay();
    return std::nullopt;
  }
  Action action = gap_fill(replay_.end + 1, scratch);
  finish_replay();
  return action;
}

// FIX Session Layer, "SequenceReset-GapFill": in answer to a ResendRequest it carries PossDupFlag,
// and so OrigSendingTime; what it stands for has no single one, so the present time is given.
Action StateMachine::gap_fill(std::uint64_t new_seq_no, std::span<char> scratch) noexcept {
  std::array<char, wire::kUtcTimestampBytesMax> time;
  const std::size_t size = wire::from_utc_timestamp(now_.wall, precision_, time.data());
  wire::MessageHeader gap_fill_header = header("4");
  gap_fill_header.msg_seq_num = replay_.begin;
  gap_fill_header.poss_dup = true;
  gap_fill_header.orig_sending_time = {time.data(), size};
  wire::Encoder encoder{scratch, header_template_, gap_fill_header};
  write_last_processed(encoder);
  encoder.field(tag::NewSeqNo, new_seq_no).field(tag::GapFillFlag, 'Y');
  const std::expected<std::string_view, wire::EncodeError> bytes = encoder.finish();
  NEXUSFIX_ASSERT(bytes.has_value());
  const std::uint64_t first = replay_.begin;
  replay_.begin = new_seq_no;
  last_sent_ = now_.mono;
  return Retransmit{.msg_seq_num = first, .bytes = *bytes};
}

}  // namespace nexusfix::session
