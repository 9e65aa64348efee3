#include "logs/fields/password_mask.hpp"

#include <span>

#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/frame.hpp>

#include "logs/fields/each_soh.hpp"

namespace nexusfix::logs {
namespace {

constexpr wire::Tag kRawData = 96;
constexpr std::string_view kMask = "***";
constexpr std::string_view kMaskBytes = "3";

// RawData is a password in a Logon and a UserRequest, and perhaps where the MsgType is unknown.
bool has_raw_password(std::string_view msg_type) noexcept {
  return msg_type.empty() || msg_type == "A" || msg_type == "BE";
}

void append_field(std::string& to, const MessageField& field, std::string_view value) {
  to.append(field.text.substr(0, field.text.size() - field.value.size())).append(value);
  to += kSoh;
}

}  // namespace

// Appends the fields with masks in place of the passwords. False: there is none.
bool PasswordMask::append_masked(std::string& to, std::span<const MessageField> fields,
                                 bool masks_raw_data) {
  bool has_any = false;
  bool is_in_secret = false;
  std::size_t before = to.size();  // where the last field begins
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const MessageField& field = fields[i];
    // Its Length was too small: this is the rest of the value.
    if (is_in_secret && field.tag == 0) continue;
    is_in_secret =
        is_password(field.tag) && !field.value.empty() && (field.tag != kRawData || masks_raw_data);
    if (is_in_secret && i > 0 && wire::standard_data_tag(fields[i - 1].tag) == field.tag) {
      to.resize(before);
      append_field(to, fields[i - 1], kMaskBytes);
    }
    before = to.size();
    append_field(to, field, is_in_secret ? kMask : field.value);
    has_any = has_any || is_in_secret;
  }
  return has_any;
}

std::string_view PasswordMask::with_mask(std::string_view bytes) {
  fields_.read(bytes);
  const std::span<const MessageField> fields = fields_.all();
  const bool masks_raw_data = has_raw_password(fields_.value(tag::MsgType));
  text_.clear();
  const bool is_whole =
      fields.size() > 3 && fields[1].tag == tag::BodyLength && fields.back().tag == tag::CheckSum;
  if (!is_whole) return append_masked(text_, fields, masks_raw_data) ? text_ : bytes;
  body_.clear();
  if (!append_masked(body_, fields.subspan(2, fields.size() - 3), masks_raw_data)) return bytes;
  append_field(text_, fields[0], fields[0].value);
  append_field(text_, fields[1], std::to_string(body_.size()));
  text_ += body_;
  const unsigned sum = wire::check_sum(text_);
  constexpr unsigned kThreeDigits = 1000;
  append_field(text_, fields.back(), std::to_string(kThreeDigits + sum).substr(1));
  return text_;
}

}  // namespace nexusfix::logs
