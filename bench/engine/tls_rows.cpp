// The cost of TLS: an order and its report, and handshakes. The peer of each row is OpenSSL alone
// over the same kind of connection.
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <memory>
#include <mutex>
#include <poll.h>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/engine/bare_tls.hpp"
#include "bench/engine/engine_pair.hpp"
#include "bench/row.hpp"

namespace nexusfix::bench {
namespace {

std::string venue_keys_of(const CertificateFiles& files) {
  return fmt::format(
      "RequireTLS=Y\nServerCertificateFile={}\nServerCertificateKeyFile={}\nNeedClientAuth=N\n",
      files.certificate, files.key);
}
std::string trader_keys_of(const CertificateFiles& files) {
  return fmt::format("RequireTLS=Y\nCertificationAuthoritiesFile={}\n", files.certificate);
}

// Collects the protection of the connections from the events of both engines. Any thread.
class ProtectionLog final : public observe::EventLog {
 public:
  void write(const observe::Event& event) override {
    const std::size_t begin = event.text.find("TLSv");
    if (begin == std::string_view::npos) return;
    const std::size_t version_end = event.text.find(',', begin);
    const std::size_t end =
        version_end == std::string_view::npos ? version_end : event.text.find(',', version_end + 1);
    const std::string found{event.text.substr(begin, end - begin)};
    const std::lock_guard lock{mutex_};
    if (std::ranges::find(found_, found) == found_.end()) found_.push_back(found);
  }
  // The protection, if both sides have the same.
  [[nodiscard]] std::string protection() const {
    const std::lock_guard lock{mutex_};
    return fmt::format("{}", fmt::join(found_, " and "));
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> found_;
};

// Fails for a peer with another protection.
struct SameProtectionCheck {
  std::string ours;
  std::string peers;

  template <class Operation>
  std::string operator()(Operation& operation) const {
    if (ours != peers) return fmt::format("has {}, and NexusFIX {}", peers, ours);
    return TwoSidedCheck{1}(operation);
  }
};

Plan plan_tls_round_trip(Subjects) {
  const WireSizes sizes = wire_sizes();
  const BenchFolder folder;
  const CertificateFiles files = make_certificate(folder);
  const auto log = std::make_shared<ProtectionLog>();
  auto ours = std::make_unique<Pair>(PairOptions{
      .venue_keys = venue_keys_of(files), .trader_keys = trader_keys_of(files), .log = log.get()});
  auto bare = std::make_unique<BareTlsPair>(files, sizes.order, sizes.report);
  const SameProtectionCheck check{log->protection(), bare->protection()};
  Plan plan{
      .owner = log,
      .bytes = static_cast<double>(sizes.order + sizes.report),
      .contestants = {},
      .note = fmt::format("ECDSA on P-256; NexusFIX: {}; bare TLS: {}", check.ours, check.peers)};
  plan.contestants.emplace_back("NexusFIX", two_sided(RoundTrip{std::move(ours)}, 1));
  plan.contestants.emplace_back(
      "bare TLS", make_prepared_contestant(BareRoundTrip<BareTlsPair>{std::move(bare)}, 1, check));
  return plan;
}

// A client that connects, makes the handshake, sends close_notify, and waits until the server
// closes the connection.
class ShakingClient {
 public:
  ShakingClient(std::uint16_t port, SSL_CTX& context)
      : socket_{::socket(AF_INET, SOCK_STREAM, 0)}, ssl_{SSL_new(&context)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    if (socket_ < 0 || !ssl_ ||
        ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        !send_at_once(socket_) || ::fcntl(socket_, F_SETFL, O_NONBLOCK) != 0 ||
        SSL_set_fd(ssl_.get(), socket_) != 1) {
      if (socket_ >= 0) ::close(socket_);
      throw std::runtime_error{"a client cannot connect"};
    }
    SSL_set_connect_state(ssl_.get());
  }
  ShakingClient(const ShakingClient&) = delete;
  ShakingClient& operator=(const ShakingClient&) = delete;
  // Resets the connection, so that the port can be used again at once.
  ~ShakingClient() {
    const linger none{.l_onoff = 1, .l_linger = 0};
    static_cast<void>(::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &none, sizeof none));
    ::close(socket_);
  }

  // Continues as far as possible. Empty: it is in progress, or has ended without an error.
  std::string go_on() {
    if (is_shaken_) {
      char bytes[256];
      const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
      has_ended_ = count == 0;
      return count >= 0 || errno == EAGAIN ? "" : "the server hung up";
    }
    const int result = SSL_do_handshake(ssl_.get());
    if (result != 1) {
      const bool waits = SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ;
      return waits ? "" : "a handshake failed";
    }
    is_shaken_ = true;
    protection_ = protection_of(ssl_.get());
    if (SSL_session_reused(ssl_.get()) == 1)
      return "a session was resumed without a full handshake";
    static_cast<void>(SSL_shutdown(ssl_.get()));
    return {};
  }
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  [[nodiscard]] const std::string& protection() const { return protection_; }

 private:
  int socket_;
  Ssl ssl_;
  bool is_shaken_ = false;
  bool has_ended_ = false;
  std::string protection_;
};

// Whether any of them can be read.
bool is_readable(std::span<pollfd> ends) { return ::poll(ends.data(), ends.size(), 0) > 0; }

// A venue's port. One turn does a part of the pending work without waiting.
class EnginePort {
 public:
  explicit EnginePort(const CertificateFiles& files)
      : venue_{{.is_in_memory = true, .more = venue_keys_of(files)}, {}} {}
  [[nodiscard]] std::uint16_t port() const { return venue_.engine.accept_port(); }
  [[nodiscard]] bool has_work() const {
    pollfd end{.fd = venue_.engine.descriptor(), .events = POLLIN, .revents = 0};
    return is_readable({&end, 1});
  }
  void turn() {
    if (!venue_.engine.poll(std::chrono::nanoseconds{0})) std::abort();
  }

 private:
  OpenEngine<Venue> venue_;
};

class BarePort {
 public:
  explicit BarePort(const CertificateFiles& files)
      : context_{bare_server_context(files)},
        listener_{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)} {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    auto* const generic = reinterpret_cast<sockaddr*>(&address_);
    if (::bind(listener_, generic, size) != 0 || ::listen(listener_, SOMAXCONN) != 0 ||
        ::getsockname(listener_, generic, &size) != 0) {
      throw std::runtime_error{"a port cannot be opened"};
    }
  }
  BarePort(const BarePort&) = delete;
  BarePort& operator=(const BarePort&) = delete;
  ~BarePort() {
    for (const Served& one : served_) ::close(one.socket);
    ::close(listener_);
  }
  [[nodiscard]] std::uint16_t port() const { return ntohs(address_.sin_port); }
  [[nodiscard]] bool has_work() const {
    std::vector<pollfd> ends{{.fd = listener_, .events = POLLIN, .revents = 0}};
    for (const Served& one : served_) {
      ends.push_back({.fd = one.socket, .events = POLLIN, .revents = 0});
    }
    return is_readable(ends);
  }
  void turn() {
    for (int socket = next(); socket >= 0; socket = next()) {
      Served& one = served_.emplace_back(socket, Ssl{SSL_new(context_.get())});
      SSL_set_accept_state(one.ssl.get());
      if (!send_at_once(socket) || SSL_set_fd(one.ssl.get(), socket) != 1) std::abort();
    }
    std::erase_if(served_, [](const Served& one) { return serve(one); });
  }

 private:
  struct Served {
    int socket;
    Ssl ssl;
  };
  int next() { return ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK); }
  // Whether it has ended.
  static bool serve(const Served& one) {
    char bytes[256];
    SSL* const ssl = one.ssl.get();
    const int count = SSL_read(ssl, bytes, sizeof bytes);  // shakes hands first
    if (count > 0 || SSL_get_error(ssl, count) == SSL_ERROR_WANT_READ) return false;
    static_cast<void>(SSL_shutdown(ssl));
    ::close(one.socket);
    return true;
  }

  SslContext context_;
  int listener_;
  sockaddr_in address_{};
  std::vector<Served> served_;
};

// Many clients at once. One thread runs the clients and the server in turn. Only the server's turns
// are measured.
template <class Port>
class Handshakes final : public Contestant {
 public:
  static constexpr std::size_t kTogether = 8;

  explicit Handshakes(const CertificateFiles& files)
      : client_context_{bare_client_context(files)}, port_{files} {}

  std::string check() override {
    std::uint64_t ignored = 0;
    return shake(ignored);
  }
  [[nodiscard]] const std::string& protection() const { return protection_; }
  [[nodiscard]] std::size_t inputs() const override { return 1; }
  void run(std::size_t calls) override { (void)timed_run(calls); }
  std::uint64_t timed_run(std::size_t calls) override {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < calls; ++i) sum += ticks_of_one();
    return sum;
  }
  void time_each(std::uint32_t* ticks, std::size_t calls) override {
    for (std::size_t i = 0; i < calls; ++i) {
      ticks[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(ticks_of_one(), UINT32_MAX));
    }
  }

 private:
  std::uint64_t ticks_of_one() {
    std::uint64_t ticks = 0;
    const std::string wrong = shake(ticks);
    if (!wrong.empty()) throw std::runtime_error{wrong};
    return ticks;
  }
  std::string shake(std::uint64_t& ticks) {
    std::vector<std::unique_ptr<ShakingClient>> clients;
    for (std::size_t i = 0; i < kTogether; ++i) {
      clients.push_back(std::make_unique<ShakingClient>(port_.port(), *client_context_));
    }
    unsigned idle_rounds = 0;
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (const auto& one : clients) {
        if (one->has_ended()) continue;
        if (std::string wrong = one->go_on(); !wrong.empty()) return wrong;
        goes_on = true;
      }
      // A busy kernel delivers late. Waiting for it is no work of the server, so that a turn runs
      // only when bytes have arrived, and after this number of idle rounds. The server takes turns
      // until none are left, as on a machine of its own: clients between them empty its caches.
      constexpr unsigned kIdleRoundsMax = 256;
      if (!port_.has_work() && ++idle_rounds % kIdleRoundsMax != 0) continue;
      do {
        const std::uint64_t before = read_ticks();
        port_.turn();
        ticks += read_ticks() - before;
      } while (port_.has_work());
    }
    protection_ = clients.front()->protection();
    return {};
  }

  SslContext client_context_;
  Port port_;
  std::string protection_;
};

Plan plan_handshakes(Subjects) {
  const BenchFolder folder;
  const CertificateFiles files = make_certificate(folder);
  auto ours = std::make_unique<Handshakes<EnginePort>>(files);
  auto bare = std::make_unique<Handshakes<BarePort>>(files);
  // The protection is known after a handshake.
  std::string wrong = ours->check();
  if (wrong.empty()) wrong = bare->check();
  if (!wrong.empty()) throw std::runtime_error{wrong};
  Plan plan{.owner = nullptr,
            .operations_per_call = static_cast<double>(Handshakes<EnginePort>::kTogether),
            .contestants = {},
            .note = fmt::format("ECDSA on P-256, resumption is off; NexusFIX: {}; bare TLS: {}",
                                ours->protection(), bare->protection())};
  plan.contestants.emplace_back("NexusFIX", std::move(ours));
  plan.contestants.emplace_back("bare TLS", std::move(bare));
  return plan;
}

}  // namespace

void add_tls_rows(std::vector<Row>& rows) {
  rows.push_back({{.name = "rtt/tls-spin",
                   .purpose = "rtt/spin with TLS",
                   .published = {},
                   .budget = {},
                   .ratios = {{"bare TLS", 1.1}}},
                  plan_tls_round_trip});
  rows.push_back({{.name = "tls/handshakes",
                   .purpose = "whole handshakes a second that one core serves, its own part alone",
                   .unit = Unit::PerSecond,
                   .published = {},
                   .budget = {},
                   .ratios = {{"bare TLS", 0.97}}},
                  plan_handshakes});
}

}  // namespace nexusfix::bench
