// How connections are made: listen, accept, connect.
#include <cerrno>
#include <new>
#include <sys/resource.h>
#include <utility>

#include "transport/tcp/epoll_network.hpp"
#include "transport/tcp/socket_calls.hpp"

namespace nexusfix::transport {
namespace {

// Connections accepted from one listener in one wait(), so that a flood of them leaves time for the
// sessions.
constexpr int kAcceptsMax = 16;
// Further connections wait here; the operating system has its own limit (net.core.somaxconn). A
// client that finds the backlog full tries again after a second.
constexpr int kBacklog = 4'096;

// Descriptors that are reserved for the files of this process: the store must always be able to
// open its next segment.
constexpr rlim_t kDescriptorsForFiles = 16;

// The operating system returns the lowest free number, so a high number means that few are left.
bool takes_a_files_place(int descriptor) noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  return static_cast<rlim_t>(descriptor) + kDescriptorsForFiles >= limit.rlim_cur;
}

// Binds the local end, if the options name one. False: errno has the reason.
bool bind_source(int descriptor, int family, const SocketOptions& options) noexcept {
  if (options.source_host.empty() && options.source_port == 0) return true;
  Address source = any_address(family, options.source_port);
  if (!options.source_host.empty()) {
    const auto literal = literal_address({options.source_host, options.source_port});
    if (!literal || literal->family() != family) {
      errno = EADDRNOTAVAIL;
      return false;
    }
    source = *literal;
  }
  // A local port that an earlier connection left in TIME_WAIT can be used again.
  set_option(descriptor, SOL_SOCKET, SO_REUSEADDR, 1);
  return ::bind(descriptor, &source.generic, source.size) == 0;
}

// An endpoint with TLS never gets a connection without it.
NetworkError without_tls(const char* operation, const Endpoint& endpoint) {
  return {operation + (" " + to_string(endpoint)) +
              ": TLS is required, and this network does not support it",
          EPROTONOSUPPORT};
}

// The operating system is out of memory: the next connection would fail, too.
bool out_of_memory(int error_number) noexcept {
  return error_number == ENOBUFS || error_number == ENOMEM;
}

bool out_of_descriptors(int error_number) noexcept {
  return error_number == EMFILE || error_number == ENFILE;
}

}  // namespace

std::expected<Descriptor, NetworkError> EpollNetwork::bind_to(const Endpoint& endpoint,
                                                              const Address& address) {
  const std::string where = to_string(endpoint);
  constexpr int kType = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
  Descriptor descriptor{::socket(address.family(), kType, 0)};
  if (!descriptor) return std::unexpected{error_now("listen", where)};
  // Lets a restarted acceptor bind its port while old connections are in TIME_WAIT. On Linux two
  // listeners still cannot share a port.
  set_option(descriptor.get(), SOL_SOCKET, SO_REUSEADDR, endpoint.options.reuse_address ? 1 : 0);
  size_buffers(descriptor.get(), address.family(), endpoint.options);
  if (address.family() == AF_INET6) {
    set_option(descriptor.get(), IPPROTO_IPV6, IPV6_V6ONLY, endpoint.host.empty() ? 0 : 1);
  }
  if (::bind(descriptor.get(), &address.generic, address.size) != 0) {
    return std::unexpected{error_now("listen", where)};
  }
  return descriptor;
}

// Both families, or the one that the machine has. The port that the system chose for the first one
// may be in use for the other; then the system chooses again.
std::expected<std::vector<Descriptor>, NetworkError> EpollNetwork::bind_to_localhost(
    const Endpoint& endpoint) {
  constexpr int kTries = 20;
  const auto is_absent = [](const NetworkError& error) {
    return error.error_number == EAFNOSUPPORT || error.error_number == EADDRNOTAVAIL;
  };
  for (int attempt = 1;; ++attempt) {
    std::vector<Descriptor> bound;
    NetworkError error;
    Endpoint wanted = endpoint;
    for (const Address& address : known_addresses(endpoint)) {
      Address at = address;
      at.set_port(wanted.port);
      std::expected<Descriptor, NetworkError> descriptor = bind_to(endpoint, at);
      if (descriptor) {
        wanted.port = local_address(descriptor->get()).port();
        bound.push_back(std::move(*descriptor));
      } else if (error.text.empty() || !is_absent(descriptor.error())) {
        error = std::move(descriptor.error());
      }
    }
    if (!bound.empty() && (error.text.empty() || is_absent(error))) return bound;
    const bool may_choose = endpoint.port == 0 && error.error_number == EADDRINUSE;
    if (!may_choose || attempt == kTries) return std::unexpected{std::move(error)};
  }
}

std::expected<std::vector<Descriptor>, NetworkError> EpollNetwork::bind_listener(
    const Endpoint& endpoint) {
  if (is_localhost(endpoint.host)) return bind_to_localhost(endpoint);
  std::vector<Address> candidates = known_addresses(endpoint);
  if (endpoint.host.empty()) {
    candidates = {any_address(AF_INET6, endpoint.port), any_address(AF_INET, endpoint.port)};
  } else if (candidates.empty()) {
    Resolution resolution = resolve_blocking(endpoint);
    if (!resolution) {
      return std::unexpected{
          NetworkError{"listen " + to_string(endpoint) + ": " + resolution.error(), 0}};
    }
    candidates = std::move(*resolution);
  }
  NetworkError error{"listen " + to_string(endpoint) + ": the name has no address", 0};
  for (const Address& address : candidates) {
    std::expected<Descriptor, NetworkError> descriptor = bind_to(endpoint, address);
    if (descriptor) {
      std::vector<Descriptor> bound;
      bound.push_back(std::move(*descriptor));
      return bound;
    }
    error = descriptor.error();
    // Only if the machine lacks the family is the next address tried: a port in use must not result
    // in a listener on half of the addresses.
    if (error.error_number != EAFNOSUPPORT && error.error_number != EADDRNOTAVAIL) break;
  }
  return std::unexpected{error};
}

std::expected<void, NetworkError> Network::could_listen(const Endpoint&) { return {}; }

// No client can connect before listen().
std::expected<void, NetworkError> EpollNetwork::could_listen(const Endpoint& endpoint) {
  const auto bound = bind_listener(endpoint);
  if (!bound) return std::unexpected{bound.error()};
  return {};
}

std::expected<SocketId, NetworkError> EpollNetwork::listen(const Endpoint& endpoint) {
  if (endpoint.tls) return std::unexpected{without_tls("listen", endpoint)};
  if (endpoint.trusted_proxies) {
    return std::unexpected{
        NetworkError{"listen " + to_string(endpoint) +
                         ": PROXY headers are required, and this network does not support them",
                     EPROTONOSUPPORT}};
  }
  auto bound = bind_listener(endpoint);
  if (!bound) return std::unexpected{std::move(bound.error())};
  SocketId first = 0;
  for (Descriptor& descriptor : *bound) {
    const auto added = add_listener(endpoint, std::move(descriptor));
    if (!added) {
      close(first);
      return added;
    }
    if (first == 0) {
      first = *added;
    } else {
      slots_[index_of(first)].twin = *added;
      slots_[index_of(*added)].first = first;
    }
  }
  return first;
}

std::expected<SocketId, NetworkError> EpollNetwork::add_listener(const Endpoint& endpoint,
                                                                 Descriptor descriptor) {
  // Its connections inherit it: what they send before they are accepted has a time, too.
  static_cast<void>(ask_for_times(descriptor.get(), endpoint.options.receive_timestamps));
  if (::listen(descriptor.get(), kBacklog) != 0) {
    return std::unexpected{error_now("listen", to_string(endpoint))};
  }
  const SocketId socket = add_slot();
  Slot& slot = slots_[index_of(socket)];
  slot.state = State::Listening;
  slot.options = std::make_unique<SocketOptions>(endpoint.options);
  slot.descriptor = std::move(descriptor);
  if (watch(EPOLL_CTL_ADD, socket, EPOLLIN)) return socket;
  NetworkError error = error_now("listen", to_string(endpoint));
  free_slot(socket);
  return std::unexpected{std::move(error)};
}

// Options of the listening socket itself, such as its buffers, stay.
void EpollNetwork::change_listener(SocketId listener, const Endpoint& endpoint) {
  Slot* const slot = find(listener);
  if (slot != nullptr && slot->options) *slot->options = endpoint.options;
}

std::expected<SocketId, NetworkError> EpollNetwork::connect(const Endpoint& endpoint) {
  if (endpoint.tls) return std::unexpected{without_tls("connect", endpoint)};
  // An endpoint with a proxy is never connected to directly.
  if (endpoint.proxy) {
    return std::unexpected{
        NetworkError{"connect " + to_string(endpoint) +
                         ": a proxy is required, and this network does not support it",
                     EPROTONOSUPPORT}};
  }
  if (endpoint.host.empty() || endpoint.port == 0) {
    return std::unexpected{
        NetworkError{"connect " + to_string(endpoint) + ": a host and a port are needed", EINVAL}};
  }
  auto attempt = std::make_unique<Attempt>();
  attempt->endpoint = endpoint;
  attempt->candidates = known_addresses(endpoint);
  const bool known = !attempt->candidates.empty();
  const SocketId socket = add_slot();
  Slot& slot = slots_[index_of(socket)];
  slot.state = State::Resolving;
  slot.attempt = std::move(attempt);
  if (known) {
    start_next_candidate(socket);
  } else {
    ++questions_open_;
    resolver_->ask(socket, endpoint);
  }
  return socket;
}

// Tries the addresses from the next one on, until one connects or none is left.
void EpollNetwork::start_next_candidate(SocketId socket) {
  Slot& slot = slots_[index_of(socket)];
  Attempt& attempt = *slot.attempt;
  while (attempt.next < attempt.candidates.size()) {
    const Address& address = attempt.candidates[attempt.next++];
    slot.state = State::Connecting;
    slot.peer = address;
    constexpr int kType = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
    slot.descriptor = Descriptor{::socket(address.family(), kType, 0)};
    if (slot.descriptor) {
      const SocketOptions& options = attempt.endpoint.options;
      size_buffers(slot.descriptor.get(), address.family(), options);
      tune(slot.descriptor.get(), options);
      time_receives(slot, ask_for_times(slot.descriptor.get(), options.receive_timestamps));
      const bool bound = bind_source(slot.descriptor.get(), address.family(), options);
      const int result =
          bound ? ::connect(slot.descriptor.get(), &address.generic, address.size) : -1;
      const bool started = result == 0 || (bound && (errno == EINPROGRESS || errno == EINTR));
      if (started && watch(EPOLL_CTL_ADD, socket, EPOLLOUT)) return;
    }
    // The first error is reported: it is of the address that the operator expects. The last one is
    // often of a family that the machine does not have.
    if (slot.error_number == 0) slot.error_number = errno;
  }
  fail(socket, "connect", slot.error_number);
}

void EpollNetwork::finish_connect(SocketId socket, Sink& sink) {
  Slot& slot = slots_[index_of(socket)];
  int error_number = consume_socket_error(slot.descriptor.get());
  // A connection to itself: a local port of the ephemeral range without a listener, which the
  // system also chose as the source port of this socket.
  if (error_number == 0 && local_address(slot.descriptor.get()) == slot.peer) {
    error_number = ECONNREFUSED;
  }
  if (error_number == 0 && !watch(EPOLL_CTL_MOD, socket, EPOLLIN)) error_number = errno;
  if (error_number != 0) {
    if (slot.error_number == 0) slot.error_number = error_number;
    start_next_candidate(socket);
    return;
  }
  slot.error_number = 0;
  slot.state = State::Open;
  slot.attempt.reset();
  sink.put({Ready::Kind::Connected, socket, 0});
}

void EpollNetwork::accept_resolutions() {
  for (ResolverAnswer& answer : resolver_->consume_answers()) {
    --questions_open_;
    Slot* slot = find(answer.socket);
    if (slot == nullptr) continue;  // closed meanwhile
    if (answer.resolution && !answer.resolution->empty()) {
      slot->attempt->candidates = std::move(*answer.resolution);
      start_next_candidate(answer.socket);
      continue;
    }
    slot->error_text = answer.resolution ? std::string{"the name has no address"}
                                         : std::move(answer.resolution.error());
    fail(answer.socket, "connect", 0);
  }
}

void EpollNetwork::accept_some(SocketId listener, Sink& sink) noexcept {
  const int descriptor = slots_[index_of(listener)].descriptor.get();
  for (int i = 0; i < kAcceptsMax && !sink.full(); ++i) {
    Address peer;
    socklen_t size = sizeof(sockaddr_in6);
    Descriptor connection{accept_(descriptor, &peer.generic, &size, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (connection) {
      peer.size = size;
      if (takes_a_files_place(connection.get())) {
        ++refused_;
        continue;
      }
      if (!adopt(listener, std::move(connection), peer, sink)) ++refused_;
    } else if (out_of_descriptors(errno)) {
      if (!refuse_one(listener)) return;
    } else if (out_of_memory(errno)) {
      pause_listener(listener);
      return rest();
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    }
    // Every other error is that of one connection, which ended before it was accepted (accept(2)).
  }
}

bool EpollNetwork::adopt(SocketId listener, Descriptor connection, const Address& peer,
                         Sink& sink) noexcept {
  try {
    const SocketId socket = add_slot();
    Slot& slot = slots_[index_of(socket)];
    slot.state = State::Open;
    slot.descriptor = std::move(connection);
    slot.peer = peer;
    slot.is_unanswered = true;
    tune(slot.descriptor.get(), *slots_[index_of(listener)].options);
    const auto wanted = slots_[index_of(listener)].options->receive_timestamps;
    time_receives(slot, ask_for_times(slot.descriptor.get(), wanted));
    if (!watch(EPOLL_CTL_ADD, socket, EPOLLIN)) {
      free_slot(socket);
      return false;
    }
    const SocketId first = slots_[index_of(listener)].first;
    sink.put({Ready::Kind::Accepted, first != 0 ? first : listener, socket});
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

Detached EpollNetwork::detach(SocketId socket) noexcept {
  Slot* const slot = find(socket);
  if (slot == nullptr || slot->state != State::Open) return {};
  // The other network keeps the descriptor open, so close() does not take it out of the set.
  if (is_in_set(*slot) &&
      ::epoll_ctl(set_of(*slot).get(), EPOLL_CTL_DEL, slot->descriptor.get(), nullptr) != 0) {
    return {};
  }
  const int descriptor = slot->descriptor.release();
  free_slot(socket);
  return {.descriptor = descriptor};
}

std::expected<SocketId, NetworkError> Network::attach(Detached connection) {
  const Descriptor closed{connection.descriptor};
  return std::unexpected{NetworkError{"this network takes no connections from others", 0}};
}

std::expected<SocketId, NetworkError> EpollNetwork::attach(Detached detached) {
  Descriptor connection{detached.descriptor};
  if (detached.state) {
    return std::unexpected{NetworkError{"a connection with TLS cannot continue without TLS"}};
  }
  const Address peer = peer_address(connection.get());
  const SocketId socket = add_slot();
  Slot& slot = slots_[index_of(socket)];
  slot.state = State::Open;
  slot.descriptor = std::move(connection);
  slot.peer = peer;
  time_receives(slot, times_asked_for(slot.descriptor.get()));
  if (watch(EPOLL_CTL_ADD, socket, EPOLLIN)) return socket;
  const NetworkError error = error_now("epoll_ctl", to_string(Endpoint{}));
  free_slot(socket);
  return std::unexpected{error};
}

// A connection that cannot be accepted stays in the queue, and the listener stays ready: the loop
// would spin. So the reserve descriptor is closed for a moment to accept the connection and close
// it.
bool EpollNetwork::refuse_one(SocketId listener) noexcept {
  if (reserve_) {
    reserve_.reset();
    const int descriptor = slots_[index_of(listener)].descriptor.get();
    const Descriptor connection{::accept4(descriptor, nullptr, nullptr, SOCK_CLOEXEC)};
    if (connection) ++refused_;
  }
  reserve_ = open_reserve();
  if (reserve_) return true;
  // Another thread took the descriptor. Nothing is accepted until a descriptor is free: when one of
  // our sockets is closed, or when wait() finds one.
  pause_listener(listener);
  return false;
}

void EpollNetwork::pause_listener(SocketId listener) noexcept {
  if (!watch(EPOLL_CTL_MOD, listener, 0)) return;
  slots_[index_of(listener)].paused = true;
  ++paused_listeners_;
}

void EpollNetwork::resume_listeners() noexcept {
  if (is_resting_) return;
  if (!reserve_) reserve_ = open_reserve();
  if (!reserve_) return;
  for (std::size_t index = 0; index < slots_.size(); ++index) {
    Slot& slot = slots_[index];
    if (!slot.paused) continue;
    if (!watch(EPOLL_CTL_MOD, make_id(slot.generation, index), EPOLLIN)) continue;
    slot.paused = false;
    --paused_listeners_;
  }
}

}  // namespace nexusfix::transport
