// The TCP segment in a packet.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace nexusfix::logs::capture {

// One direction of a connection. An IPv4 address has 4 bytes, and 12 zeros.
struct FlowKey {
  std::array<std::uint8_t, 16> from{};
  std::array<std::uint8_t, 16> to{};
  std::uint16_t from_port = 0;
  std::uint16_t to_port = 0;
  bool is_ipv6 = false;

  // Each packet compares its key: words take a few loads, where memcmp() is a call.
  friend bool operator==(const FlowKey& left, const FlowKey& right) noexcept {
    const auto differ = [](const std::array<std::uint8_t, 16>& one,
                           const std::array<std::uint8_t, 16>& other) {
      std::uint64_t words[4];
      std::memcpy(words, one.data(), 16);
      std::memcpy(words + 2, other.data(), 16);
      return (words[0] ^ words[2]) | (words[1] ^ words[3]);
    };
    return (differ(left.from, right.from) | differ(left.to, right.to)) == 0 &&
           left.from_port == right.from_port && left.to_port == right.to_port &&
           left.is_ipv6 == right.is_ipv6;
  }
  [[nodiscard]] FlowKey reversed() const noexcept {
    return {to, from, to_port, from_port, is_ipv6};
  }
  // "10.0.0.1:5001->10.0.0.2:9876", "[fe80::1]:5001->[fe80::2]:9876".
  [[nodiscard]] std::string text() const;
  // "10.0.0.1->10.0.0.2"
  [[nodiscard]] std::string hosts() const;
};

struct FlowHash {
  [[nodiscard]] std::size_t operator()(const FlowKey& key) const noexcept;
};

struct TcpSegment {
  FlowKey key{};
  std::uint32_t sequence = 0;
  std::uint32_t acknowledged = 0;
  bool is_syn = false;
  bool is_fin = false;
  bool is_reset = false;
  bool is_ack = false;
  std::string_view payload{};  // what was captured of it
  std::size_t cut_size = 0;    // bytes of the payload after it that were not captured
  // Where the headers of IP and TCP begin in the packet.
  std::size_t network_at = 0;
  std::size_t transport_at = 0;
};

enum class PacketKind : std::uint8_t {
  Tcp,
  Other,        // no TCP, or damaged
  Fragment,     // a part of an IP packet
  Cut,          // the snap length leaves not even the headers of TCP
  UnknownLink,  // a link type that is not read
};

// packet: from the link layer on. cut_size: bytes that the snap length has cut off. Reads Ethernet
// with VLAN tags and MPLS labels, Linux cooked captures (SLL and SLL2), BSD loopback and raw IP;
// IPv4 and IPv6 with extension headers. Fills segment only for Tcp, and for Fragment the addresses.
// The payload is a view of packet.
[[nodiscard]] PacketKind read_segment(std::uint32_t link_type, std::string_view packet,
                                      std::uint64_t cut_size, TcpSegment& segment) noexcept;

// Headers of packets of one flow: most differ only in the numbers and sizes. A packet with the same
// bytes in all other places needs no read_segment().
class KnownHeaders {
 public:
  // What differs from packet to packet.
  struct Segment {
    std::uint32_t sequence = 0;
    std::string_view payload{};
  };

  // From now on those of this packet. segment: what read_segment() has found in it, without SYN,
  // FIN and RST.
  void learn(std::uint32_t link_type, std::string_view packet, const TcpSegment& segment) noexcept;
  // False: read_segment() decides. Otherwise it finds the same flow and flags, these values, and a
  // cut size of 0. By reference: a copy of a view that was just written waits for the writes.
  [[nodiscard]] bool read(std::uint32_t link_type, const std::string_view& packet,
                          Segment& to) const noexcept {
    const char* const data = packet.data();
    const std::size_t packet_size = packet.size();
    if (packet_size < bytes_needed_ || link_type != link_type_) return false;
    Words different{};
    for (std::size_t at = 0; at < bytes_needed_; at += sizeof(Words)) {
      Words words;
      std::memcpy(&words, data + at, sizeof words);
      different |= (words ^ expected_[at / sizeof words]) & mask_[at / sizeof words];
    }
    const std::size_t size = big_endian<std::uint16_t>(data + size_at_);
    const std::size_t end = size_from_ + size;
    if ((different[0] | different[1]) != 0 || size == 0) return false;
    if (end < payload_at_ || end > packet_size) return false;
    to.sequence = big_endian<std::uint32_t>(data + sequence_at_);
    to.payload = {data + payload_at_, end - payload_at_};
    return true;
  }

  template <class Number>
  [[nodiscard]] static Number big_endian(const char* at) noexcept {
    Number number = 0;
    std::memcpy(&number, at, sizeof number);
    return std::endian::native == std::endian::big ? number : std::byteswap(number);
  }

 private:
  // Two words, which a CPU with vectors compares at once.
  using Words [[gnu::vector_size(16)]] = std::uint64_t;
  // Ethernet with a VLAN tag, IPv6 with one more header, and TCP up to its flags.
  static constexpr std::size_t kBytesMax = 80;

  std::array<Words, kBytesMax / sizeof(Words)> expected_{};
  std::array<Words, kBytesMax / sizeof(Words)> mask_{};  // 0: any bit is right
  std::size_t bytes_needed_ = SIZE_MAX;                  // SIZE_MAX: none are known
  std::uint32_t link_type_ = 0;
  std::uint32_t size_at_ = 0;    // of the size that IP says,
  std::uint32_t size_from_ = 0;  // which counts from here
  std::uint32_t sequence_at_ = 0;
  std::uint32_t payload_at_ = 0;
};

}  // namespace nexusfix::logs::capture
