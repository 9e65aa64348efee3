// A proxy's answer to each kind of handshake. It ends in a connection or with a reason, within the
// limit, and independent of where it is split. No reason contains the password.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/proxy_handshake.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"

namespace {

using namespace nexusfix::transport;
using nexusfix::testing::require;

constexpr std::string_view kPassword = "TopSecret";

struct Outcome {
  bool is_done = false;
  std::string failure;
  std::string said;
  std::size_t taken = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome hear(const ConnectProxy& proxy, std::string_view answer, std::size_t piece) {
  const Endpoint target{"10.0.0.1", 5001};
  ProxyHandshake handshake{proxy, target, literal_address(target)};
  Outcome outcome;
  for (;;) {
    outcome.said += handshake.unsent();
    handshake.sent(handshake.unsent().size());
    const std::size_t wanted = handshake.wanted();
    require((wanted == 0) == (handshake.is_done() || handshake.has_failed()));
    const std::size_t size = std::min({wanted, piece, answer.size() - outcome.taken});
    if (size == 0) break;
    handshake.take(answer.substr(outcome.taken, size));
    outcome.taken += size;
  }
  require(outcome.taken <= kProxyAnswerBytesMax + 1);
  handshake.end();
  outcome.is_done = handshake.is_done();
  outcome.failure = handshake.failure();
  require(outcome.is_done == outcome.failure.empty());
  require(proxy.password.empty() || outcome.failure.find(kPassword) == std::string::npos);
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view answer{reinterpret_cast<const char*>(data) + 2, size - 2};
  const unsigned kind = data[0] % 10U;
  ConnectProxy proxy{static_cast<ConnectProxy::Protocol>(kind / 2), "proxy", 3128, {}, {}};
  if (kind % 2 == 1) {
    proxy.user = "me";
    proxy.password = kPassword;
  }
  Outcome whole = hear(proxy, answer, SIZE_MAX);
  Outcome pieces = hear(proxy, answer, std::size_t{data[1]} % 64 + 1);
  // How many bytes a failed handshake has consumed does not matter.
  if (!whole.is_done) whole.taken = pieces.taken = 0;
  require(whole == pieces);
  return 0;
}
