// The packets of a capture file: pcap with micro- or nanoseconds, and pcapng, in both byte orders.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>

#include "logs/source/byte_source.hpp"

namespace nexusfix::logs {

// Whether a file with these first bytes is a capture.
[[nodiscard]] bool is_capture(std::string_view head);

namespace capture {

// As tcpdump.org/linktypes.html lists them.
inline constexpr std::uint32_t kLinkUnknown = 0xffffffff;

struct CapturedPacket {
  WallTime time{};
  std::uint32_t link_type = kLinkUnknown;
  std::string_view bytes{};    // valid until the next call
  std::uint64_t offset = 0;    // of its record in the file
  std::uint64_t cut_size = 0;  // bytes that the snap length has cut off
};

// A record has at most 16 MiB, and a section of pcapng at most 10,000 interfaces: memory is
// bounded. A block of a kind that has no packets is left out.
class PacketFile {
 public:
  explicit PacketFile(Source source);

  // False: the end, error(), or a followed file that may grow. drained is called when everything
  // that has arrived was read, and more may come.
  [[nodiscard]] bool next(CapturedPacket& to, FunctionRef<void()> drained) {
    return (form_ == Form::Pcap && next_in_buffer(to)) || next_read(to, drained);
  }
  // One line without the name of the file; empty: the file was read to its end.
  [[nodiscard]] const std::string& error() const noexcept { return error_; }
  [[nodiscard]] SourceEnd end() const noexcept { return end_; }
  // From this byte of the last packet to the end of what was read, and its number: as of
  // printing::ScannedMessage.
  [[nodiscard]] std::string_view ahead(const char* from) const noexcept {
    return {from, buffer_.data() + filled_};
  }
  [[nodiscard]] std::uint64_t text_id() const noexcept { return text_id_; }

 private:
  static constexpr std::size_t kRecordBytesMax = 16U << 20U;
  static constexpr std::size_t kPcapRecordBytes = 16;
  enum class Form : std::uint8_t { Unknown, Pcap, Pcapng };
  struct Interface {
    std::uint32_t link_type = kLinkUnknown;
    std::uint32_t snap_length = 0;  // 0: none
    // A tick is 1 / ticks_per_second.
    std::uint64_t ticks_per_second = 1'000'000;
    std::int64_t offset_seconds = 0;
  };

  // Makes this many bytes of the present record available. False: the end, or error().
  bool has(std::size_t size, FunctionRef<void()> drained) {
    return filled_ - at_ >= size || read_until(size, drained);
  }
  bool read_until(std::size_t size, FunctionRef<void()> drained);
  bool fill(FunctionRef<void()> drained);
  void advance(std::size_t size);
  bool fail(std::string text);
  bool begin(FunctionRef<void()> drained);
  bool next_read(CapturedPacket& to, FunctionRef<void()> drained);
  // The next packet of a pcap file, if all of it was read.
  bool next_in_buffer(CapturedPacket& to) noexcept;
  bool next_pcap(CapturedPacket& to, FunctionRef<void()> drained);
  bool next_pcapng(CapturedPacket& to, FunctionRef<void()> drained);
  bool begin_section(FunctionRef<void()> drained);
  void add_interface(std::string_view body);
  std::optional<CapturedPacket> packet_of(std::uint32_t type, std::string_view body);
  [[nodiscard]] std::uint16_t u16(std::string_view bytes, std::size_t at) const noexcept;
  [[nodiscard]] std::uint32_t u32(std::string_view bytes, std::size_t at) const noexcept;
  [[nodiscard]] std::string_view rest() const noexcept {
    return {buffer_.data() + at_, filled_ - at_};
  }

  Source source_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;      // of the present record
  std::size_t filled_ = 0;  // bytes of the buffer
  std::uint64_t text_id_ = 0;
  std::uint64_t base_ = 0;  // the offset of the buffer in the file
  Form form_ = Form::Unknown;
  bool is_big_endian_ = false;
  std::uint32_t nanos_per_tick_ = 1;  // of pcap
  bool was_short_ = false;
  std::uint32_t link_type_ = kLinkUnknown;
  std::vector<Interface> interfaces_;
  std::string error_;
  SourceEnd end_ = SourceEnd::Final;
};

inline bool PacketFile::next_in_buffer(CapturedPacket& to) noexcept {
  const std::size_t left = filled_ - at_;
  const char* const record = buffer_.data() + at_;
  if (left < kPcapRecordBytes) return false;
  const bool is_swapped = is_big_endian_ != (std::endian::native == std::endian::big);
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, record + at, sizeof value);
    return is_swapped ? std::byteswap(value) : value;
  };
  const std::uint32_t size = word(8);
  const std::uint32_t wire_size = word(12);
  if (size > kRecordBytesMax || left - kPcapRecordBytes < size) return false;
  constexpr std::uint64_t kNanosMax = 999'999'999;
  const std::uint64_t nanos = std::min(std::uint64_t{word(4)} * nanos_per_tick_, kNanosMax);
  to.time = WallTime{std::chrono::seconds{word(0)} + std::chrono::nanoseconds{nanos}};
  to.link_type = link_type_;
  to.bytes = {record + kPcapRecordBytes, size};
  to.cut_size = wire_size > size ? wire_size - size : 0;
  to.offset = base_ + at_;
  at_ += kPcapRecordBytes + size;
  return true;
}

}  // namespace capture
}  // namespace nexusfix::logs
