#include "gateway/protocol/frame.hpp"

#include <bit>
#include <cstring>
#include <utility>

#include <nexusfix/base/language.hpp>

namespace nexusfix::gateway {
namespace {

constexpr std::size_t kVersionAt = 4;
constexpr std::size_t kKindAt = 5;
constexpr std::size_t kFlagsAt = 6;
constexpr std::size_t kSessionAt = 8;
constexpr std::size_t kCodeAt = 12;
constexpr std::size_t kEpochAt = 16;
constexpr std::size_t kMsgSeqNumAt = 24;
constexpr std::size_t kNumberAt = 32;
static_assert(kNumberAt + sizeof(std::uint64_t) == kHeaderBytes);

template <class Number>
Number read_at(std::span<const char> bytes, std::size_t at) noexcept {
  Number number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  if constexpr (std::endian::native == std::endian::big) number = std::byteswap(number);
  return number;
}

template <class Number>
void write_at(char* out, std::size_t at, Number number) noexcept {
  if constexpr (std::endian::native == std::endian::big) number = std::byteswap(number);
  std::memcpy(out + at, &number, sizeof number);
}

}  // namespace

std::string_view to_string(FrameFault fault) noexcept {
  switch (fault) {
    case FrameFault::Length:
      return "a frame has 40 to 1,052,672 bytes";
    case FrameFault::Version:
      return "this gateway speaks version 1 of the protocol";
    case FrameFault::Kind:
      break;
  }
  return "a frame of an unknown kind";
}

std::expected<std::size_t, FrameFault> frame_bytes(std::span<const char> bytes) noexcept {
  if (bytes.size() < sizeof(std::uint32_t)) return 0;
  const std::size_t length = read_at<std::uint32_t>(bytes, 0);
  if (length < kHeaderBytes || length > kFrameBytesMax) return std::unexpected{FrameFault::Length};
  if (bytes.size() > kVersionAt && bytes[kVersionAt] != char{kProtocolVersion}) {
    return std::unexpected{FrameFault::Version};
  }
  return length;
}

std::expected<Frame, FrameFault> read_frame(std::span<const char> bytes) noexcept {
  const auto length = frame_bytes(bytes);
  if (!length) return std::unexpected{length.error()};
  if (*length == 0 || *length != bytes.size()) return std::unexpected{FrameFault::Length};
  const auto kind = static_cast<std::uint8_t>(bytes[kKindAt]);
  if (kind < std::to_underlying(FrameKind::Hello) || kind > std::to_underlying(FrameKind::Closed)) {
    return std::unexpected{FrameFault::Kind};
  }
  return Frame{.header = {.kind = FrameKind{kind},
                          .flags = read_at<std::uint16_t>(bytes, kFlagsAt),
                          .session = read_at<std::uint32_t>(bytes, kSessionAt),
                          .code = read_at<std::uint32_t>(bytes, kCodeAt),
                          .epoch = read_at<std::uint64_t>(bytes, kEpochAt),
                          .msg_seq_num = read_at<std::uint64_t>(bytes, kMsgSeqNumAt),
                          .number = read_at<std::uint64_t>(bytes, kNumberAt)},
               .body = {bytes.data() + kHeaderBytes, bytes.size() - kHeaderBytes}};
}

void write_header(const FrameHeader& header, std::size_t body_bytes, char* out) noexcept {
  NEXUSFIX_ASSERT(body_bytes <= kFrameBytesMax - kHeaderBytes);
  write_at(out, 0, static_cast<std::uint32_t>(kHeaderBytes + body_bytes));
  out[kVersionAt] = char{kProtocolVersion};
  out[kKindAt] = static_cast<char>(header.kind);
  write_at(out, kFlagsAt, header.flags);
  write_at(out, kSessionAt, header.session);
  write_at(out, kCodeAt, header.code);
  write_at(out, kEpochAt, header.epoch);
  write_at(out, kMsgSeqNumAt, header.msg_seq_num);
  write_at(out, kNumberAt, header.number);
}

void append_frame(std::vector<char>& out, const FrameHeader& header, std::string_view body) {
  const std::size_t at = out.size();
  out.resize(at + kHeaderBytes + body.size());
  write_header(header, body.size(), out.data() + at);
  if (!body.empty()) std::memcpy(out.data() + at + kHeaderBytes, body.data(), body.size());
}

}  // namespace nexusfix::gateway
