// A client at the gateway's WebSocket: any bytes, in any pieces, before and after its handshake.
// What is read stays within its limits, and the answers to a client that does not read, too.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/door/web_socket.hpp"
#include "random/fuzz/harness/input.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"

namespace {

using namespace nexusfix::gateway;
using nexusfix::testing::require;

constexpr std::string_view kRequest =
    "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
constexpr std::size_t kMessageMax = 1'000;
constexpr std::size_t kOutputMax = 200'000;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto piece = static_cast<std::size_t>(data[0]) + 1;
  const bool reads = (data[1] & 1U) != 0;
  const std::vector<std::string> origins{"https://desk.example.com"};
  WebSocketLoop loop;
  WebSocket web{loop, origins, {.text_bytes_max = kMessageMax, .binary_bytes_max = kMessageMax}};
  if ((data[1] & 2U) != 0) web.receive(kRequest);
  for (std::string_view rest = text.substr(2); !rest.empty() && !web.is_full();
       rest.remove_prefix(std::min(piece, rest.size()))) {
    web.receive(rest.substr(0, piece));
    loop.poll();
    for (auto message = web.read(); message; message = web.read()) {
      require(message->bytes.size() <= kMessageMax);
      web.write(message->is_text, std::string{message->bytes});
      loop.poll();
      if (!reads) break;
    }
    require(web.output().size() <= kOutputMax);
    if (reads) web.consume(web.output().size());
  }
  require(!web.fault().contains('\n'));
  web.close(4004, web.fault());
  loop.poll();
  return 0;
}
