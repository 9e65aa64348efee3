// The first bytes of a connection that comes by way of a proxy: whom the proxy has it from.
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
  // Whole: its size; what follows is the connection's own. NeedMore: it has no fewer bytes, so that
  // who receives up to there never receives a byte that is not the header's.
  std::size_t size = 0;
  std::string source{};      // Whole: as Network::peer_name() has it; empty: none is said
  std::string_view wrong{};  // Wrong: what it is instead; of static lifetime
};

// A header of version 2 may be so long; what it says beside the addresses is passed over.
inline constexpr std::size_t kProxyHeaderBytesMax = 4096;

// What bytes begin with. More of them never make a wrong header right.
[[nodiscard]] ProxyHeader read_proxy_header(std::string_view bytes);

}  // namespace nexusfix::transport
