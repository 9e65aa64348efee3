#include "transport/tls/tls_network.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

namespace nexusfix::transport {
namespace {

// Steps of handshakes in one wait(): a client that floods an acceptor with handshakes waits, and
// established sessions wait no longer than one step takes. A step costs as much as tens of orders.
// The source with the fewest recent steps is next.
constexpr std::size_t kHandshakesPerWait = 1;
// At most this number of waiting handshakes is compared. The others are reported again.
constexpr std::size_t kWaitingMax = 64;
constexpr unsigned kUnusedBits = 54;  // of a hashed source, to find its place
// After this number of steps, all counts are halved.
constexpr unsigned kStepsCounted = 256;
// Closed connections whose last bytes the peer has not taken. The oldest is closed for a new one.
constexpr std::size_t kClosingMax = 64;

Endpoint without_tls(Endpoint endpoint) {
  endpoint.tls.reset();
  return endpoint;
}

}  // namespace

std::unique_ptr<Network> make_tls_network(Network& inner) {
  return std::make_unique<TlsNetwork>(inner);
}

TlsNetwork::TlsNetwork(Network& inner) : inner_{inner} { closing_.reserve(kClosingMax); }

TlsNetwork::~TlsNetwork() {
  for (auto& [socket, entry] : streams_) {
    if (!entry.is_closing) entry.stream->end();
    inner_.close(socket);
  }
}

TlsStream* TlsNetwork::find(SocketId socket) const noexcept {
  const auto found = streams_.find(socket);
  return found == streams_.end() || found->second.is_closing ? nullptr : found->second.stream.get();
}

bool TlsNetwork::is_closing(SocketId socket) const noexcept {
  const auto found = closing_.empty() ? streams_.end() : streams_.find(socket);
  return found != streams_.end() && found->second.is_closing;
}

// All memory is reserved here: later steps must not need any.
TlsStream& TlsNetwork::add(SocketId socket, std::unique_ptr<TlsStream> stream, Source source) {
  const std::size_t tellers = reporting_.size() + streams_.size() + 1;
  if (reporting_.capacity() < tellers) reporting_.reserve(2 * tellers);
  stream->move_to(inner_, socket);
  Entry entry{.stream = std::move(stream), .source = source};
  return *streams_.insert_or_assign(socket, std::move(entry)).first->second.stream;
}

std::expected<SocketId, NetworkError> TlsNetwork::listen(const Endpoint& endpoint) {
  const auto socket = inner_.listen(without_tls(endpoint));
  if (!socket || !endpoint.tls) return socket;
  try {
    listeners_.insert_or_assign(*socket, endpoint.tls);
  } catch (const std::bad_alloc&) {
    inner_.close(*socket);
    throw;
  }
  return socket;
}

std::expected<void, NetworkError> TlsNetwork::could_listen(const Endpoint& endpoint) {
  return inner_.could_listen(without_tls(endpoint));
}

void TlsNetwork::change_listener(SocketId listener, const Endpoint& endpoint) {
  inner_.change_listener(listener, without_tls(endpoint));
  if (endpoint.tls) {
    listeners_.insert_or_assign(listener, endpoint.tls);
  } else {
    listeners_.erase(listener);
  }
}

std::expected<SocketId, NetworkError> TlsNetwork::connect(const Endpoint& endpoint) {
  if (!endpoint.tls) return inner_.connect(endpoint);
  auto stream = TlsStream::make(*endpoint.tls, endpoint.host);
  if (!stream) {
    return std::unexpected{NetworkError{
        "connect " + endpoint.host + ": TLS could not be started: " + consume_openssl_error(), 0}};
  }
  const auto socket = inner_.connect(without_tls(endpoint));
  if (!socket) return socket;
  try {
    add(*socket, std::move(stream));
  } catch (const std::bad_alloc&) {
    inner_.close(*socket);
    throw;
  }
  return socket;
}

std::uint16_t TlsNetwork::local_port(SocketId socket) const {
  return is_closing(socket) ? std::uint16_t{0} : inner_.local_port(socket);
}

std::string TlsNetwork::peer_name(SocketId socket) const {
  return is_closing(socket) ? std::string{} : inner_.peer_name(socket);
}

std::string TlsNetwork::last_error(SocketId socket) const {
  const TlsStream* const stream = find(socket);
  if (stream != nullptr && stream->has_failed()) return stream->failure();
  if (stream != nullptr && stream->is_out_of_memory()) return stream->no_memory_text();
  return is_closing(socket) ? std::string{} : inner_.last_error(socket);
}

std::string TlsNetwork::protection(SocketId socket) const {
  if (is_closing(socket)) return {};
  std::string below = inner_.protection(socket);
  const TlsStream* const stream = find(socket);
  if (stream == nullptr) return below;
  return stream->description() + (below.empty() ? below : ", " + below);
}

std::vector<std::string> TlsNetwork::peer_identities(SocketId socket) const {
  const TlsStream* const stream = find(socket);
  return stream == nullptr ? std::vector<std::string>{} : stream->peer_identities();
}

IoResult TlsNetwork::receive(SocketId socket, std::span<char> buffer) noexcept {
  TlsStream* const stream = find(socket);
  if (stream == nullptr) {
    if (is_closing(socket)) return {IoResult::Status::Failed, 0, EBADF};
    return inner_.receive(socket, buffer);
  }
  const IoResult result = stream->receive(buffer);
  note(socket, *stream);
  return result;
}

IoResult TlsNetwork::send(SocketId socket, std::span<const char> bytes) noexcept {
  TlsStream* const stream = find(socket);
  if (stream == nullptr) {
    if (is_closing(socket)) return {IoResult::Status::Failed, 0, EBADF};
    return inner_.send(socket, bytes);
  }
  return stream->send(bytes);
}

// A handshake continues while its connection is paused: its bytes are not the user's.
void TlsNetwork::pause(SocketId socket, bool paused) noexcept {
  TlsStream* const stream = find(socket);
  if (stream == nullptr) {
    if (!is_closing(socket)) inner_.pause(socket, paused);
    return;
  }
  stream->is_paused = paused;
  if (stream->is_established()) inner_.pause(socket, paused);
  note(socket, *stream);
}

// What comes during a handshake is always reported.
void TlsNetwork::unwatch(SocketId socket, bool unwatched) noexcept {
  const TlsStream* const stream = find(socket);
  const bool is_users = stream != nullptr ? stream->is_established() : !is_closing(socket);
  if (is_users) inner_.unwatch(socket, unwatched);
}

void TlsNetwork::close(SocketId socket) noexcept {
  TlsStream* const stream = find(socket);
  if (stream == nullptr) {
    if (is_closing(socket)) return;
    listeners_.erase(socket);
    return inner_.close(socket);
  }
  stream->end();
  if (stream->flush()) return finish(socket);
  if (closing_.size() == kClosingMax) finish(closing_.front());
  closing_.push_back(socket);
  streams_.find(socket)->second.is_closing = true;
  inner_.pause(socket, true);
}

void TlsNetwork::finish(SocketId socket) noexcept {
  std::erase(closing_, socket);
  streams_.erase(socket);
  inner_.close(socket);
}

Detached TlsNetwork::detach(SocketId socket) noexcept {
  TlsStream* const stream = find(socket);
  if (stream == nullptr) return is_closing(socket) ? Detached{} : inner_.detach(socket);
  if (!stream->is_established() || stream->has_failed()) return {};
  Detached detached = inner_.detach(socket);
  if (detached.descriptor < 0) return detached;
  const auto entry = streams_.extract(socket);
  entry.mapped().stream->is_reporting = false;
  detached.state = std::move(entry.mapped().stream);
  return detached;
}

std::expected<SocketId, NetworkError> TlsNetwork::attach(Detached connection) {
  std::unique_ptr<Detached::Layer> state = std::move(connection.state);
  auto* const stream = dynamic_cast<TlsStream*>(state.get());
  if (stream == nullptr) {
    connection.state = std::move(state);
    return inner_.attach(std::move(connection));
  }
  const auto socket = inner_.attach(std::move(connection));
  if (!socket) return socket;
  static_cast<void>(state.release());
  std::unique_ptr<TlsStream> own{stream};
  try {
    add(*socket, std::move(own));
  } catch (const std::bad_alloc&) {
    inner_.close(*socket);
    throw;
  }
  if (!stream->flush()) return socket;  // Writable continues it.
  note(*socket, *stream);
  return socket;
}

void TlsNetwork::note(SocketId socket, TlsStream& stream) noexcept {
  const bool has_bytes = stream.has_more() && (!stream.is_paused || stream.has_failed());
  if (stream.is_reporting || (!has_bytes && !stream.has_room())) return;
  stream.is_reporting = true;
  reporting_.push_back(socket);
  inner_.wake();  // descriptor() must become readable
}

std::size_t TlsNetwork::report(std::span<Ready> events) noexcept {
  std::size_t count = 0;
  const auto has_nothing = [&](SocketId socket) {
    TlsStream* const stream = find(socket);
    if (stream == nullptr) return true;
    const bool has_bytes = stream->has_more() && (!stream->is_paused || stream->has_failed());
    if (has_bytes && count < events.size()) {
      const bool is_connecting = stream->is_initiator() && !stream->is_established();
      events[count++] = {is_connecting ? Ready::Kind::Failed : Ready::Kind::Readable, socket, 0};
    }
    if (stream->has_room() && count < events.size()) {
      events[count++] = {Ready::Kind::Writable, socket, 0};
    }
    stream->is_reporting = has_bytes || stream->has_room();
    return !stream->is_reporting;
  };
  std::erase_if(reporting_, has_nothing);
  // A connection that found no room is the first of the next call.
  if (count == events.size() && reporting_.size() > count) {
    std::ranges::rotate(reporting_, reporting_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return count;
}

std::size_t TlsNetwork::wait(std::span<Ready> events,
                             std::optional<std::chrono::nanoseconds> timeout) noexcept {
  if (events.empty()) return 0;
  // At most half of the room, so that other connections have their turn.
  const std::size_t half = (events.size() + 1) / 2;
  std::size_t count = reporting_.empty() ? 0 : report(events.first(half));
  if (count > 0) timeout = std::chrono::nanoseconds::zero();
  const std::span<Ready> rest = events.subspan(count);
  const std::size_t found = rest.empty() ? 0 : inner_.wait(rest, timeout);
  std::array<Ready, kWaitingMax> waiting;
  std::size_t waiting_count = 0;
  for (const Ready& ready : rest.first(found)) {
    if (is_next_step(ready)) {
      if (waiting_count < waiting.size()) waiting[waiting_count++] = ready;
      continue;
    }
    const std::optional<Ready> reported =
        streams_.empty() && listeners_.empty() ? ready : translate(ready);
    if (reported) events[count++] = *reported;
  }
  count += advance_handshakes(std::span{waiting}.first(waiting_count), events.subspan(count));
  if (!reporting_.empty()) inner_.wake();
  return count;
}

std::optional<Ready> TlsNetwork::translate(const Ready& ready) noexcept {
  if (ready.kind == Ready::Kind::Accepted) return accept(ready);
  const auto found = streams_.find(ready.socket);
  if (found == streams_.end()) return ready;
  TlsStream& stream = *found->second.stream;
  if (found->second.is_closing) {
    if (ready.kind != Ready::Kind::Writable || stream.flush()) finish(ready.socket);
    return std::nullopt;
  }
  if (ready.kind == Ready::Kind::Announced) return move_to_announced(ready, found->second);
  if (ready.kind == Ready::Kind::Failed) return ready;
  if (!stream.is_established()) return advance(ready, stream);
  if (ready.kind != Ready::Kind::Writable) return ready;
  if (!stream.flush() || !stream.has_room()) return std::nullopt;
  note(ready.socket, stream);
  return ready;
}

std::optional<Ready> TlsNetwork::accept(const Ready& ready) noexcept {
  const auto listener = listeners_.find(ready.socket);
  if (listener == listeners_.end()) return ready;
  try {
    if (auto stream = TlsStream::make(*listener->second, {})) {
      add(ready.accepted, std::move(stream), source_below(ready.accepted));
      return ready;
    }
  } catch (const std::bad_alloc&) {  // Other connections continue.
  }
  ERR_clear_error();
  ++refused_;
  inner_.close(ready.accepted);
  return std::nullopt;
}

Ready TlsNetwork::move_to_announced(const Ready& ready, Entry& entry) const noexcept {
  try {
    entry.source = source_below(ready.socket);
  } catch (const std::bad_alloc&) {  // It is counted under its proxy's address.
  }
  return ready;
}

Source TlsNetwork::source_below(SocketId socket) const {
  return source_of(peer_address_of(inner_.peer_name(socket)));
}

bool TlsNetwork::is_next_step(const Ready& ready) const noexcept {
  if (ready.kind != Ready::Kind::Readable || streams_.empty()) return false;
  const TlsStream* const stream = find(ready.socket);
  return stream != nullptr && !stream->is_established();
}

// An initiator's connection has source 0: we have chosen the acceptor.
std::uint16_t& TlsNetwork::steps_of(SocketId socket) noexcept {
  // Neighbouring addresses get different places (Fibonacci hashing).
  constexpr std::uint64_t kSpread = 0x9E37'79B9'7F4A'7C15;
  static_assert(kPlaces == std::size_t{1} << (64U - kUnusedBits));
  return steps_[(streams_.find(socket)->second.source * kSpread) >> kUnusedBits];
}

std::size_t TlsNetwork::advance_handshakes(std::span<Ready> waiting,
                                           std::span<Ready> events) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::min(waiting.size(), kHandshakesPerWait); ++i) {
    const std::span<Ready> left = waiting.subspan(i);
    const auto next = std::ranges::min_element(
        left, {}, [this](const Ready& ready) { return steps_of(ready.socket); });
    std::swap(left.front(), *next);
    const Ready ready = left.front();
    TlsStream& stream = *streams_.find(ready.socket)->second.stream;
    if (!stream.is_initiator()) ++steps_of(ready.socket);
    if (++steps_counted_ % kStepsCounted == 0) {
      for (std::uint16_t& steps : steps_) steps /= 2;
    }
    if (const auto reported = advance(ready, stream)) events[count++] = *reported;
  }
  return count;
}

std::optional<Ready> TlsNetwork::advance(const Ready& ready, TlsStream& stream) noexcept {
  if (ready.kind == Ready::Kind::Writable && !stream.flush()) return std::nullopt;
  const TlsStream::Progress progress = stream.advance_handshake();
  if (progress == TlsStream::Progress::Waiting) return std::nullopt;
  if (progress == TlsStream::Progress::Done && stream.is_paused) inner_.pause(ready.socket, true);
  note(ready.socket, stream);
  if (progress == TlsStream::Progress::Failed) {
    const Ready::Kind kind = stream.is_initiator() ? Ready::Kind::Failed : Ready::Kind::Readable;
    return Ready{kind, ready.socket, 0};
  }
  if (stream.is_initiator()) return Ready{Ready::Kind::Connected, ready.socket, 0};
  return std::nullopt;  // What it has to say is reported by report().
}

}  // namespace nexusfix::transport
