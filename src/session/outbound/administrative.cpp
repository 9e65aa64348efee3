#include "session/outbound/administrative.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <nexusfix/wire/field.hpp>

#include "session/api/config.hpp"

namespace nexusfix::session::detail {
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

// FIX 4.0 and 4.1 have no RefTagID: the tag comes after the text.
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

// Fields of the standard header that the session layer does not write, and those of the trailer.
constexpr std::array<wire::Tag, 18> kHeaderTags{90,  91,  115, 116, 128, 129, 144, 145,  212,
                                                213, 347, 370, 627, 628, 629, 630, 1129, 1156};
constexpr std::array<wire::Tag, 2> kTrailerTags{89, 93};

enum class Place : std::uint8_t { Header, Body, Trailer };

Place place_of(wire::Tag tag) noexcept {
  const auto has = [tag](const auto& tags) { return std::ranges::find(tags, tag) != tags.end(); };
  return has(kHeaderTags) ? Place::Header : has(kTrailerTags) ? Place::Trailer : Place::Body;
}

void write_fields(wire::Encoder& encoder, const LogonConfig& logon, Place place) noexcept {
  for (const LogonField& field : logon.fields) {
    if (place_of(field.tag) == place) encoder.field(field.tag, std::string_view{field.value});
  }
}

void write_session_status(wire::Encoder& encoder, std::optional<std::uint64_t> status,
                          const VersionTraits& version) noexcept {
  if (status && version.has_session_status) encoder.field(tag::SessionStatus, *status);
}

}  // namespace

void write_test_req_id(wire::Encoder& encoder, std::string_view id) noexcept {
  if (!id.empty()) {
    encoder.field(tag::TestReqID, id);
  } else {
    encoder.field_without_value(tag::TestReqID);
  }
}

void write_logon(wire::Encoder& encoder, const LogonContents& contents, const SessionConfig& config,
                 const VersionTraits& version) noexcept {
  const LogonConfig& logon = config.logon;
  write_fields(encoder, logon, Place::Header);
  encoder.field(tag::EncryptMethod, '0');
  encoder.field(tag::HeartBtInt, std::int64_t{contents.heart_bt_int.count()});
  if (contents.reset_seq_num_flag) encoder.field(tag::ResetSeqNumFlag, 'Y');
  write_if_any(encoder, tag::Username, logon.username);
  write_if_any(encoder, tag::Password, logon.password);
  if (contents.next_expected != 0) {
    encoder.field(tag::NextExpectedMsgSeqNum, contents.next_expected);
  }
  write_if_any(encoder, tag::NewPassword, logon.new_password);
  if (version.has_default_appl_ver_id) {
    encoder.field(tag::DefaultApplVerID, std::string_view{config.fixt.default_appl_ver_id});
  }
  write_session_status(encoder, contents.session_status, version);
  write_fields(encoder, logon, Place::Body);
}

void write_logon_trailer(wire::Encoder& encoder, const SessionConfig& config) noexcept {
  write_fields(encoder, config.logon, Place::Trailer);
}

void write_logout(wire::Encoder& encoder, std::string_view text,
                  std::optional<std::uint64_t> session_status, const VersionTraits& version,
                  bool in_full) noexcept {
  if (in_full) write_if_any(encoder, tag::Text, text.substr(0, kRejectTextBytesMax));
  write_session_status(encoder, session_status, version);
}

bool is_business_reject(const Objection& objection, const VersionTraits& version) noexcept {
  return objection.is_business && version.has_business_reject;
}

void write_reject(wire::Encoder& encoder, const RejectContents& contents, const FixtConfig& config,
                  const VersionTraits& version, bool in_full) noexcept {
  const Objection& objection = contents.objection;
  const bool as_business = is_business_reject(objection, version);
  if (in_full) write_reverse_route(encoder, contents.message, version);
  encoder.field(tag::RefSeqNum, contents.msg_seq_num);
  const std::string_view standard = objection.is_business ? business_reject_text(objection.reason)
                                                          : session_reject_text(objection.reason);
  std::string_view text = in_full && !objection.text.empty() ? objection.text : standard;
  if (objection.is_business && !as_business && text == business_reject_text(3)) {
    text = "Unsupported message type";  // as FIX 4.0 and 4.1 engines spell it
  }
  const bool tag_in_text = !version.has_reject_reasons;
  const TextWithTag text_with_tag{text.substr(0, kRejectTextBytesMax),
                                  tag_in_text ? objection.ref_tag : std::string_view{}};
  write_if_any(encoder, tag::Text, text_with_tag.view());
  if (tag_in_text) return;
  if (in_full && !as_business) write_if_any(encoder, tag::RefTagID, objection.ref_tag);
  const std::string_view type = contents.message.msg_type();
  if (type.size() <= kRefMsgTypeBytesMax) write_if_any(encoder, tag::RefMsgType, type);
  if (as_business) {
    if (in_full && objection.ref_id.size() <= kRefIdBytesMax) {
      write_if_any(encoder, tag::BusinessRejectRefID, objection.ref_id);
    }
    encoder.field(tag::BusinessRejectReason, objection.reason);
    if (config.business_reject_has_default_appl_ver_id && version.has_default_appl_ver_id) {
      encoder.field(tag::DefaultApplVerID, std::string_view{config.default_appl_ver_id});
    }
    return;
  }
  const bool is_other = objection.reason == 99 && version.has_reject_reason_other;
  if (objection.reason <= version.reject_reason_max || is_other) {
    encoder.field(tag::SessionRejectReason, objection.reason);
  }
}

std::string_view type_of_stored(std::string_view bytes) noexcept {
  constexpr std::string_view kKey{
      "\x01"
      "35="};
  const std::size_t at = bytes.find(kKey);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = bytes.substr(at + kKey.size());
  return rest.substr(0, rest.find(wire::kSoh));
}

}  // namespace nexusfix::session::detail
