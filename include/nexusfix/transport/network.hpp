// Byte streams over a network, as one event loop sees them.
//
// What it is: a seam (Network) and its implementation over TCP with epoll. Listen, connect, and
// then wait() says which socket is ready for what. What it is not: it frames no messages, keeps no
// unsent bytes, reconnects nothing and has no timers; that is the engine's part.
//
// Threads: each event loop has a Network of its own. One thread at a time uses a Network, but for
// wake(), which any thread and any signal handler may call.
//
// Allocation: none for an event, a receive or a send; each new connection may allocate its place.
//
//   auto network = transport::make_epoll_network();
//   auto listener = (*network)->listen({.host = "127.0.0.1", .port = 5001});
//   std::array<transport::Ready, 64> events;
//   const std::size_t count = (*network)->wait(events, std::nullopt);
#pragma once

#include <array>
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

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>

// Addresses and networks: the entries of an allow list, and the sources that limits count.

namespace nexusfix::transport {

// Whether the text is one address that can be connected to and listened on: a link-local address
// must name its interface.
[[nodiscard]] bool is_complete_address(std::string_view text);

// What a limit for each address counts as one source: an IPv4 address; the /64 network of an IPv6
// address, because one host may use all addresses of it; for link-local addresses, those of one
// interface.
using Source = std::uint64_t;
// The source of an address. address: as peer_address_of() returns it; 0: it is no address.
[[nodiscard]] Source source_of(std::string_view address);
// The source of an address for people: "192.0.2.7", "2001:db8::/64", "fe80::%eth0/64". A text that
// is no address is returned unchanged.
[[nodiscard]] std::string name_of_source(std::string_view address);

// The addresses that may connect to the sessions of one port, or that may act as proxies.
// A new list allows no address.
class AllowList {
 public:
  // One address, or all addresses of a network: `10.0.0.1`, `10.1.0.0/16`, `2001:db8::/32`. An
  // IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) counts as the IPv4 address; no IPv6
  // network contains IPv4 addresses.
  //
  // A link-local address may name its interface: "fe80::1%eth0", "fe80::%eth0/64", or the
  // interface's number, as in `fe80::1%2`. It then matches on that link only; without an interface
  // it matches on every link.
  class Range {
   public:
    // Reads an address or a network. No value: the text is neither, the address has bits set after
    // those of the network, or it names an interface and is not link-local.
    [[nodiscard]] static std::optional<Range> parse(std::string_view text);
    // Whether the range has this address. address: as peer_address_of() returns it. A text that is
    // no address is in no range.
    [[nodiscard]] bool contains(std::string_view address) const;
    // The canonical form, which is the same text for all ranges that mean the same.
    [[nodiscard]] std::string to_string() const;
    // Whether this is one link-local address without an interface, which matches on every link.
    [[nodiscard]] bool is_of_any_link() const noexcept;

    // Whether both have the same addresses, on the same interface.
    friend bool operator==(const Range&, const Range&) = default;

   private:
    friend std::string name_of_source(std::string_view address);

    std::array<unsigned char, 16> bytes_{};  // IPv4: the first four
    unsigned prefix_ = 0;                    // the number of significant bits
    bool is_v4_ = false;
    std::string scope_;  // the interface; empty: any
  };
  // A list that allows every address.
  [[nodiscard]] static AllowList everybody() noexcept {
    AllowList list;
    list.allow_all();
    return list;
  }
  // Allows every address.
  void allow_all() noexcept { allows_all_ = true; }
  // Allows the addresses of a range, too.
  void allow(const Range& range);
  // Allows everything that the other list allows, too.
  void allow(const AllowList& all);
  // Whether the address is allowed. address: as peer_address_of() returns it.
  [[nodiscard]] bool contains(std::string_view address) const;
  // The ranges, in the order of the configuration, also when every address is allowed. Valid until
  // allow() is called.
  [[nodiscard]] const std::vector<Range>& ranges() const noexcept { return ranges_; }

  // Whether both have the same ranges in the same order, and both or neither allow every address.
  friend bool operator==(const AllowList&, const AllowList&) = default;

 private:
  std::vector<Range> ranges_;
  bool allows_all_ = false;
};

// The network, as one event loop sees it. The real one is epoll over TCP; the simulator has its
// own. No other code opens a socket.

// Names a listener or a connection for its lifetime. An id is never used again after close(), so a
// late event of an old connection cannot be taken for one of a new connection.
using SocketId = std::uint64_t;

// Who says when received bytes came.
enum class ReceiveTimestamps : std::uint8_t {
  None,      // the event loop: when it has read them
  Software,  // the kernel: when its driver has got the packet
  Hardware,  // the network card: when the packet came in
};

// When received bytes came.
struct ReceiveTime {
  WallTime at{};                                     // of the last byte, CLOCK_REALTIME
  ReceiveTimestamps from = ReceiveTimestamps::None;  // None: not known, and `at` means nothing
};

// The options of a connection, or of all connections that a listener accepts.
struct SocketOptions {
  bool no_delay = true;                    // TCP_NODELAY
  bool keep_alive = true;                  // SO_KEEPALIVE: detects a peer that vanished
  bool reuse_address = true;               // SO_REUSEADDR (listen only)
  std::uint32_t send_buffer_bytes = 0;     // SO_SNDBUF; 0: the operating system's default
  std::uint32_t receive_buffer_bytes = 0;  // SO_RCVBUF; 0: the operating system's default
  std::uint8_t traffic_class = 0;          // IP_TOS, IPV6_TCLASS
  // SO_TIMESTAMPING. Hardware: the kernel's time where the card gives none.
  ReceiveTimestamps receive_timestamps = ReceiveTimestamps::None;
  // TCP_USER_TIMEOUT: a connection fails when the peer acknowledges no byte for this time.
  std::chrono::seconds user_timeout{60};
  std::string source_host{};      // connect only: the local address; empty: any
  std::uint16_t source_port = 0;  // connect only: the local port; 0: any
  // Whether every option is equal.
  friend bool operator==(const SocketOptions&, const SocketOptions&) = default;
};

class TlsContext;     // only the engine makes one
struct ConnectProxy;  // a proxy that connections are made through

// Where to listen or connect, and how.
struct Endpoint {
  std::string host;         // name or address; empty (listen only): every address
  std::uint16_t port = 0;   // 0 (listen only): any free port
  SocketOptions options{};  // of the connections
  // Not null: connections of this endpoint use TLS. A network without TLS returns an error. The
  // engine sets it, by the keys of docs/operations/tls.md.
  std::shared_ptr<TlsContext> tls{};
  // Listen only. If set, all connections come from these proxies and begin with a PROXY protocol
  // header. A network that cannot read the header returns an error (nexusfix/proxy.hpp).
  std::optional<AllowList> trusted_proxies{};
  // Connect only. Not null: connect through this proxy. A network without proxy support returns an
  // error (nexusfix/proxy.hpp). The engine sets it, by the keys of docs/operations/proxy.md.
  std::shared_ptr<const ConnectProxy> proxy{};
};

// An IPv4 or IPv6 address in the form of peer_name(), without the interface of a link-local
// address. No value: the text is no address.
[[nodiscard]] std::optional<std::string> canonical_address(const std::string& address);
// `::1` of `[::1]`; any other text is returned unchanged. A view of the argument.
[[nodiscard]] std::string_view without_brackets(std::string_view host) noexcept;
// Whether the host is "localhost", in upper or lower case.
[[nodiscard]] bool is_localhost(std::string_view host) noexcept;
// The address in a peer_name(): "127.0.0.1", "::1", "fe80::1%eth0". A view of the argument.
[[nodiscard]] std::string_view peer_address_of(std::string_view peer_name) noexcept;

// Why a call of a network failed.
struct NetworkError {
  std::string text;      // "bind 127.0.0.1:5001: Address already in use"
  int error_number = 0;  // errno, 0 if the cause is not an errno
};

// An event of Network::wait().
struct Ready {
  // What a socket is ready for.
  enum class Kind : std::uint8_t {
    Accepted,   // listener: a new connection, `accepted`
    Announced,  // its proxy has sent the source address: peer_name() returns it from now on
    Connected,  // connect() has finished
    Readable,   // receive() has bytes, the end or an error to give
    Writable,   // send() may continue after it took a part
    Failed,     // connect() failed, or the connection broke; call close()
  };
  Kind kind = Kind::Readable;  // what the socket is ready for
  SocketId socket = 0;         // the listener or the connection
  SocketId accepted = 0;       // the new connection; 0 unless kind is Accepted
};

// The result of a receive or a send.
struct IoResult {
  // The end of a receive or a send.
  enum class Status : std::uint8_t {
    Ok,          // bytes were moved
    WouldBlock,  // no byte could be moved now: wait() reports when it can
    Closed,      // the peer has ended the connection; no more bytes come
    Failed,      // the connection broke: see error_number
  };
  Status status = Status::Ok;  // what happened
  std::size_t bytes = 0;       // the number of bytes moved, when Ok
  // The errno, when Failed. EPROTO: the peer violated TLS, or the proxy its protocol.
  int error_number = 0;
};

// A connection that moves from one network to another.
struct Detached {
  // What a network that wraps another one knows about a connection, besides its descriptor.
  class Layer {
   public:
    virtual ~Layer() = default;
  };
  int descriptor = -1;             // of its socket, owned by the holder; -1: none
  std::unique_ptr<Layer> state{};  // of the networks that wrap the first one; may be null
  std::string announced{};         // its peer_name(), if a proxy has sent it
};

// The sockets of one event loop. One thread at a time, except for wake(). Blocks only in wait(),
// and in listen() and could_listen() for a host name.
class Network {
 public:
  virtual ~Network() = default;

  // Opens a port: wait() then returns Accepted for each new connection, until close(). Port 0: any
  // free port, see local_port(). An error names the endpoint and the cause.
  [[nodiscard]] virtual std::expected<SocketId, NetworkError> listen(const Endpoint& endpoint) = 0;
  // Whether listen() could bind its address and port; no client can connect meanwhile. A network
  // that cannot know returns success.
  [[nodiscard]] virtual std::expected<void, NetworkError> could_listen(const Endpoint& endpoint);
  // New connections get the endpoint's TLS, proxies and socket options; host and port stay the
  // same. Open connections are not changed. Does nothing if there is no such listener.
  virtual void change_listener(SocketId listener, const Endpoint& endpoint) {
    static_cast<void>(listener);
    static_cast<void>(endpoint);
  }
  // Starts to connect; wait() then returns Connected or Failed. An error: it could not be started.
  [[nodiscard]] virtual std::expected<SocketId, NetworkError> connect(const Endpoint& endpoint) = 0;
  // The port in use; for port 0, the one that the system chose.
  [[nodiscard]] virtual std::uint16_t local_port(SocketId socket) const = 0;
  // The address and port of the peer: "127.0.0.1:40112", "[::1]:40112", "[fe80::1%eth0]:40112";
  // empty for unknown ids.
  [[nodiscard]] virtual std::string peer_name(SocketId socket) const = 0;
  // Why a socket failed: "connect 127.0.0.1:5001: Connection refused". Valid until close(); empty
  // if nothing failed.
  [[nodiscard]] virtual std::string last_error(SocketId socket) const = 0;
  // How a connection is protected and by which proxy it comes, for people:
  // "TLSv1.3, TLS_AES_256_GCM_SHA384, CN=trader, by way of 10.0.0.9:40112"; empty: neither.
  [[nodiscard]] virtual std::string protection(SocketId socket) const {
    static_cast<void>(socket);
    return {};
  }
  // The identities of the peer's verified certificate, in the form of the key AllowedCertificates
  // (docs/operations/tls.md); empty: it has shown no certificate.
  [[nodiscard]] virtual std::vector<std::string> peer_identities(SocketId socket) const {
    static_cast<void>(socket);
    return {};
  }
  // The number of connections that were accepted and closed at once, because the process had no
  // descriptor left.
  [[nodiscard]] virtual std::uint64_t connections_refused() const noexcept = 0;

  // Receives bytes into the buffer, at most its size, without waiting. Unknown and closed ids:
  // Failed, EBADF. The same for send().
  [[nodiscard]] virtual IoResult receive(SocketId socket, std::span<char> buffer) noexcept = 0;
  // When the bytes of the last receive() came: their packet, or the last one of several. A network
  // with TLS: the last packet that it has read. Not known without
  // SocketOptions::receive_timestamps, where the operating system gives none, for unknown ids, and
  // for a network that is not TCP.
  [[nodiscard]] virtual ReceiveTime receive_time(SocketId socket) const noexcept {
    static_cast<void>(socket);
    return {};
  }
  // Sends bytes without waiting; it may take a part of them. Then wait() returns Writable whenever
  // there is room, until a send() is taken whole. A caller that has nothing more to send ends this
  // with an empty send().
  [[nodiscard]] virtual IoResult send(SocketId socket, std::span<const char> bytes) noexcept = 0;
  // While a connection is paused, wait() returns Readable for it only if it has broken. What the
  // peer sends fills the operating system's buffers, and then the peer has to wait. Unknown ids are
  // ignored.
  virtual void pause(SocketId socket, bool paused) noexcept = 0;
  // While a connection is unwatched, its user calls receive() again and again, and wait() need not
  // return Readable for it, unless it is paused and has broken. The operating system does less for
  // each message. Unknown ids are ignored, and a network may ignore all calls.
  virtual void unwatch(SocketId socket, bool unwatched) noexcept {
    static_cast<void>(socket);
    static_cast<void>(unwatched);
  }
  // Closes a connection or a listener; its id is unknown from now on. Bytes that send() took are
  // still delivered. Unknown ids are ignored.
  virtual void close(SocketId socket) noexcept = 0;

  // Takes a connection out of this network, for attach() of another network on another thread. The
  // id is unknown from now on, and earlier results of wait() for it are void. -1: there is no such
  // connection, or this network does not support it.
  [[nodiscard]] virtual Detached detach(SocketId socket) noexcept {
    static_cast<void>(socket);
    return {};
  }
  // Takes over a connection that another network has detached, under a new id. This network owns
  // the descriptor, even if the call fails.
  [[nodiscard]] virtual std::expected<SocketId, NetworkError> attach(Detached connection);

  // Waits until something is ready, the timeout expires or wake() is called; fills `events` and
  // returns their number. A zero timeout polls; no value: no limit. Level-triggered: what was not
  // consumed is returned again. May return 0 early (a signal, or an event that is internal to the
  // network).
  [[nodiscard]] virtual std::size_t wait(
      std::span<Ready> events, std::optional<std::chrono::nanoseconds> timeout) noexcept = 0;
  // Only the thread that calls wait(). Another thread will call wake(), mostly within some 100 µs:
  // the next wait() may poll for longer before its thread sleeps.
  virtual void expect_wake() noexcept {}
  // Ends a wait() early. Any thread; safe in a signal handler.
  virtual void wake() noexcept = 0;
  // A file descriptor for a loop of the caller: it is readable when wait(0) would return something.
  // Owned by the network. -1: none (a simulator).
  [[nodiscard]] virtual int descriptor() const noexcept = 0;
};

// Makes the network of the operating system: TCP with Linux epoll, IPv4 and IPv6. connect() never
// blocks: a literal address and "localhost" need no resolution; any other name is resolved on a
// thread that lives only while there are names to resolve. listen() on a name waits for the
// resolution, which is acceptable at startup; on "localhost" it listens on the loopback address of
// each family that the machine has. wait(), receive() and send() allocate only for a new
// connection. busy_poll: for at most this time, wait() polls before its thread sleeps, while events
// follow one another closely; after expect_wake() for at least 200 µs; 0: it sleeps at once. An
// error: the operating system gives no descriptor.
[[nodiscard]] std::expected<std::unique_ptr<Network>, NetworkError> make_epoll_network(
    std::chrono::nanoseconds busy_poll = {});

}  // namespace nexusfix::transport
