#include "logs/capture/tcp_segment.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <bit>
#include <cstring>

namespace nexusfix::logs::capture {
namespace {

constexpr std::uint16_t kIpv4 = 0x0800;
constexpr std::uint16_t kIpv6 = 0x86dd;
constexpr unsigned kTcp = 6;

unsigned u8(std::string_view bytes, std::size_t at) noexcept {
  return static_cast<unsigned char>(bytes[at]);
}
std::uint16_t u16(std::string_view bytes, std::size_t at) noexcept {
  return static_cast<std::uint16_t>(u8(bytes, at) << 8U | u8(bytes, at + 1));
}
std::uint32_t u32(std::string_view bytes, std::size_t at) noexcept {
  return std::uint32_t{u16(bytes, at)} << 16U | u16(bytes, at + 2);
}

// Removes the headers of the link layer. 0: no IP.
std::uint16_t after_ethertype(std::string_view& packet, std::uint16_t type) noexcept {
  constexpr std::uint16_t kVlanTags[] = {0x8100, 0x88a8, 0x9100};
  constexpr std::uint16_t kMpls[] = {0x8847, 0x8848};
  if (type == kIpv4 || type == kIpv6) return type;
  constexpr std::size_t kTagBytes = 4;
  while (std::ranges::count(kVlanTags, type) > 0) {
    if (packet.size() < kTagBytes) return 0;
    type = u16(packet, 2);
    packet.remove_prefix(kTagBytes);
  }
  if (std::ranges::count(kMpls, type) == 0) return type;
  bool is_last = false;
  while (!is_last) {
    if (packet.size() < kTagBytes + 1) return 0;
    is_last = (u8(packet, 2) & 1U) != 0;
    packet.remove_prefix(kTagBytes);
  }
  const unsigned version = u8(packet, 0) >> 4U;
  return version == 4 ? kIpv4 : version == 6 ? kIpv6 : std::uint16_t{0};
}

std::uint16_t of_version(std::string_view packet) noexcept {
  if (packet.empty()) return 0;
  const unsigned version = u8(packet, 0) >> 4U;
  return version == 4 ? kIpv4 : version == 6 ? kIpv6 : std::uint16_t{0};
}

// Removes the header of the link layer, and returns the EtherType. 0: no IP.
std::uint16_t network_type(std::uint32_t link_type, std::string_view& packet, bool& is_known) {
  const auto without = [&](std::size_t size, std::size_t type_at) -> std::uint16_t {
    if (packet.size() < size) return 0;
    const std::uint16_t type = u16(packet, type_at);
    packet.remove_prefix(size);
    return after_ethertype(packet, type);
  };
  switch (link_type) {
    case 1:  // Ethernet
      return without(14, 12);
    case 113:  // Linux cooked
      return without(16, 14);
    case 276:  // Linux cooked, version 2
      return without(20, 0);
    case 0:    // BSD loopback, in the byte order of the machine
    case 108:  // OpenBSD loopback
      if (packet.size() < 4) return 0;
      packet.remove_prefix(4);
      return of_version(packet);
    case 12:  // raw IP, by different systems
    case 14:
    case 101:
    case 228:
    case 229:
      return of_version(packet);
    default:
      is_known = false;
      return 0;
  }
}

// The packet of the network layer without its header, and with the size that the header says.
struct Carried {
  PacketKind kind = PacketKind::Other;
  std::string_view bytes{};
  std::size_t cut_size = 0;
};

// size: what the header says about the bytes that follow. Ethernet pads short packets.
Carried carried_of(std::string_view bytes, std::size_t size, std::uint64_t cut_size) noexcept {
  if (size <= bytes.size()) return {PacketKind::Tcp, bytes.substr(0, size), 0};
  // A packet that claims more than was on the wire is damaged: only what was cut is missing.
  const std::size_t missing = std::min<std::uint64_t>(size - bytes.size(), cut_size);
  return {PacketKind::Tcp, bytes, missing};
}

Carried read_ipv4(std::string_view packet, std::uint64_t cut_size, FlowKey& key) noexcept {
  constexpr std::size_t kHeaderBytes = 20;
  if (packet.size() < kHeaderBytes) return {cut_size > 0 ? PacketKind::Cut : PacketKind::Other};
  const std::size_t header = (u8(packet, 0) & 0xfU) * 4;
  if (header < kHeaderBytes || u8(packet, 9) != kTcp) return {};
  std::memcpy(key.from.data(), packet.data() + 12, 4);
  std::memcpy(key.to.data(), packet.data() + 16, 4);
  key.is_ipv6 = false;
  constexpr unsigned kMoreFragments = 0x2000;
  constexpr unsigned kFragmentOffset = 0x1fff;
  if ((u16(packet, 6) & (kMoreFragments | kFragmentOffset)) != 0) return {PacketKind::Fragment};
  if (packet.size() < header) return {cut_size > 0 ? PacketKind::Cut : PacketKind::Other};
  const std::size_t total = u16(packet, 2);
  packet.remove_prefix(header);
  // 0: a network card divides the packet later, and its size is that of the capture.
  if (total == 0) return {PacketKind::Tcp, packet, cut_size};
  if (total < header) return {};
  return carried_of(packet, total - header, cut_size);
}

Carried read_ipv6(std::string_view packet, std::uint64_t cut_size, FlowKey& key) noexcept {
  constexpr std::size_t kHeaderBytes = 40;
  if (packet.size() < kHeaderBytes) return {cut_size > 0 ? PacketKind::Cut : PacketKind::Other};
  std::memcpy(key.from.data(), packet.data() + 8, 16);
  std::memcpy(key.to.data(), packet.data() + 24, 16);
  key.is_ipv6 = true;
  unsigned next = u8(packet, 6);
  const std::size_t size = u16(packet, 4);
  packet.remove_prefix(kHeaderBytes);
  Carried carried =
      size == 0 ? Carried{PacketKind::Tcp, packet, cut_size} : carried_of(packet, size, cut_size);
  constexpr int kHeadersMax = 16;
  for (int i = 0; i < kHeadersMax && next != kTcp; ++i) {
    if (carried.bytes.size() < 8) {
      return {carried.cut_size > 0 ? PacketKind::Cut : PacketKind::Other};
    }
    std::size_t header = 8;
    switch (next) {
      case 44:  // a fragment; an atomic one is the whole packet
        if ((u16(carried.bytes, 2) & 0xfff9U) != 0) return {PacketKind::Fragment};
        break;
      case 51:  // authentication
        header = (u8(carried.bytes, 1) + 2) * 4;
        break;
      case 0:    // hop by hop
      case 43:   // routing
      case 60:   // destination
      case 135:  // mobility
        header = (u8(carried.bytes, 1) + 1) * 8;
        break;
      default:
        return {};
    }
    if (header > carried.bytes.size()) return {};
    next = u8(carried.bytes, 0);
    carried.bytes.remove_prefix(header);
  }
  return next == kTcp ? carried : Carried{};
}

std::string host_text(const std::array<std::uint8_t, 16>& address, bool is_ipv6) {
  char buffer[INET6_ADDRSTRLEN]{};
  inet_ntop(is_ipv6 ? AF_INET6 : AF_INET, address.data(), buffer, sizeof buffer);
  return is_ipv6 ? "[" + std::string{buffer} + "]" : std::string{buffer};
}

}  // namespace

std::string FlowKey::text() const {
  return host_text(from, is_ipv6) + ":" + std::to_string(from_port) + "->" +
         host_text(to, is_ipv6) + ":" + std::to_string(to_port);
}

std::string FlowKey::hosts() const {
  return host_text(from, is_ipv6) + "->" + host_text(to, is_ipv6);
}

std::size_t FlowHash::operator()(const FlowKey& key) const noexcept {
  constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;
  std::uint64_t words[4];
  std::memcpy(words, key.from.data(), 16);
  std::memcpy(words + 2, key.to.data(), 16);
  std::uint64_t hash = std::uint64_t{key.from_port} << 16U | key.to_port;
  for (const std::uint64_t word : words) hash = (std::rotl(hash, 5) ^ word) * kMix;
  return hash ^ hash >> 32U;
}

PacketKind read_segment(std::uint32_t link_type, std::string_view packet, std::uint64_t cut_size,
                        TcpSegment& segment) noexcept {
  bool is_known = true;
  const char* const begin = packet.data();
  const std::uint16_t type = network_type(link_type, packet, is_known);
  if (!is_known) return PacketKind::UnknownLink;
  Carried carried;
  segment.key = {};
  segment.network_at = static_cast<std::size_t>(packet.data() - begin);
  if (type == kIpv4) carried = read_ipv4(packet, cut_size, segment.key);
  if (type == kIpv6) carried = read_ipv6(packet, cut_size, segment.key);
  if (carried.kind != PacketKind::Tcp) return carried.kind;
  const std::string_view bytes = carried.bytes;
  constexpr std::size_t kHeaderBytes = 20;
  if (bytes.size() < kHeaderBytes) {
    return carried.cut_size > 0 ? PacketKind::Cut : PacketKind::Other;
  }
  const std::size_t header = (u8(bytes, 12) >> 4U) * 4;
  if (header < kHeaderBytes) return PacketKind::Other;
  if (header > bytes.size()) return carried.cut_size > 0 ? PacketKind::Cut : PacketKind::Other;
  segment.transport_at = static_cast<std::size_t>(bytes.data() - begin);
  segment.key.from_port = u16(bytes, 0);
  segment.key.to_port = u16(bytes, 2);
  segment.sequence = u32(bytes, 4);
  segment.acknowledged = u32(bytes, 8);
  const unsigned flags = u8(bytes, 13);
  segment.is_fin = (flags & 1U) != 0;
  segment.is_syn = (flags & 2U) != 0;
  segment.is_reset = (flags & 4U) != 0;
  segment.is_ack = (flags & 16U) != 0;
  segment.payload = bytes.substr(header);
  segment.cut_size = carried.cut_size;
  return PacketKind::Tcp;
}

void KnownHeaders::learn(std::uint32_t link_type, std::string_view packet,
                         const TcpSegment& segment) noexcept {
  constexpr std::size_t kTcpBytes = 14;  // up to its flags
  const std::size_t network = segment.network_at;
  const std::size_t transport = segment.transport_at;
  const std::size_t needed =
      (transport + kTcpBytes + sizeof(Words) - 1) / sizeof(Words) * sizeof(Words);
  bytes_needed_ = SIZE_MAX;
  if (needed > kBytesMax || packet.size() < needed) return;
  std::array<unsigned char, kBytesMax> mask{};
  std::fill_n(mask.begin(), transport + kTcpBytes, static_cast<unsigned char>(0xff));
  const auto ignore = [&](std::size_t at, std::size_t size) {
    std::fill_n(mask.begin() + static_cast<std::ptrdiff_t>(at), size,
                static_cast<unsigned char>(0));
  };
  constexpr std::size_t kIpv6Bytes = 40;
  const bool is_ipv6 = segment.key.is_ipv6;
  if (is_ipv6) {
    ignore(network + 1, 5);  // traffic class, flow label, size
    ignore(network + 7, 1);  // hop limit
  } else {
    ignore(network + 1, 5);   // type of service, size, identification
    ignore(network + 8, 1);   // time to live
    ignore(network + 10, 2);  // check sum
  }
  ignore(transport + 4, 8);     // the numbers of bytes
  mask[transport + 13] = 0x17;  // ACK, RST, SYN, FIN
  std::memcpy(mask_.data(), mask.data(), mask.size());
  std::memcpy(expected_.data(), packet.data(), needed);
  const auto number = [](std::size_t value) { return static_cast<std::uint32_t>(value); };
  bytes_needed_ = needed;
  link_type_ = link_type;
  size_at_ = number(network + (is_ipv6 ? 4 : 2));
  size_from_ = number(network + (is_ipv6 ? kIpv6Bytes : 0));
  sequence_at_ = number(transport + 4);
  payload_at_ = number(static_cast<std::size_t>(segment.payload.data() - packet.data()));
}

}  // namespace nexusfix::logs::capture
