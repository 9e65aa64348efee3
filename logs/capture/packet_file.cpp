#include "logs/capture/packet_file.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "logs/messages/message_scanner.hpp"
#include "nexusfix/files/interrupt.hpp"

namespace nexusfix::logs {
namespace {

constexpr std::string_view kPcapngMagic{"\x0a\x0d\x0d\x0a", 4};
constexpr std::string_view kBigEndianMark{"\x1a\x2b\x3c\x4d", 4};

// The first bytes of a pcap file.
struct PcapMagic {
  std::string_view bytes;
  bool is_big_endian;
  bool is_nanoseconds;
};
constexpr PcapMagic kPcapMagics[] = {{{"\xd4\xc3\xb2\xa1", 4}, false, false},
                                     {{"\xa1\xb2\xc3\xd4", 4}, true, false},
                                     {{"\x4d\x3c\xb2\xa1", 4}, false, true},
                                     {{"\xa1\xb2\x3c\x4d", 4}, true, true}};

}  // namespace

bool is_capture(std::string_view head) {
  const auto begins = [&](const PcapMagic& magic) { return head.starts_with(magic.bytes); };
  if (std::ranges::any_of(kPcapMagics, begins)) return true;
  constexpr std::string_view kLittleEndianMark{"\x4d\x3c\x2b\x1a", 4};
  constexpr std::size_t kMarkAt = 8;
  if (!head.starts_with(kPcapngMagic) || head.size() < kMarkAt) return false;
  head.remove_prefix(kMarkAt);
  return head.starts_with(kBigEndianMark) || head.starts_with(kLittleEndianMark);
}

namespace capture {
namespace {

constexpr std::size_t kReadBytes = 512U << 10U;
constexpr std::size_t kInterfacesMax = 10'000;
constexpr std::size_t kPcapHeaderBytes = 24;
// The head of a block of pcapng: its type and its size, which is repeated at its end.
constexpr std::size_t kBlockHeadBytes = 8;
constexpr std::size_t kBlockBytesMin = 12;
constexpr std::uint32_t kSectionBlock = 0x0a0d0d0a;
constexpr std::uint32_t kInterfaceBlock = 1;
constexpr std::uint32_t kOldPacketBlock = 2;
constexpr std::uint32_t kSimplePacketBlock = 3;
constexpr std::uint32_t kPacketBlock = 6;

WallTime time_of_ticks(std::uint64_t ticks, std::uint64_t per_second, std::int64_t offset_seconds) {
  constexpr std::uint64_t kSecondsMax = 9'000'000'000;  // of a WallTime
  const std::uint64_t seconds = std::min(ticks / per_second, kSecondsMax);
  const std::int64_t offset =
      std::clamp<std::int64_t>(offset_seconds, -static_cast<std::int64_t>(seconds), 200'000'000);
  const auto part = static_cast<double>(ticks % per_second) / static_cast<double>(per_second);
  // Whole nanoseconds stay exact for the usual resolutions.
  constexpr std::uint64_t kNanos = 1'000'000'000;
  const std::uint64_t nanos = kNanos % per_second == 0 ? ticks % per_second * (kNanos / per_second)
                                                       : static_cast<std::uint64_t>(part * 1e9);
  return WallTime{std::chrono::seconds{static_cast<std::int64_t>(seconds) + offset} +
                  std::chrono::nanoseconds{nanos}};
}

// if_tsresol: a power of ten, or with the highest bit of two. 0: out of range.
std::uint64_t ticks_per_second(unsigned char resolution) {
  const unsigned exponent = resolution & 0x7fU;
  if ((resolution & 0x80U) != 0) return exponent < 63 ? std::uint64_t{1} << exponent : 0;
  if (exponent > 18) return 0;
  std::uint64_t ticks = 1;
  for (unsigned i = 0; i < exponent; ++i) ticks *= 10;
  return ticks;
}

}  // namespace

PacketFile::PacketFile(Source source) : source_{std::move(source)}, buffer_(2 * kReadBytes) {}

std::uint16_t PacketFile::u16(std::string_view bytes, std::size_t at) const noexcept {
  std::uint16_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  const bool is_native = is_big_endian_ == (std::endian::native == std::endian::big);
  return is_native ? value : __builtin_bswap16(value);
}

std::uint32_t PacketFile::u32(std::string_view bytes, std::size_t at) const noexcept {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  const bool is_native = is_big_endian_ == (std::endian::native == std::endian::big);
  return is_native ? value : __builtin_bswap32(value);
}

bool PacketFile::fail(std::string text) {
  error_ = std::move(text);
  end_ = SourceEnd::Final;
  return false;
}

// Reads once, and always as much: the system copies whole pages faster. False: there are no more
// bytes for now.
bool PacketFile::fill(FunctionRef<void()> drained) {
  if (base_ + filled_ > 0 && command::is_interrupted()) return fail(std::string{kInterrupted});
  if (was_short_) drained();
  if (at_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + at_, filled_ - at_);
    base_ += at_;
    filled_ -= at_;
    at_ = 0;
  }
  text_id_ = printing::new_text_id();
  const auto got = source_->read(std::span{buffer_}.subspan(filled_, kReadBytes));
  if (!got) return fail(got.error());
  was_short_ = *got < kReadBytes;
  filled_ += *got;
  if (*got == 0) end_ = source_->end();
  return *got > 0;
}

bool PacketFile::read_until(std::size_t size, FunctionRef<void()> drained) {
  if (size + kReadBytes > buffer_.size()) {
    buffer_.resize(size + kReadBytes);
    text_id_ = printing::new_text_id();
  }
  while (filled_ - at_ < size) {
    if (fill(drained)) continue;
    if (error_.empty() && end_ != SourceEnd::Waits && filled_ > at_) {
      fail(fmt::format("the capture is cut: the record at byte {} is not complete", base_ + at_));
    }
    return false;
  }
  return true;
}

void PacketFile::advance(std::size_t size) { at_ += size; }

bool PacketFile::begin(FunctionRef<void()> drained) {
  if (!has(kPcapngMagic.size(), drained)) return false;
  if (rest().starts_with(kPcapngMagic)) {
    form_ = Form::Pcapng;
    return true;
  }
  if (!has(kPcapHeaderBytes, drained)) return false;
  const auto* const magic = std::ranges::find_if(
      kPcapMagics, [&](const PcapMagic& one) { return rest().starts_with(one.bytes); });
  if (magic == std::end(kPcapMagics)) return fail("these bytes are no capture in pcap or pcapng");
  form_ = Form::Pcap;
  is_big_endian_ = magic->is_big_endian;
  nanos_per_tick_ = magic->is_nanoseconds ? 1 : 1000;
  link_type_ = u32(rest(), 20) & 0xffffU;  // the other bits tell about the frame check sequence
  advance(kPcapHeaderBytes);
  return true;
}

bool PacketFile::next_read(CapturedPacket& to, FunctionRef<void()> drained) {
  if (!error_.empty()) return false;
  if (form_ == Form::Unknown && !begin(drained)) return false;
  return form_ == Form::Pcap ? next_pcap(to, drained) : next_pcapng(to, drained);
}

bool PacketFile::next_pcap(CapturedPacket& to, FunctionRef<void()> drained) {
  if (!has(kPcapRecordBytes, drained)) return false;
  const std::uint32_t size = u32(rest(), 8);
  if (size > kRecordBytesMax) {
    return fail(fmt::format("the capture is damaged: at byte {} is a packet of {} bytes",
                            base_ + at_, size));
  }
  return has(kPcapRecordBytes + size, drained) && next_in_buffer(to);
}

// The byte order and the interfaces are those of the section.
bool PacketFile::begin_section(FunctionRef<void()> drained) {
  constexpr std::size_t kMarkAt = 8;
  if (!has(kMarkAt + kBigEndianMark.size(), drained)) return false;
  is_big_endian_ = rest().substr(kMarkAt).starts_with(kBigEndianMark);
  interfaces_.clear();
  return true;
}

bool PacketFile::next_pcapng(CapturedPacket& to, FunctionRef<void()> drained) {
  for (;;) {
    if (!has(kBlockHeadBytes, drained)) return false;
    // The type of this block reads the same in both byte orders.
    const std::uint32_t type = u32(rest(), 0);
    if (type == kSectionBlock && !begin_section(drained)) return false;
    const std::uint32_t size = u32(rest(), 4);
    const std::size_t padded = (std::size_t{size} + 3) / 4 * 4;
    if (size < kBlockBytesMin || size > kRecordBytesMax) {
      return fail(fmt::format("the capture is damaged: at byte {} is a block of {} bytes",
                              base_ + at_, size));
    }
    if (!has(padded, drained)) return false;
    const std::string_view body = rest().substr(kBlockHeadBytes, size - kBlockBytesMin);
    const std::uint64_t offset = base_ + at_;
    advance(padded);
    if (type == kInterfaceBlock) {
      add_interface(body);
      if (!error_.empty()) return false;
      continue;
    }
    if (type != kPacketBlock && type != kSimplePacketBlock && type != kOldPacketBlock) continue;
    const auto packet = packet_of(type, body);
    if (!packet) {
      return fail(fmt::format("the capture is damaged: the block at byte {} is no packet", offset));
    }
    to = *packet;
    to.offset = offset;
    return true;
  }
}

void PacketFile::add_interface(std::string_view body) {
  constexpr std::size_t kOptionsAt = 8;
  constexpr std::uint16_t kResolution = 9;
  constexpr std::uint16_t kOffset = 14;
  if (body.size() < kOptionsAt || interfaces_.size() == kInterfacesMax) {
    fail("the capture is damaged: an interface is cut, or there are more than 10,000");
    return;
  }
  Interface interface{.link_type = u16(body, 0), .snap_length = u32(body, 4)};
  body.remove_prefix(kOptionsAt);
  while (body.size() >= 4) {
    const std::uint16_t code = u16(body, 0);
    const std::size_t size = u16(body, 2);
    body.remove_prefix(4);
    if (code == 0 || size > body.size()) break;
    if (code == kResolution && size == 1) {
      const std::uint64_t ticks = ticks_per_second(static_cast<unsigned char>(body[0]));
      if (ticks > 0) interface.ticks_per_second = ticks;
    }
    if (code == kOffset && size == 8) {
      const std::uint64_t first = u32(body, 0);
      const std::uint64_t second = u32(body, 4);
      interface.offset_seconds =
          static_cast<std::int64_t>(is_big_endian_ ? first << 32U | second : second << 32U | first);
    }
    body.remove_prefix(std::min(body.size(), (size + 3) / 4 * 4));
  }
  interfaces_.push_back(interface);
}

// Nothing: the block has no room for what it says.
std::optional<CapturedPacket> PacketFile::packet_of(std::uint32_t type, std::string_view body) {
  const std::size_t head = type == kSimplePacketBlock ? 4 : 20;
  if (body.size() < head) return std::nullopt;
  std::uint32_t number = 0;
  if (type == kPacketBlock) number = u32(body, 0);
  if (type == kOldPacketBlock) number = u16(body, 0);
  if (number >= interfaces_.size()) return std::nullopt;
  const Interface& interface = interfaces_[number];
  CapturedPacket packet{.link_type = interface.link_type};
  std::uint64_t size = 0;
  std::uint64_t wire_size = 0;
  if (type == kSimplePacketBlock) {
    wire_size = u32(body, 0);
    size = std::min<std::uint64_t>(wire_size, body.size() - head);
    if (interface.snap_length > 0) size = std::min<std::uint64_t>(size, interface.snap_length);
  } else {
    const std::uint64_t ticks = std::uint64_t{u32(body, 4)} << 32U | u32(body, 8);
    packet.time = time_of_ticks(ticks, interface.ticks_per_second, interface.offset_seconds);
    size = u32(body, 12);
    wire_size = u32(body, 16);
  }
  if (size > body.size() - head) return std::nullopt;
  packet.bytes = body.substr(head, size);
  packet.cut_size = wire_size > size ? wire_size - size : 0;
  return packet;
}

}  // namespace capture
}  // namespace nexusfix::logs
