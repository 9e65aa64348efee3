#include "simulator/check/wire_message.hpp"

#include <cstring>

#include <nexusfix/wire/field.hpp>

namespace nexusfix::simulator {
namespace {

using wire::kSoh;
constexpr std::size_t kCheckSumFieldBytes = 7;  // 10=nnn and SOH

std::optional<std::uint64_t> to_number(std::string_view digits) noexcept {
  if (digits.empty() || digits.size() > 18) return std::nullopt;
  std::uint64_t number = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = number * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return number;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) noexcept {
  hash = (hash ^ value) * 0x9FB21C651E98DF25U;
  return hash ^ (hash >> 32U);
}

std::uint64_t mixed(std::uint64_t hash, std::string_view bytes) noexcept {
  hash = mixed(hash, bytes.size());
  while (bytes.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    hash = mixed(hash, word);
    bytes.remove_prefix(8);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data(), bytes.size());
  return mixed(hash, word);
}

// tidy: flat switch
bool read_field(WireMessage& message, std::uint64_t tag, std::string_view value) noexcept {
  switch (tag) {
    case 8:
      message.begin_string = value;
      return true;
    case 34: {
      const std::optional<std::uint64_t> number = to_number(value);
      message.msg_seq_num = number.value_or(0);
      return number && *number > 0;
    }
    case 43:
      message.poss_dup = value == "Y";
      return true;
    case 9:
    case 52:
    case 122:
    case 369:  // the last number that the sender has received
      return true;
    case 35:
      message.msg_type = value;
      break;
    case 11:
      message.cl_ord_id = value;
      break;
    case 45:
      message.ref_seq_num = to_number(value).value_or(0);
      break;
    case 58:
      message.text = value;
      break;
    case 36:
      message.new_seq_no = to_number(value).value_or(0);
      break;
    case 49:
      message.sender_comp_id = value;
      break;
    case 56:
      message.target_comp_id = value;
      break;
    case 123:
      message.gap_fill = value == "Y";
      break;
    case 141:
      message.reset_flag = value == "Y";
      break;
    default:
      break;
  }
  message.fingerprint = mixed(mixed(message.fingerprint, tag), value);
  return true;
}

}  // namespace

std::optional<std::size_t> wire_message_size(std::string_view bytes) noexcept {
  constexpr std::size_t kFrontBytesMax = 40;
  const auto more_or_none = [&]() -> std::optional<std::size_t> {
    if (bytes.size() < kFrontBytesMax) return 0;
    return std::nullopt;
  };
  if (bytes.size() >= 2 && !bytes.starts_with("8=")) return std::nullopt;
  const std::size_t first_end = bytes.find(kSoh);
  if (first_end == std::string_view::npos) return more_or_none();
  const std::size_t second_end = bytes.find(kSoh, first_end + 1);
  if (second_end == std::string_view::npos) return more_or_none();
  const std::string_view second = bytes.substr(first_end + 1, second_end - first_end - 1);
  if (!second.starts_with("9=")) return std::nullopt;
  const std::optional<std::uint64_t> body = to_number(second.substr(2));
  if (!body) return std::nullopt;
  const std::size_t size = second_end + 1 + *body + kCheckSumFieldBytes;
  return size <= bytes.size() ? size : 0;
}

std::optional<WireMessage> read_wire_message(std::string_view bytes) noexcept {
  if (bytes.size() < kCheckSumFieldBytes) return std::nullopt;
  const std::string_view summed = bytes.substr(0, bytes.size() - kCheckSumFieldBytes);
  const std::string_view trailer = bytes.substr(summed.size());
  unsigned sum = 0;
  for (const char byte : summed) sum += static_cast<unsigned char>(byte);
  if (!trailer.starts_with("10=") || trailer.back() != kSoh ||
      to_number(trailer.substr(3, 3)) != sum % 256) {
    return std::nullopt;
  }
  WireMessage message;
  const char* at = summed.data();
  const char* const end = at + summed.size();
  while (at != end) {
    std::uint64_t tag = 0;
    for (; at != end && *at >= '0' && *at <= '9'; ++at) {
      tag = tag * 10 + static_cast<std::uint64_t>(*at - '0');
    }
    if (at == end || *at != '=' || tag == 0) return std::nullopt;
    ++at;
    const void* const soh = std::memchr(at, kSoh, static_cast<std::size_t>(end - at));
    if (soh == nullptr) return std::nullopt;
    const char* const value_end = static_cast<const char*>(soh);
    if (!read_field(message, tag, {at, static_cast<std::size_t>(value_end - at)})) {
      return std::nullopt;
    }
    at = value_end + 1;
  }
  if (message.msg_seq_num == 0 || message.msg_type.empty()) return std::nullopt;
  return message;
}

}  // namespace nexusfix::simulator
