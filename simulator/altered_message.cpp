#include "simulator/altered_message.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include <nexusfix/wire/field.hpp>

#include "simulator/check/wire_message.hpp"

namespace nexusfix::simulator {
namespace {

using wire::kSoh;
constexpr std::string_view kFront = "8=FIX";
constexpr std::size_t kTrailerBytes = 7;  // 10=nnn and SOH

std::span<char> first_whole_message(std::span<char> sent) noexcept {
  const std::string_view text{sent.data(), sent.size()};
  for (std::size_t at = text.find(kFront); at != std::string_view::npos;
       at = text.find(kFront, at + 1)) {
    if (at > 0 && text[at - 1] != kSoh) continue;
    const std::optional<std::size_t> size = wire_message_size(text.substr(at));
    if (size && *size > 0) return sent.subspan(at, *size);
  }
  return {};
}

// Changes the byte to another value.
void change(char& byte, SeededRandom& random) noexcept {
  byte = static_cast<char>(static_cast<unsigned char>(byte) + 1 + random.below(255));
}

// Changes a few neighbouring bytes so that their sum changes, modulo 256.
void change_some(std::span<char> bytes, SeededRandom& random) noexcept {
  const std::size_t most = std::min<std::size_t>(bytes.size(), 4);
  const std::size_t count = 1 + static_cast<std::size_t>(random.below(most));
  const auto at = static_cast<std::size_t>(random.below(bytes.size() - count + 1));
  unsigned before = 0;
  unsigned after = 0;
  for (char& byte : bytes.subspan(at, count)) {
    before += static_cast<unsigned char>(byte);
    change(byte, random);
    after += static_cast<unsigned char>(byte);
  }
  if (before % 256 == after % 256) ++bytes[at];
}

// A BodyLength that is too large makes one frame of this message and what follows, whose checksum
// may be right by chance. Without a MsgSeqNum such a frame cannot be taken for a message.
void change_body_length(std::span<char> digits, std::span<char> body,
                        SeededRandom& random) noexcept {
  char& digit = digits[static_cast<std::size_t>(random.below(digits.size()))];
  const char before = digit;
  digit = random.below(4) == 0 ? 'x' : static_cast<char>('0' + random.below(10));
  if (digit == before) digit = 'x';
  if (digit == 'x' || digit < before) return;
  constexpr std::string_view kMsgSeqNum =
      "\x01"
      "34=";
  const std::string_view text{body.data(), body.size()};
  if (const std::size_t at = text.find(kMsgSeqNum); at != std::string_view::npos) {
    body[at + kMsgSeqNum.size() - 1] = 'x';
  } else {
    digit = 'x';
  }
}

}  // namespace

bool alter_message(std::span<char> sent, SeededRandom& random) noexcept {
  const std::span<char> message = first_whole_message(sent);
  if (message.empty()) return false;
  const std::string_view text{message.data(), message.size()};
  const std::size_t length_at = text.find(kSoh) + std::string_view{"|9="}.size();
  const std::size_t body_at = text.find(kSoh, length_at) + 1;
  // Without its last SOH: the CheckSum stays a field at the place that BodyLength gives.
  const std::span<char> body =
      message.subspan(body_at, message.size() - body_at - kTrailerBytes - 1);
  switch (random.below(8)) {
    case 0:  // BeginString
      change(message[static_cast<std::size_t>(random.below(length_at - 1))], random);
      break;
    case 1:
      change_body_length(message.subspan(length_at, body_at - 1 - length_at), body, random);
      break;
    case 2: {
      char& digit = message[message.size() - 2 - static_cast<std::size_t>(random.below(3))];
      digit = digit == '9' ? '0' : static_cast<char>(digit + 1);
      break;
    }
    default:
      change_some(body, random);
      break;
  }
  return true;
}

}  // namespace nexusfix::simulator
