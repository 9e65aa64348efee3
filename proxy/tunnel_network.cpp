#include "proxy/tunnel_network.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <utility>

namespace nexusfix::transport {
namespace {

// Bytes of proxies' answers that one wait() reads: a long answer, or answers on many connections at
// once, do not delay other connections.
constexpr std::size_t kReadPerWait = 1'024;
// Short enough for the string to need no memory.
constexpr const char* kNoMemory = "no memory";

Endpoint the_proxy_of(const Endpoint& target) {
  Endpoint endpoint{target.proxy->host, target.proxy->port, target.options};
  endpoint.tls = target.tls;  // refused below: TLS goes above
  return endpoint;
}

// The first address that SOCKS 4 can connect to.
std::optional<Address> first_v4(const std::vector<Address>& addresses) {
  const auto found = std::ranges::find(addresses, AF_INET, &Address::family);
  return found == addresses.end() ? std::nullopt : std::optional{*found};
}

}  // namespace

std::unique_ptr<Network> make_tunnel_network(Network& inner) {
  return std::make_unique<TunnelNetwork>(inner, resolve_blocking);
}

TunnelNetwork::TunnelNetwork(Network& inner, Lookup lookup)
    : ForwardingNetwork{inner}, resolver_{std::move(lookup), [&inner] { inner.wake(); }} {}

std::expected<SocketId, NetworkError> TunnelNetwork::connect(const Endpoint& endpoint) {
  if (!endpoint.proxy) return inner_.connect(endpoint);
  const ConnectProxy& proxy = *endpoint.proxy;
  std::string_view wrong = validate(proxy);
  if (wrong.empty()) wrong = validate(proxy.protocol, endpoint.host);
  if (wrong.empty() && endpoint.port == 0) wrong = "a port is needed";
  if (!wrong.empty()) {
    return std::unexpected{NetworkError{
        "connect " + to_string(endpoint) + " by way of a proxy: " + std::string{wrong}, EINVAL}};
  }
  Attempt attempt{.target = endpoint};
  bool is_known = true;
  if (proxy.protocol == ConnectProxy::Protocol::Socks4) {
    const std::vector<Address> known = known_addresses(endpoint);
    is_known = !known.empty();
    if (is_known) attempt.handshake.emplace(proxy, endpoint, first_v4(known));
  } else {
    attempt.handshake.emplace(proxy, endpoint, literal_address(endpoint));
  }
  failed_.reserve(attempts_.size() + 1);
  const auto socket = inner_.connect(the_proxy_of(endpoint));
  if (!socket) return socket;
  try {
    targets_.insert_or_assign(*socket, to_string(endpoint));
    attempts_.insert_or_assign(*socket, std::move(attempt));
    if (!is_known) {
      resolver_.ask(*socket, endpoint);
      ++questions_open_;
    }
  } catch (const std::bad_alloc&) {
    close(*socket);
    throw;
  }
  return socket;
}

std::string TunnelNetwork::peer_name(SocketId socket) const {
  const auto found = targets_.find(socket);
  return found == targets_.end() ? inner_.peer_name(socket) : found->second;
}

std::string TunnelNetwork::protection(SocketId socket) const {
  const std::string below = inner_.protection(socket);
  if (!targets_.contains(socket)) return below;
  return "by way of " + inner_.peer_name(socket) + (below.empty() ? "" : ", ") + below;
}

// An error names both the target and the proxy.
std::string TunnelNetwork::last_error(SocketId socket) const {
  const auto target = targets_.find(socket);
  if (target == targets_.end()) return inner_.last_error(socket);
  const std::string both = target->second + " by way of " + inner_.peer_name(socket);
  if (const auto found = attempts_.find(socket);
      found != attempts_.end() && !found->second.failure.empty()) {
    return "connect " + both + ": " + found->second.failure;
  }
  std::string text = inner_.last_error(socket);
  const std::string proxy = inner_.peer_name(socket);
  const std::size_t at = proxy.empty() ? std::string::npos : text.find(proxy);
  return at == std::string::npos ? text : text.replace(at, proxy.size(), both);
}

IoResult TunnelNetwork::receive(SocketId socket, std::span<char> buffer) noexcept {
  if (!attempts_.empty()) [[unlikely]] {
    const auto found = attempts_.find(socket);
    if (found != attempts_.end()) {
      if (found->second.failure.empty()) return {IoResult::Status::WouldBlock, 0, 0};
      return {IoResult::Status::Failed, 0, EPROTO};
    }
  }
  return inner_.receive(socket, buffer);
}

IoResult TunnelNetwork::send(SocketId socket, std::span<const char> bytes) noexcept {
  if (!attempts_.empty() && attempts_.contains(socket)) [[unlikely]] {
    return receive(socket, {});
  }
  return inner_.send(socket, bytes);
}

void TunnelNetwork::close(SocketId socket) noexcept {
  attempts_.erase(socket);
  targets_.erase(socket);
  std::erase(failed_, socket);
  inner_.close(socket);
}

Detached TunnelNetwork::detach(SocketId socket) noexcept {
  return targets_.contains(socket) ? Detached{} : inner_.detach(socket);
}

std::size_t TunnelNetwork::wait(std::span<Ready> events,
                                std::optional<std::chrono::nanoseconds> timeout) noexcept {
  if (events.empty()) return 0;
  // At most half of the room, so that other connections have their turn.
  std::size_t count = std::min(failed_.size(), (events.size() + 1) / 2);
  for (std::size_t i = 0; i < count; ++i) events[i] = {Ready::Kind::Failed, failed_[i], 0};
  if (count > 0) timeout = std::chrono::nanoseconds::zero();
  const std::span<Ready> rest = events.subspan(count);
  const std::size_t found = rest.empty() ? 0 : inner_.wait(rest, timeout);
  for (const Ready& ready : rest.first(found)) {
    const std::optional<Ready> event = attempts_.empty() ? ready : translate(ready);
    if (event) events[count++] = *event;
  }
  if (questions_open_ > 0) accept_resolutions();
  if (!failed_.empty()) inner_.wake();  // descriptor() must become readable
  return count;
}

std::optional<Ready> TunnelNetwork::translate(const Ready& ready) noexcept {
  const auto found = attempts_.find(ready.socket);
  if (found == attempts_.end()) return ready;
  if (ready.kind == Ready::Kind::Failed) {  // The inner network has the reason.
    attempts_.erase(found);
    std::erase(failed_, ready.socket);
    return ready;
  }
  Attempt& attempt = found->second;
  if (!attempt.failure.empty()) return std::nullopt;
  if (ready.kind == Ready::Kind::Connected) attempt.is_connected = true;
  try {
    if (attempt.handshake) return advance(ready.socket, attempt);
    hold(ready, attempt);
    return std::nullopt;
  } catch (const std::bad_alloc&) {
    fail(ready.socket, attempt, kNoMemory);
    return std::nullopt;
  }
}

// Pauses the proxy's connection until the target's address is known. Otherwise each wait() would
// report its bytes.
void TunnelNetwork::hold(const Ready& ready, Attempt& attempt) {
  if (ready.kind != Ready::Kind::Readable) return;
  if (attempt.is_paused) return fail(ready.socket, attempt, "the connection with it broke");
  attempt.is_paused = true;
  inner_.pause(ready.socket, true);
}

std::optional<Ready> TunnelNetwork::advance(SocketId socket, Attempt& attempt) {
  if (!attempt.is_connected) return std::nullopt;
  if (send_request(socket, attempt)) read_answer(socket, attempt);
  const ProxyHandshake& handshake = *attempt.handshake;
  if (handshake.has_failed() && attempt.failure.empty()) fail(socket, attempt, handshake.failure());
  if (!handshake.is_done()) return std::nullopt;
  attempts_.erase(socket);
  return Ready{Ready::Kind::Connected, socket, 0};
}

// True: all of it was sent, or the connection failed.
bool TunnelNetwork::send_request(SocketId socket, Attempt& attempt) {
  ProxyHandshake& handshake = *attempt.handshake;
  while (!handshake.unsent().empty()) {
    const IoResult result = inner_.send(socket, handshake.unsent());
    if (result.status == IoResult::Status::WouldBlock) return false;
    // The proxy's answer may say why.
    if (result.status != IoResult::Status::Ok) return true;
    handshake.sent(result.bytes);
    if (result.bytes == 0) return false;
  }
  return true;
}

// Reads no byte after the proxy's answer: those belong to the user of the connection.
void TunnelNetwork::read_answer(SocketId socket, Attempt& attempt) {
  ProxyHandshake& handshake = *attempt.handshake;
  std::array<char, 32> buffer;
  for (std::size_t read_bytes = 0; handshake.wanted() > 0 && read_bytes < kReadPerWait;) {
    const std::size_t wanted = std::min(handshake.wanted(), buffer.size());
    const IoResult result = inner_.receive(socket, std::span{buffer}.first(wanted));
    if (result.status == IoResult::Status::WouldBlock) return;
    if (result.status == IoResult::Status::Closed) return handshake.end();
    if (result.status == IoResult::Status::Failed) {
      return fail(
          socket, attempt,
          "the connection with it broke: " + std::generic_category().message(result.error_number));
    }
    read_bytes += result.bytes;
    handshake.take({buffer.data(), result.bytes});
    if (!send_request(socket, attempt)) return;
  }
}

void TunnelNetwork::accept_resolutions() noexcept {
  try {
    for (const ResolverAnswer& answer : resolver_.consume_answers()) {
      --questions_open_;
      const auto found = attempts_.find(answer.socket);
      if (found != attempts_.end())
        accept_resolution(answer.socket, found->second, answer.resolution);
    }
  } catch (const std::bad_alloc&) {
    // An answer that was lost is ended by the caller's time limit.
  }
}

void TunnelNetwork::accept_resolution(SocketId socket, Attempt& attempt,
                                      const Resolution& resolution) {
  if (!attempt.failure.empty()) return;  // The connection has ended meanwhile.
  if (!resolution) return fail(socket, attempt, "its name: " + resolution.error());
  const auto address = first_v4(*resolution);
  if (!address) {
    return fail(socket, attempt, "its name has no IPv4 address, and SOCKS 4 supports no others");
  }
  attempt.handshake.emplace(*attempt.target.proxy, attempt.target, address);
  if (std::exchange(attempt.is_paused, false)) inner_.pause(socket, false);
  // The answer is read when the connection is readable.
  if (attempt.is_connected) static_cast<void>(send_request(socket, attempt));
}

// connect() has reserved the room for it.
void TunnelNetwork::fail(SocketId socket, Attempt& attempt, std::string why) noexcept {
  attempt.failure = std::move(why);
  failed_.push_back(socket);
  inner_.wake();
}

}  // namespace nexusfix::transport
