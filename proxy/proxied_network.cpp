#include "proxy/proxied_network.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <utility>

#include "proxy/proxy_header.hpp"

namespace nexusfix::transport {
namespace {

Endpoint without_proxies(Endpoint endpoint) {
  endpoint.trusted_proxies.reset();
  return endpoint;
}

}  // namespace

std::unique_ptr<Network> make_proxied_network(Network& inner) {
  return std::make_unique<ProxiedNetwork>(inner);
}

std::expected<SocketId, NetworkError> ProxiedNetwork::listen(const Endpoint& endpoint) {
  const auto socket = inner_.listen(without_proxies(endpoint));
  if (!socket || !endpoint.trusted_proxies) return socket;
  try {
    listeners_.insert_or_assign(*socket, *endpoint.trusted_proxies);
  } catch (const std::bad_alloc&) {
    inner_.close(*socket);
    throw;
  }
  return socket;
}

std::expected<void, NetworkError> ProxiedNetwork::could_listen(const Endpoint& endpoint) {
  return inner_.could_listen(without_proxies(endpoint));
}

void ProxiedNetwork::change_listener(SocketId listener, const Endpoint& endpoint) {
  inner_.change_listener(listener, without_proxies(endpoint));
  if (endpoint.trusted_proxies) {
    listeners_.insert_or_assign(listener, *endpoint.trusted_proxies);
  } else {
    listeners_.erase(listener);
  }
}

std::string ProxiedNetwork::peer_name(SocketId socket) const {
  const auto found = announced_.find(socket);
  return found == announced_.end() ? inner_.peer_name(socket) : found->second;
}

std::string ProxiedNetwork::protection(SocketId socket) const {
  if (!announced_.contains(socket)) return inner_.protection(socket);
  return "by way of " + inner_.peer_name(socket);
}

// An error after the header names both the proxy and the client that it announced.
std::string ProxiedNetwork::last_error(SocketId socket) const {
  if (const auto found = waiting_.find(socket);
      found != waiting_.end() && !found->second.wrong.empty()) {
    return std::string{found->second.wrong};
  }
  std::string text = inner_.last_error(socket);
  const auto found = announced_.find(socket);
  if (found == announced_.end()) return text;
  const std::size_t at = text.find(inner_.peer_name(socket));
  if (at != std::string::npos) text.insert(at, found->second + " by way of ");
  return text;
}

IoResult ProxiedNetwork::receive(SocketId socket, std::span<char> buffer) noexcept {
  if (!waiting_.empty()) [[unlikely]] {
    const auto found = waiting_.find(socket);
    if (found != waiting_.end()) {
      if (found->second.wrong.empty()) return {IoResult::Status::WouldBlock, 0, 0};
      return {IoResult::Status::Failed, 0, EPROTO};
    }
  }
  return inner_.receive(socket, buffer);
}

void ProxiedNetwork::close(SocketId socket) noexcept {
  listeners_.erase(socket);
  waiting_.erase(socket);
  announced_.erase(socket);
  std::erase(refused_, socket);
  inner_.close(socket);
}

Detached ProxiedNetwork::detach(SocketId socket) noexcept {
  if (waiting_.contains(socket)) return {};
  Detached detached = inner_.detach(socket);
  if (detached.descriptor < 0) return detached;
  if (auto entry = announced_.extract(socket)) detached.announced = std::move(entry.mapped());
  return detached;
}

std::expected<SocketId, NetworkError> ProxiedNetwork::attach(Detached connection) {
  std::string announced = std::move(connection.announced);
  connection.announced.clear();
  const auto socket = inner_.attach(std::move(connection));
  if (!socket || announced.empty()) return socket;
  try {
    announced_.insert_or_assign(*socket, std::move(announced));
  } catch (const std::bad_alloc&) {
    inner_.close(*socket);
    throw;
  }
  return socket;
}

std::size_t ProxiedNetwork::wait(std::span<Ready> events,
                                 std::optional<std::chrono::nanoseconds> timeout) noexcept {
  if (events.empty()) return 0;
  // At most half of the room, so that other connections have their turn.
  std::size_t count = std::min(refused_.size(), (events.size() + 1) / 2);
  for (std::size_t i = 0; i < count; ++i) events[i] = {Ready::Kind::Readable, refused_[i], 0};
  if (count > 0) timeout = std::chrono::nanoseconds::zero();
  const std::span<Ready> rest = events.subspan(count);
  const std::size_t found = rest.empty() ? 0 : inner_.wait(rest, timeout);
  for (const Ready& ready : rest.first(found)) {
    if (const auto event = translate(ready)) events[count++] = *event;
  }
  if (!refused_.empty()) inner_.wake();  // descriptor() must become readable
  return count;
}

std::optional<Ready> ProxiedNetwork::translate(const Ready& ready) noexcept {
  if (ready.kind == Ready::Kind::Accepted) return accept(ready);
  if (waiting_.empty()) [[likely]]
    return ready;
  const auto found = waiting_.find(ready.socket);
  return found == waiting_.end() ? ready : advance(ready, found->second);
}

std::optional<Ready> ProxiedNetwork::accept(const Ready& ready) noexcept {
  const auto listener = listeners_.find(ready.socket);
  if (listener == listeners_.end()) return ready;
  try {
    if (refused_.capacity() <= waiting_.size()) refused_.reserve(2 * waiting_.size() + 1);
    Waiting& waiting = waiting_[ready.accepted];
    const std::string proxy = inner_.peer_name(ready.accepted);
    if (!listener->second.contains(peer_address_of(proxy))) {
      refuse(ready.accepted, waiting, "it is not one of the port's proxies (TrustedProxies)");
    }
    return ready;
  } catch (const std::bad_alloc&) {
    ++memory_refused_;
    close(ready.accepted);
    return std::nullopt;
  }
}

std::optional<Ready> ProxiedNetwork::advance(const Ready& ready, Waiting& waiting) noexcept {
  if (ready.kind == Ready::Kind::Failed) return ready;
  if (ready.kind != Ready::Kind::Readable || !waiting.wrong.empty()) return std::nullopt;
  std::optional<Ready::Kind> event = Ready::Kind::Readable;
  try {
    event = read_header(ready.socket, waiting);
  } catch (const std::bad_alloc&) {
    refuse(ready.socket, waiting, "there was no memory for its PROXY header");
  }
  return event ? std::optional{Ready{*event, ready.socket, 0}} : std::nullopt;
}

// Reads no byte after the header: those belong to the user of the connection.
std::optional<Ready::Kind> ProxiedNetwork::read_header(SocketId socket, Waiting& waiting) {
  std::array<char, kProxyHeaderBytesMax> buffer;
  for (;;) {
    const ProxyHeader header = read_proxy_header(waiting.header);
    if (header.status == ProxyHeader::Status::Wrong) {
      refuse(socket, waiting, header.wrong);
      return Ready::Kind::Readable;
    }
    if (header.status == ProxyHeader::Status::Whole) {
      if (!header.source.empty()) announced_.insert_or_assign(socket, header.source);
      waiting_.erase(socket);
      return Ready::Kind::Announced;
    }
    const std::size_t missing = header.size - waiting.header.size();
    const IoResult result = inner_.receive(socket, std::span{buffer}.first(missing));
    if (result.status == IoResult::Status::WouldBlock) return std::nullopt;
    if (result.status != IoResult::Status::Ok) {
      // A health check of the proxy connects and closes without a byte. That is no error.
      if (waiting.header.empty()) {
        waiting_.erase(socket);
      } else {
        refuse(socket, waiting, "it ended within its PROXY header");
      }
      return Ready::Kind::Readable;
    }
    waiting.header.append(buffer.data(), result.bytes);
  }
}

// accept() has reserved the room for it.
void ProxiedNetwork::refuse(SocketId socket, Waiting& waiting, std::string_view why) noexcept {
  waiting.wrong = why;
  refused_.push_back(socket);
  inner_.wake();
}

}  // namespace nexusfix::transport
