// The TCP segment in a packet.
#pragma once

#include <array>
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

}  // namespace nexusfix::logs::capture
