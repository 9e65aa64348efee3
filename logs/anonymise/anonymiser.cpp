#include "logs/anonymise/anonymiser.hpp"

#include <fmt/format.h>
#include <numeric>

#include <nexusfix/wire/field.hpp>

#include "base/api/ascii.hpp"
#include "base/api/utc_text.hpp"
#include "logs/source/log_time.hpp"

namespace nexusfix::logs {
namespace {

using wire::kSoh;
constexpr std::string_view kSecretText = "********";

// The factor in thousandths. One near 1 would hide nothing.
std::uint64_t price_numerator(const Pseudonyms& pseudonyms) {
  constexpr std::uint64_t kLow = 500;
  constexpr std::uint64_t kLowSteps = 400;  // up to 0.9
  constexpr std::uint64_t kHigh = 1100;
  constexpr std::uint64_t kHighSteps = 900;  // up to 2
  const std::uint64_t step = pseudonyms.number("price", kLowSteps + kHighSteps);
  return step < kLowSteps ? kLow + step : kHigh + step - kLowSteps;
}

bool is_digit_or_letter(std::string_view text) {
  return std::ranges::any_of(text, is_alphanumeric);
}

}  // namespace

std::string scaled(std::string_view text, std::uint64_t numerator) {
  constexpr std::size_t kDigitsMax = 30;  // times 2000 fits into 128 bits
  constexpr unsigned kThousand = 1000;
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  __extension__ using Wide = unsigned __int128;
  Wide value = 0;
  std::size_t digits = 0;
  std::size_t left_out = 0;
  for (const char c : text) {
    if (c == '.') continue;
    if (value == 0 && c == '0') continue;
    if (++digits > kDigitsMax) {
      ++left_out;
      continue;
    }
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  value = (value * numerator + kThousand / 2) / kThousand;
  std::string result(left_out, '0');
  for (; value > 0; value /= 10) result += static_cast<char>('0' + static_cast<int>(value % 10));
  const std::size_t fraction = point == text.npos ? 0 : text.size() - point - 1;
  while (result.size() <= fraction) result += '0';
  std::ranges::reverse(result);
  if (point != text.npos) result.insert(result.size() - fraction, 1, '.');
  return is_negative ? "-" + result : result;
}

Anonymiser::Anonymiser(const PseudonymKey& key, FieldTreatments& treatments, PriceChoice prices)
    : pseudonyms_{key},
      treatments_{treatments},
      prices_{prices},
      price_numerator_{price_numerator(pseudonyms_)} {}

void Anonymiser::append_prefix(std::string& to, const LogMessage& message) const {
  const std::string_view prefix = message.prefix;
  if (!is_digit_or_letter(prefix)) return;
  constexpr unsigned kMicroseconds = 6;
  const auto time = stamp_of_message(message);
  const LoggedDirection direction = direction_in(prefix);
  if (time) {
    append_utc(to, *time, UtcForm::Fix, kMicroseconds);
    to += ' ';
  }
  if (direction == LoggedDirection::In) to += "IN ";
  if (direction == LoggedDirection::Out) to += "OUT ";
  if (time || direction != LoggedDirection::Unknown) to += ": ";
}

void Anonymiser::append_value(const MessageField& field) {
  switch (treatments_.of(field.tag, field.value)) {
    case Treatment::Keep:
      body_ += field.value;
      break;
    case Treatment::Pseudonym:
      body_ += pseudonyms_.of(field.value);
      break;
    case Treatment::Price:
      if (prices_ == PriceChoice::Keep) {
        body_ += field.value;
      } else {
        body_ += scaled(field.value, price_numerator_);
      }
      break;
    case Treatment::Mask:
      body_.append(field.value.size(), 'x');
      break;
    case Treatment::Secret:
      body_ += kSecretText;
      break;
  }
}

void Anonymiser::append_field(const MessageField& field, const MessageField* next) {
  if (field.tag == 0) {
    // Bytes that are no field. A number that is no tag stays: its pseudonym could be a tag.
    const std::size_t equals = field.text.find('=');
    const bool has_number =
        equals != field.text.npos && is_all_digits(field.text.substr(0, equals));
    const std::size_t kept = has_number ? equals : 0;
    body_ += field.text.substr(0, kept);
    body_ += pseudonyms_.of(field.text.substr(kept));
  } else {
    body_ += field.text.substr(0, field.text.size() - field.value.size());
    // The Length of a secret would otherwise be wrong.
    const bool is_length = next != nullptr && wire::standard_data_tag(field.tag) == next->tag &&
                           treatments_.of(next->tag, next->value) == Treatment::Secret;
    if (is_length) {
      body_ += std::to_string(kSecretText.size());
    } else {
      append_value(field);
    }
  }
  body_ += kSoh;
}

void Anonymiser::append(std::string& to, const LogMessage& message) {
  append_prefix(to, message);
  fields_.read(message.bytes);
  auto fields = fields_.all();
  std::string_view version;
  if (!fields.empty() && fields.front().tag == tag::BeginString) {
    version = fields.front().value;
    fields = fields.subspan(1);
  }
  if (!fields.empty() && fields.front().tag == tag::BodyLength) fields = fields.subspan(1);
  if (!fields.empty() && fields.back().tag == tag::CheckSum)
    fields = fields.first(fields.size() - 1);
  body_.clear();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    append_field(fields[i], i + 1 < fields.size() ? &fields[i + 1] : nullptr);
  }
  const std::size_t begin = to.size();
  const bool is_known = version.starts_with("FIX.") || version.starts_with("FIXT.");
  constexpr std::size_t kVersionBytesMax = 12;
  to += fmt::format(
      "8={}\x01"
      "9={}\x01",
      is_known && version.size() <= kVersionBytesMax ? version : "FIX", body_.size());
  to += body_;
  const auto sum =
      std::accumulate(to.begin() + static_cast<std::ptrdiff_t>(begin), to.end(), 0U,
                      [](unsigned total, char c) { return total + static_cast<unsigned char>(c); });
  to += fmt::format("10={:03}\x01\n", sum % 256);
}

}  // namespace nexusfix::logs
