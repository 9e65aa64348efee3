#include "logs/replay/replayed_message.hpp"

#include <algorithm>
#include <array>

#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/header_template.hpp>

#include "base/api/utc_text.hpp"
#include "logs/source/log_time.hpp"

namespace nexusfix::logs {
namespace {

using dictionary::FieldType;

constexpr std::size_t kDateBytes = 8;    // 20240115
constexpr std::size_t kSecondBytes = 8;  // 10:30:00
constexpr std::string_view kAnyDate = "20000101-";

// Dates of a trade. Those of an instrument, such as MaturityDate, stay.
constexpr std::array<wire::Tag, 5> kTradeDates{64, 75, 193, 432, 715};

// IDs that the sender of the message assigns, and its references to them: ClOrdID, OrigClOrdID,
// ListID, QuoteID, QuoteReqID, MDReqID, SecondaryClOrdID, ClOrdLinkID.
constexpr std::array<wire::Tag, 8> kSenderIds{11, 41, 66, 117, 131, 262, 526, 583};

constexpr std::array<wire::Tag, 4> kSubIds{tag::SenderSubID, tag::TargetSubID,
                                           tag::SenderLocationID, tag::TargetLocationID};

// A signature does not hold for the new message.
constexpr std::array<wire::Tag, 4> kSignatures{tag::SignatureLength, tag::Signature,
                                               tag::SecureDataLen, tag::SecureData};

bool contains(const auto& tags, wire::Tag tag) {
  return std::ranges::find(tags, tag) != tags.end();
}

// The digits after the second; nothing: the text has another form.
std::optional<unsigned> fraction_digits(std::string_view clock) {
  if (clock.size() == kSecondBytes) return 0;
  if (clock.size() < kSecondBytes + 2 || clock[kSecondBytes] != '.') return std::nullopt;
  const std::size_t digits = clock.size() - kSecondBytes - 1;
  if (digits > kUtcFractionDigitsMax) return std::nullopt;
  return static_cast<unsigned>(digits);
}

std::string written(WallTime time, unsigned digits) {
  std::string text;
  append_utc(text, time, UtcForm::Fix, digits);
  return text;
}

}  // namespace

std::optional<std::string> shifted_time(FieldType type, std::string_view value,
                                        std::chrono::nanoseconds shift) {
  if (type == FieldType::UtcDateOnly || type == FieldType::LocalMktDate) {
    if (value.size() != kDateBytes) return std::nullopt;
    const auto date = read_time(value);
    if (!date) return std::nullopt;
    return written(*date + std::chrono::round<std::chrono::days>(shift), 0).substr(0, kDateBytes);
  }
  const bool is_clock = type == FieldType::UtcTimeOnly;
  const std::string whole = is_clock ? std::string{kAnyDate}.append(value) : std::string{value};
  if (whole.size() <= kAnyDate.size() || whole[kDateBytes] != '-') return std::nullopt;
  const auto digits = fraction_digits(std::string_view{whole}.substr(kAnyDate.size()));
  const auto time = read_time(whole);
  if (!time || !digits) return std::nullopt;
  const std::string moved = written(*time + shift, *digits);
  return is_clock ? moved.substr(kAnyDate.size()) : moved;
}

FieldType ReplayedMessage::type_of(wire::Tag tag) {
  constexpr wire::Tag kTagsMax = 65'536;  // higher tags are looked up each time
  if (tag >= kTagsMax) {
    const auto* const field = names_.field(tag);
    return field == nullptr ? FieldType::Unknown : field->type;
  }
  const auto index = static_cast<std::size_t>(tag);
  if (index >= types_.size()) types_.resize(index + 1);
  if (!types_[index]) {
    const auto* const field = names_.field(tag);
    types_[index] = field == nullptr ? FieldType::Unknown : field->type;
  }
  return *types_[index];
}

void ReplayedMessage::write_field(wire::Encoder& encoder, const MessageField& field,
                                  std::chrono::nanoseconds shift) {
  if (field.value.empty()) {
    encoder.field_without_value(field.tag);
    return;
  }
  if (!changes_.id_prefix.empty() && contains(kSenderIds, field.tag)) {
    encoder.field(field.tag, std::string_view{changes_.id_prefix + std::string{field.value}});
    return;
  }
  if (!changes_.keeps_dates) {
    const FieldType type = type_of(field.tag);
    const bool is_time = type == FieldType::UtcTimestamp || type == FieldType::UtcTimeOnly ||
                         contains(kTradeDates, field.tag);
    const auto moved = is_time ? shifted_time(type, field.value, shift) : std::nullopt;
    if (moved) {
      encoder.field(field.tag, std::string_view{*moved});
      return;
    }
  }
  encoder.field(field.tag, field.value);
}

void ReplayedMessage::write(wire::Encoder& encoder, std::string_view bytes, bool has_sub_ids,
                            WallTime now) {
  fields_.read(bytes);
  const auto sent = read_time(fields_.value(tag::SendingTime));
  const std::chrono::nanoseconds shift = sent ? now - *sent : std::chrono::nanoseconds{0};
  const auto fields = fields_.all();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const MessageField& field = fields[i];
    if (wire::belongs_to_session(field.tag) || contains(kSignatures, field.tag) ||
        (has_sub_ids && contains(kSubIds, field.tag))) {
      continue;
    }
    const wire::Tag data = wire::standard_data_tag(field.tag);
    if (data != 0 && i + 1 < fields.size() && fields[i + 1].tag == data &&
        !fields[i + 1].value.empty()) {
      encoder.data(field.tag, data, fields[i + 1].value);
      ++i;
    } else {
      write_field(encoder, field, shift);
    }
  }
}

}  // namespace nexusfix::logs
