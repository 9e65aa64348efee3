// The TCP segment in a packet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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

  friend bool operator==(const FlowKey&, const FlowKey&) = default;
  [[nodiscard]] FlowKey reversed() const noexcept {
    return {to, from, to_port, from_port, is_ipv6};
  }
  // "10.0.0.1:5001->10.0.0.2:9876", "[fe80::1]:5001->[fe80::2]:9876".
  [[nodiscard]] std::string text() const;
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
// IPv4 and IPv6 with extension headers. Fills segment only for Tcp. The payload is a view of
// packet.
[[nodiscard]] PacketKind read_segment(std::uint32_t link_type, std::string_view packet,
                                      std::uint64_t cut_size, TcpSegment& segment) noexcept;

}  // namespace nexusfix::logs::capture
