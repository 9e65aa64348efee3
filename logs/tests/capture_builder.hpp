// Writes packets and capture files for tests, independent of the code that reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nexusfix::testing {

inline void put_be(std::string& to, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) to += static_cast<char>(value >> (8 * i) & 0xff);
}
inline void put_le(std::string& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i) & 0xff);
}

struct Segment {
  int from = 1;  // a host: 10.0.0.N or fe80::N
  int to = 2;
  std::uint16_t from_port = 5001;
  std::uint16_t to_port = 9876;
  std::uint32_t sequence = 0;
  std::uint32_t acknowledged = 0;
  std::string flags = "A";  // of S, F, R and A
  std::string payload{};
};

inline std::string tcp(const Segment& segment) {
  std::string bytes;
  put_be(bytes, segment.from_port, 2);
  put_be(bytes, segment.to_port, 2);
  put_be(bytes, segment.sequence, 4);
  put_be(bytes, segment.acknowledged, 4);
  unsigned flags = 0;
  for (const char flag : segment.flags) {
    flags |= flag == 'F' ? 1U : flag == 'S' ? 2U : flag == 'R' ? 4U : 16U;
  }
  put_be(bytes, 8 << 12 | flags, 2);  // a header of 32 bytes
  bytes += std::string(6, '\0') + std::string(12, '\x01');
  return bytes + segment.payload;
}

inline std::string ipv4(const Segment& segment, unsigned fragment = 0) {
  const std::string content = tcp(segment);
  std::string bytes{"\x45\0", 2};
  put_be(bytes, 20 + content.size(), 2);
  put_be(bytes, 1, 2);
  put_be(bytes, fragment, 2);
  bytes += std::string{"\x40\x06\0\0", 4};
  put_be(bytes, 0x0a000000U + static_cast<unsigned>(segment.from), 4);
  put_be(bytes, 0x0a000000U + static_cast<unsigned>(segment.to), 4);
  return bytes + content;
}

// With a header for the destination between.
inline std::string ipv6(const Segment& segment) {
  const std::string content = tcp(segment);
  std::string bytes{"\x60\0\0\0", 4};
  put_be(bytes, 8 + content.size(), 2);
  bytes += std::string{"\x3c\x40", 2};
  for (const int host : {segment.from, segment.to}) {
    put_be(bytes, 0xfe80000000000000, 8);
    put_be(bytes, static_cast<unsigned>(host), 8);
  }
  bytes += std::string{"\x06\0\x01\x04\0\0\0\0", 8};
  return bytes + content;
}

inline std::string ethernet(const std::string& packet, std::uint16_t type = 0x0800,
                            std::vector<std::uint16_t> vlans = {}) {
  std::string bytes(12, '\x02');
  for (const std::uint16_t vlan : vlans) {
    put_be(bytes, 0x8100, 2);
    put_be(bytes, vlan, 2);
  }
  put_be(bytes, type, 2);
  bytes += packet;
  if (bytes.size() < 60) bytes.resize(60);  // Ethernet's least
  return bytes;
}

inline std::string cooked(const std::string& packet) {
  std::string bytes(14, '\0');
  put_be(bytes, 0x0800, 2);
  return bytes + packet;
}
inline std::string cooked2(const std::string& packet) {
  std::string bytes;
  put_be(bytes, 0x0800, 2);
  return bytes + std::string(18, '\0') + packet;
}

constexpr std::uint32_t kStartSecond = 1'705'314'600;  // 2024-01-15 10:30:00

// Packets one millisecond apart.
class Pcap {
 public:
  enum class Order : std::uint8_t { Little, Big };
  explicit Pcap(std::uint32_t link_type = 1, Order order = Order::Little, bool is_nano = false,
                std::size_t snap_length = 262'144)
      : order_{order}, is_nano_{is_nano}, snap_length_{snap_length} {
    put(is_nano ? 0xa1b23c4d : 0xa1b2c3d4, 4);
    put(2, 2);
    put(4, 2);
    put(0, 8);
    put(snap_length, 4);
    put(link_type, 4);
  }
  void add(const std::string& packet) {
    const std::string kept = packet.substr(0, snap_length_);
    put(kStartSecond + milliseconds_ / 1000, 4);
    put(milliseconds_ % 1000 * (is_nano_ ? 1'000'000U : 1'000U), 4);
    put(kept.size(), 4);
    put(packet.size(), 4);
    bytes_ += kept;
    ++milliseconds_;
  }
  void wait(std::uint32_t milliseconds) { milliseconds_ += milliseconds; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void put(std::uint64_t value, int size) {
    order_ == Order::Big ? put_be(bytes_, value, size) : put_le(bytes_, value, size);
  }

  Order order_;
  bool is_nano_;
  std::size_t snap_length_;
  std::uint32_t milliseconds_ = 0;
  std::string bytes_;
};

// Blocks of pcapng, little-endian.
inline std::string block(std::uint32_t type, std::string body) {
  body.resize((body.size() + 3) / 4 * 4);
  std::string bytes;
  put_le(bytes, type, 4);
  put_le(bytes, body.size() + 12, 4);
  bytes += body;
  put_le(bytes, body.size() + 12, 4);
  return bytes;
}
inline std::string section() {
  std::string body;
  put_le(body, 0x1a2b3c4d, 4);
  put_le(body, 1, 2);
  put_le(body, 0, 2);
  put_le(body, ~std::uint64_t{0}, 8);
  return block(0x0a0d0d0a, body);
}
// resolution: if_tsresol.
inline std::string interface_block(std::uint16_t link_type, std::uint8_t resolution) {
  std::string body;
  put_le(body, link_type, 2);
  put_le(body, 0, 6);
  put_le(body, 9, 2);
  put_le(body, 1, 2);
  put_le(body, resolution, 4);
  put_le(body, 0, 4);
  return block(1, body);
}
inline std::string packet_block(std::uint32_t interface, std::uint64_t ticks,
                                const std::string& packet) {
  std::string body;
  put_le(body, interface, 4);
  put_le(body, ticks >> 32U, 4);
  put_le(body, ticks & 0xffffffff, 4);
  put_le(body, packet.size(), 4);
  put_le(body, packet.size(), 4);
  return block(6, body + packet);
}

}  // namespace nexusfix::testing
