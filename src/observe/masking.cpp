#include "observe/masking.hpp"

#include <algorithm>
#include <charconv>

namespace nexusfix::observe {
namespace {

constexpr char kSoh = '\x01';
constexpr std::string_view kMask = "***";
constexpr std::string_view kMaskBytes = "3";  // the Length field before kMask

constexpr std::size_t kUnknownSize = std::string_view::npos / 2;

constexpr std::uint32_t kBodyLength = 9;
constexpr std::uint32_t kCheckSum = 10;
constexpr std::uint32_t kMsgType = 35;
constexpr std::uint32_t kRawData = 96;

// Password, NewPassword, EncryptedPassword, EncryptedNewPassword, and RawData in a message with
// credentials.
constexpr MaskedField kAlwaysMasked[] = {
    {554, 0}, {925, 0}, {1402, 1401}, {1404, 1403}, {kRawData, 95}};

// Only digits, of a possible tag or length.
std::optional<std::uint32_t> read_digits(std::string_view text) noexcept {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

}  // namespace

Masking::Masking(std::span<const MaskedField> more)
    : fields_{std::begin(kAlwaysMasked), std::end(kAlwaysMasked)} {
  // RawData that the configuration names is masked in all messages.
  for (const MaskedField& field : more) {
    if (field.tag == kRawData) masks_all_raw_data_ = true;
    fields_.push_back(field);
  }
}

// RawData is a credential in a Logon and a UserRequest, and perhaps where the MsgType is unknown.
bool Masking::masks(std::uint32_t tag) const {
  if (tag == kRawData && !masks_all_raw_data_) {
    return msg_type_.empty() || msg_type_ == "A" || msg_type_ == "BE";
  }
  return std::ranges::find(fields_, tag, &MaskedField::tag) != fields_.end();
}

std::uint32_t Masking::length_tag_of(std::uint32_t tag) const {
  const auto found = std::ranges::find(fields_, tag, &MaskedField::tag);
  return found == fields_.end() ? 0 : found->length_tag;
}

// The value of the Length field before a data field. In garbled bytes it may have been in earlier
// ones: then the end of the value is unknown.
std::size_t Masking::announced_size(std::uint32_t tag, const std::optional<Field>& before) const {
  const std::uint32_t length_tag = masks(tag) ? length_tag_of(tag) : 0;
  if (length_tag == 0) return 0;
  if (!before || before->tag != length_tag) return is_whole_ ? 0 : kUnknownSize;
  return read_digits(bytes_.substr(before->begin, before->end - before->begin)).value_or(0);
}

// After a Length field, SOH may be part of the value; a length that is too small does not end it.
std::size_t Masking::end_of_value(std::uint32_t tag, std::size_t begin,
                                  const std::optional<Field>& before) const {
  const std::size_t from = std::min(begin + announced_size(tag, before), bytes_.size());
  return std::min(bytes_.find(kSoh, from), bytes_.size());
}

void Masking::take(const Field& field, const std::optional<Field>& before) {
  if (field.tag == kBodyLength && !body_length_) body_length_ = field;
  if (field.tag == kCheckSum) checksum_ = field;
  if (field.tag == kMsgType && msg_type_.empty()) {
    msg_type_ = bytes_.substr(field.begin, field.end - field.begin);
  }
  if (field.begin == field.end || !masks(field.tag)) return;
  const std::uint32_t length_tag = length_tag_of(field.tag);
  if (length_tag != 0 && before && before->tag == length_tag) {
    places_.push_back({before->begin, before->end, kMaskBytes});
  }
  places_.push_back({field.begin, field.end, kMask});
}

// It may become the tag of a data field, and then the end of its value is unknown.
void Masking::record_cut_tag(std::string_view digits) {
  continues_ = true;
  const bool is_of_data = std::ranges::any_of(fields_, [&](const MaskedField& field) {
    return field.length_tag != 0 && std::to_string(field.tag).starts_with(digits);
  });
  if (is_of_data) continued_bytes_ = kUnknownSize;
}

void Masking::find_all(std::string_view bytes, std::size_t from) {
  continues_ = false;
  continued_bytes_ = 0;
  std::optional<Field> before;
  for (std::size_t at = from; at < bytes.size();) {
    constexpr std::size_t kTagDigitsMax = 10;
    const std::size_t equals = bytes.substr(at, kTagDigitsMax + 1).find('=');
    const auto tag =
        equals == std::string_view::npos ? std::nullopt : read_digits(bytes.substr(at, equals));
    if (!tag) {
      before.reset();
      if (read_digits(bytes.substr(at))) record_cut_tag(bytes.substr(at));
      at = std::min(bytes.find(kSoh, at), bytes.size()) + 1;
      continue;
    }
    const std::size_t begin = at + equals + 1;
    const Field field{*tag, begin, end_of_value(*tag, begin, before)};
    take(field, before);
    if (field.end == bytes.size() && masks(field.tag)) {
      continues_ = true;
      const std::size_t size = announced_size(field.tag, before);
      continued_bytes_ = size - std::min(size, field.end - field.begin);
    }
    before = field;
    at = field.end + 1;
  }
}

void Masking::begin(std::string_view bytes) {
  bytes_ = bytes;
  msg_type_ = {};
  body_length_.reset();
  checksum_.reset();
  places_.clear();
}

bool Masking::finds(std::string_view bytes) {
  is_whole_ = true;
  begin(bytes);
  find_all(bytes, 0);
  continues_ = false;
  return !places_.empty();
}

bool Masking::finds_in_garbled(std::string_view bytes, bool is_cut) {
  is_whole_ = false;
  begin(bytes);
  if (bytes.starts_with("8=FIX")) continues_ = false;
  const std::size_t end = continues_ ? mask_rest_of_value(bytes) : 0;
  if (end < bytes.size() || !continues_) find_all(bytes, end);
  continues_ = continues_ || is_cut;
  if (places_.empty()) return false;
  for (const auto& field : {body_length_, checksum_}) {
    if (field && field->begin != field->end) {
      std::erase_if(places_, [&](const Place& one) { return one.begin == field->begin; });
      places_.push_back({field->begin, field->end, kMask});
    }
  }
  std::ranges::sort(places_, {}, &Place::begin);
  return true;
}

// Returns the end of the value.
std::size_t Masking::mask_rest_of_value(std::string_view bytes) {
  const std::size_t sure = std::min(continued_bytes_, bytes.size());
  if (continued_bytes_ < kUnknownSize / 2) continued_bytes_ -= sure;
  const std::size_t end = std::min(bytes.find(kSoh, sure), bytes.size());
  if (end > 0) places_.push_back({0, end, kMask});
  return end;
}

void Masking::append_range(std::string& to, std::size_t begin, std::size_t end) const {
  for (const Place& place : places_) {
    if (place.begin < begin || place.begin >= end) continue;
    to.append(bytes_.substr(begin, place.begin - begin));
    to.append(place.instead);
    begin = place.end;
  }
  if (begin < end) to.append(bytes_.substr(begin, end - begin));
}

void Masking::append_masked(std::string& to) const {
  if (!is_whole_ || !body_length_ || !checksum_ || checksum_->begin < body_length_->end) {
    return append_range(to, 0, bytes_.size());
  }
  const std::size_t first = to.size();
  constexpr std::size_t kCheckSumTagBytes = 3;  // "10="
  const std::size_t body_begin = body_length_->end + 1;
  const std::size_t body_end = checksum_->begin - kCheckSumTagBytes;
  std::string body;
  append_range(body, body_begin, body_end);
  to.append(bytes_.substr(0, body_length_->begin)).append(std::to_string(body.size()));
  to += kSoh;
  to += body;
  unsigned sum = 0;
  for (const char c : std::string_view{to}.substr(first)) sum += static_cast<unsigned char>(c);
  const std::string digits = std::to_string(1'000 + sum % 256);
  to.append("10=").append(digits, 1).append(bytes_.substr(checksum_->end));
}

}  // namespace nexusfix::observe
