// The first bytes of a connection that comes through a proxy: the source address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nexusfix::transport {

// The PROXY protocol of HAProxy (proxy-protocol.txt), version 1 (a line of text) and 2 (binary).
struct ProxyHeader {
  enum class Status : std::uint8_t { NeedMore, Whole, Wrong };
  Status status = Status::NeedMore;
  // Whole: the size of the header; what follows belongs to the connection. NeedMore: the header has
  // at least this size, so that a caller that receives up to it never receives a byte after the
  // header.
  std::size_t size = 0;
  std::string source{};  // Whole: in the form of Network::peer_name(); empty: the header names none
  std::string_view wrong{};  // Wrong: the reason; of static lifetime
};

// The maximum size of a version 2 header. What it has besides the addresses is ignored.
inline constexpr std::size_t kProxyHeaderBytesMax = 4096;

// Reads the header at the beginning of bytes. More bytes never make a wrong header right.
[[nodiscard]] ProxyHeader read_proxy_header(std::string_view bytes);

}  // namespace nexusfix::transport
