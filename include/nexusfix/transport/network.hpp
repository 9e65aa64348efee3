// Seam: the network, as one event loop sees it. The real one is epoll over TCP; a simulator has its
// own. No other code opens a socket.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/transport/address_range.hpp>

namespace nexusfix::transport {

// Names a listener or a connection for its lifetime; never used again after close(), so a late
// event of an old connection cannot be taken for a new one's.
using SocketId = std::uint64_t;

// What is asked of the operating system for a connection, or for all that a listener accepts.
struct SocketOptions {
  bool no_delay = true;                    // TCP_NODELAY
  bool keep_alive = true;                  // SO_KEEPALIVE: a peer that vanished is noticed
  bool reuse_address = true;               // SO_REUSEADDR (listen only)
  std::uint32_t send_buffer_bytes = 0;     // SO_SNDBUF; 0: as the operating system sees fit
  std::uint32_t receive_buffer_bytes = 0;  // SO_RCVBUF; likewise
  std::uint8_t traffic_class = 0;          // IP_TOS, IPV6_TCLASS
  std::chrono::seconds user_timeout{60};   // TCP_USER_TIMEOUT: ends who takes nothing for so long
  std::string source_host{};               // connect only: an address of ours; empty: any
  std::uint16_t source_port = 0;           // connect only; 0: any
  friend bool operator==(const SocketOptions&, const SocketOptions&) = default;
};

class TlsContext;

// A proxy that connections are made through: HTTP's CONNECT (RFC 9110, section 9.3.6) or SOCKS.
struct ConnectProxy {
  enum class Protocol : std::uint8_t { Http10, Http11, Socks4, Socks4a, Socks5 };
  Protocol protocol = Protocol::Http11;
  std::string host{};  // of the proxy: a name or an address
  std::uint16_t port = 0;
  std::string user{};      // empty: none is named
  std::string password{};  // of the user; SOCKS 4 has none

  friend bool operator==(const ConnectProxy&, const ConnectProxy&) = default;
};

struct Endpoint {
  std::string host;        // name or address; empty (listen only): every address
  std::uint16_t port = 0;  // 0 (listen only): any free port
  SocketOptions options{};
  // Not null: its connections speak TLS, and a network that cannot refuses them (see tls.hpp).
  std::shared_ptr<TlsContext> tls{};
  // Listen only. Not nothing: all connections come from these proxies, and begin with a header of
  // the PROXY protocol; a network that cannot read one refuses (see make_proxied_network()).
  std::optional<AllowList> trusted_proxies{};
  // Connect only. Not null: by way of this proxy, and a network that cannot refuses (see
  // make_tunnel_network()).
  std::shared_ptr<const ConnectProxy> proxy{};
};

// What no proxy of its kind could be told, or would take for something else; empty: nothing.
[[nodiscard]] std::string_view what_is_wrong(const ConnectProxy& proxy);
// The same of where it is to connect to.
[[nodiscard]] std::string_view what_is_wrong(ConnectProxy::Protocol protocol,
                                             const std::string& target_host);

// An IPv4 or IPv6 address in the form that peer_name() has it in, but for the interface of a
// link-local one; nothing: it is none.
[[nodiscard]] std::optional<std::string> canonical_address(const std::string& address);
// "::1" of "[::1]"; whatever else is as it is.
[[nodiscard]] std::string_view without_brackets(std::string_view host) noexcept;
// In any case.
[[nodiscard]] bool is_localhost(std::string_view host) noexcept;
// The address in a peer_name(): "127.0.0.1", "::1", "fe80::1%eth0".
[[nodiscard]] std::string_view peer_address_of(std::string_view peer_name) noexcept;

struct NetworkError {
  std::string text;      // "bind 127.0.0.1:5001: Address already in use"
  int error_number = 0;  // errno, 0 if the cause is not an errno
};

enum class ReadyKind : std::uint8_t {
  Accepted,   // listener: a new connection, `accepted`
  Announced,  // its proxy has said whom it is from: peer_name() says so from now on
  Connected,  // connect() has finished
  Readable,   // receive() has bytes, the end or an error to give
  Writable,   // send() may go on after it took less than all
  Failed,     // connect() failed, or the connection broke; close() it
};

struct Ready {
  ReadyKind kind = ReadyKind::Readable;
  SocketId socket = 0;
  SocketId accepted = 0;
};

enum class IoStatus : std::uint8_t { Ok, WouldBlock, Closed, Failed };

struct IoResult {
  IoStatus status = IoStatus::Ok;
  std::size_t bytes = 0;  // moved, when Ok
  int error_number = 0;  // when Failed; EPROTO: the peer broke the rules of TLS, or a proxy its own
};

// What a network above another one knows of a connection, beside its descriptor.
class ConnectionState {
 public:
  virtual ~ConnectionState() = default;
};

// A connection on its way from one network to another.
struct Detached {
  int descriptor = -1;
  std::unique_ptr<ConnectionState> state{};
  std::string announced{};  // its peer_name(), if a proxy has said it
};

// One thread at a time, but for wake(). Never blocks except in wait().
class Network {
 public:
  virtual ~Network() = default;

  [[nodiscard]] virtual std::expected<SocketId, NetworkError> listen(const Endpoint& endpoint) = 0;
  // Whether listen() would find its address and port, without anybody being able to connect. A
  // network that cannot know says yes.
  [[nodiscard]] virtual std::expected<void, NetworkError> could_listen(const Endpoint& endpoint);
  // Connections that come from now on have the endpoint's TLS, proxies and socket options; host and
  // port stay. Those that are there go on. Nothing happens without such a listener.
  virtual void change_listener(SocketId listener, const Endpoint& endpoint) {
    static_cast<void>(listener);
    static_cast<void>(endpoint);
  }
  // Starts connecting; Connected or Failed comes from wait(). An error: it could not be started.
  [[nodiscard]] virtual std::expected<SocketId, NetworkError> connect(const Endpoint& endpoint) = 0;
  // The port in use: what port 0 became.
  [[nodiscard]] virtual std::uint16_t local_port(SocketId socket) const = 0;
  // "127.0.0.1:40112", "[::1]:40112", "[fe80::1%eth0]:40112"; empty for unknown ids.
  [[nodiscard]] virtual std::string peer_name(SocketId socket) const = 0;
  // Why a socket failed: "connect 127.0.0.1:5001: Connection refused". Good until close(); empty if
  // nothing failed.
  [[nodiscard]] virtual std::string last_error(SocketId socket) const = 0;
  // How a connection is protected and by whose way it comes, for people: "TLSv1.3,
  // TLS_AES_256_GCM_SHA384, CN=trader, by way of 10.0.0.9:40112"; empty: neither.
  [[nodiscard]] virtual std::string protection(SocketId socket) const {
    static_cast<void>(socket);
    return {};
  }
  // What the other side's verified certificate is known by, each as certificate_identity() has it
  // (see tls.hpp); empty: none was shown.
  [[nodiscard]] virtual std::vector<std::string> peer_identities(SocketId socket) const {
    static_cast<void>(socket);
    return {};
  }
  // Connections that were accepted and closed at once because the process had no descriptor left.
  [[nodiscard]] virtual std::uint64_t connections_refused() const noexcept = 0;

  // Unknown ids, and so the closed ones: Failed, EBADF. The same for send().
  [[nodiscard]] virtual IoResult receive(SocketId socket, std::span<char> buffer) noexcept = 0;
  // May take fewer than all bytes; then Writable comes from wait() when there is room again, until
  // a send() is taken whole (an empty one does too: for a caller who has given up).
  [[nodiscard]] virtual IoResult send(SocketId socket, std::span<const char> bytes) noexcept = 0;
  // While it is paused, no Readable comes from wait() but that of a connection that has broken.
  // What the peer sends fills the operating system's buffers, and then the peer has to wait.
  // Unknown ids are ignored.
  virtual void pause(SocketId socket, bool paused) noexcept = 0;
  // Bytes already taken by send() are still delivered. Unknown ids are ignored.
  virtual void close(SocketId socket) noexcept = 0;

  // Takes a connection out of this network, for attach() of another one on another thread: its
  // descriptor, and the id is unknown from now on. What wait() has said of it is void. -1: there is
  // no such connection, or this network cannot.
  [[nodiscard]] virtual Detached detach(SocketId socket) noexcept {
    static_cast<void>(socket);
    return {};
  }
  // The descriptor belongs to the network, even if that fails.
  [[nodiscard]] virtual std::expected<SocketId, NetworkError> attach(Detached connection);

  // Waits until something is ready, the time is over or wake() was called; fills events and returns
  // how many. A zero timeout polls; nothing: no limit. Level-triggered: what was not consumed comes
  // again. May return 0 early (a signal, a matter of the network's own).
  [[nodiscard]] virtual std::size_t wait(
      std::span<Ready> events, std::optional<std::chrono::nanoseconds> timeout) noexcept = 0;
  // Ends a wait() early. Any thread; safe in a signal handler.
  virtual void wake() noexcept = 0;
  // Readable when wait(0) would return something, for a user's own loop. -1: none (a simulator).
  [[nodiscard]] virtual int descriptor() const noexcept = 0;
};

// Linux epoll, IPv4 and IPv6. connect() never blocks: a literal address and
// "localhost" need no resolution, any other name is resolved on a thread that lives only as long as
// there are names to resolve. listen() on a name (a start-up matter) waits for the resolution; on
// "localhost" it listens on the loopback address of each family that the machine has.
// A peer that acknowledges nothing for a minute has failed. No allocation in wait(), receive() and
// send() but for a connection that is new.
[[nodiscard]] std::expected<std::unique_ptr<Network>, NetworkError> make_epoll_network();

// A network whose listeners with trusted proxies take connections from these alone, over the inner
// one, which must outlive it; all else is passed on as it is. TLS goes above it.
//
// Such a connection is told by Accepted at once, with the proxy's name; the caller gives it its
// time. It gives no bytes before its header of the PROXY protocol, version 1 or 2, is whole; then
// Announced comes, and not a byte behind the header has been read. A header that is wrong, none,
// and whoever is no trusted proxy is Failed with EPROTO at receive(), without any other byte.
[[nodiscard]] std::unique_ptr<Network> make_proxied_network(Network& inner);

// A network whose endpoints with a proxy (Endpoint::proxy) are connected to through it, over the
// inner one, which must outlive it; all else is passed on as it is. TLS goes above it, and is with
// who is behind the proxy.
//
// The proxy resolves the name, but for SOCKS 4, whose is resolved as connect() of the inner one
// does. Connected comes when the proxy has made the connection, and not a byte behind its answer
// has been read; whatever else it answers is Failed, and last_error() has what it said. The caller
// gives it its time. An answer of a proxy has 8 KiB at most.
[[nodiscard]] std::unique_ptr<Network> make_tunnel_network(Network& inner);

}  // namespace nexusfix::transport
