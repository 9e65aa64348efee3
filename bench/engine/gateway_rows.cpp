// An order and its report by a gateway in another process. The network is in the gateway's memory:
// the counterparty answers with the next report when an order is sent, so that the row has all of
// the engine and the gateway, and nothing of the kernel.
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/statistics.hpp>
#include <nexusfix/transport/network.hpp>

#include "bench/engine/answering_process.hpp"
#include "bench/engine/bare_tcp.hpp"
#include "bench/engine/engine_bench.hpp"
#include "bench/engine/memory_network.hpp"
#include "bench/row.hpp"
#include "bench/traffic/inputs.hpp"
#include "config/api/settings.hpp"
#include "gateway/attach/gateway_client.hpp"
#include "gateway/door/open_web_socket.hpp"
#include "gateway/door/socket_door.hpp"
#include "gateway/door/socket_link.hpp"
#include "gateway/gateway.hpp"

namespace nexusfix::bench {
namespace {

constexpr std::size_t kOrders = 64;  // in rotation; as many as reports are numbered at once
constexpr const char* kKeys =
    "MaxAdminMessagesPerSecond=1000000\nJournalStallTimeout=600\nJournalInbound=Y\n";

// A counterparty that answers each order.
class AnsweringNetwork final : public MemoryNetwork {
 public:
  transport::IoResult send(transport::SocketId socket,
                           std::span<const char> bytes) noexcept override {
    const std::string_view text{bytes.data(), bytes.size()};
    if (text.find("\x01"
                  "35=D\x01") != std::string_view::npos)
      deliver(reports_.next());
    return MemoryNetwork::send(socket, bytes);
  }
  // Logs the session on.
  void log_on(Engine& engine) {
    Session& session = engine.session(0);
    const auto set = session.set_next_numbers({.next_inbound = ReceivedTexts::kFirstNumber - 1,
                                               .next_outbound = ReceivedTexts::kFirstNumber - 1},
                                              "benchmark");
    if (!set) throw std::runtime_error{set.error()};
    turn(engine);
    const std::string logon = ReceivedTexts::logon(SystemClock{}.now().wall);
    deliver(logon);
    while (sends() == 0 && !is_closed()) turn(engine);
    if (!session.is_logged_on()) throw std::runtime_error{"the engine refused the Logon"};
    number(engine);
  }
  // Numbers the reports, before each kOrders of them.
  void number(Engine& engine) {
    if (!engine.session(0).is_logged_on()) throw std::runtime_error{"the session has ended"};
    reports_.number_from(engine.session(0).numbers().next_inbound, SystemClock{}.now().wall);
  }
  static void turn(Engine& engine) {
    if (!engine.poll(std::chrono::nanoseconds{0})) std::abort();
  }

 private:
  ReceivedTexts reports_ = ReceivedTexts::fills();
};

// The application in the engine's process.
struct InProcess {
  struct State {
    AnsweringNetwork network;
    OpenEngine<Trader> trader{{.more = kKeys}, {.network = &network, .busy_spin = true}};
  };
  std::unique_ptr<State> state = std::make_unique<State>();

  InProcess() { state->network.log_on(state->trader.engine); }
  std::uint64_t operator()(std::size_t) {
    Trader& trader = state->trader.application;
    const std::uint64_t before = trader.reports;
    trader.send_order();
    while (trader.reports == before) AnsweringNetwork::turn(state->trader.engine);
    return trader.reports - before;
  }
  void prepare() { state->network.number(state->trader.engine); }
  void settle() {}
  [[nodiscard]] CallLimits limits() const { return {.least = 1, .most = kOrders}; }
};

std::string port_file(const std::string& socket) { return socket + ".port"; }

// The gateway with its engine, as `nexusfix gateway --spin` runs it.
class GatewaySide {
 public:
  GatewaySide(const std::string& socket, bool has_web_socket)
      : gateway_{options_of(socket, folder_.file("journal"), disk_, clock_, log_)},
        engine_{opened(EngineText{.more = kKeys}.with(folder_))} {
    auto door = gateway::SocketDoor::open(socket, 0600);
    if (!door) throw std::runtime_error{door.error()};
    doors_.push_back(std::make_unique<gateway::SocketDoor>(std::move(*door)));
    if (has_web_socket) open_web_socket(socket);
    if (const auto attached = gateway_.attach(engine_); !attached)
      throw std::runtime_error{attached.error()};
    network_.log_on(engine_);
  }
  void resume() { network_.number(engine_); }
  void turn(Shared&) {
    for (const auto& door : doors_) {
      door->poll();
      if (gateway_.client_count() != 0) continue;
      if (auto accepted = door->accept(); accepted.link != nullptr)
        gateway_.add(std::move(accepted.link), "bench");
    }
    (void)gateway_.serve();
    AnsweringNetwork::turn(engine_);
    (void)gateway_.flush();
  }

 private:
  static gateway::GatewayOptions options_of(const std::string& socket, std::string folder,
                                            Disk& disk, Clock& clock, observe::EventLog& log) {
    gateway::GatewayOptions options{.clients = {},
                                    .open_log = gateway::journal_opener(disk, std::move(folder)),
                                    .version = "bench",
                                    .memory = {},
                                    .events = &log,
                                    .clock = &clock};
    options.clients.socket_path = socket;
    options.clients.clients.emplace_back();
    options.clients.clients.back().name = "desk";
    options.clients.clients.back().token = "token";
    return options;
  }
  // Its client finds the port in a file.
  void open_web_socket(const std::string& socket) {
    PosixDisk disk;
    auto door = gateway::open_web_socket({.port = 0}, {}, disk);
    if (!door) throw std::runtime_error{door.error()};
    if (!replace_file(disk, port_file(socket), (*door)->address()))
      throw std::runtime_error{"no file for the port"};
    doors_.push_back(std::move(*door));
  }
  Engine opened(const std::string& text) {
    auto settings = config::parse_settings(text, "bench");
    if (!settings) throw std::runtime_error{settings.error().front().what()};
    auto engine = Engine::open(std::move(*settings), gateway_,
                               {.network = &network_, .log = &log_, .busy_spin = true});
    if (!engine) throw std::runtime_error{engine.error().what()};
    return std::move(*engine);
  }

  BenchFolder folder_;
  PosixDisk disk_;
  SystemClock clock_;
  observe::NullEventLog log_;
  AnsweringNetwork network_;
  gateway::Gateway gateway_;
  Engine engine_;
  std::vector<std::unique_ptr<gateway::ClientDoor>> doors_;
};

const gateway::HelloText kHello{.name = "desk", .token = "token"};

// The client's side of a door: it sends a frame, and takes the next one; empty: none has come.
class RingSide {
 public:
  static constexpr bool kIsWebSocket = false;

  explicit RingSide(const std::string& socket) {
    auto client =
        gateway::GatewayClient::attach({.socket_path = socket, .hello = kHello, .by_memory = true});
    if (!client) throw std::runtime_error{client.error().text};
    client_ = std::move(*client);
  }
  void send(std::string_view frame) {
    if (client_->ring()->send(frame) != gateway::Written::Yes) std::abort();
  }
  std::string_view next() { return client_->ring()->next(); }

 private:
  std::unique_ptr<gateway::GatewayClient> client_;
};

class SocketSide {
 public:
  static constexpr bool kIsWebSocket = false;

  explicit SocketSide(const std::string& path) : link_{connected(path)} {
    std::vector<char> hello;
    gateway::append_frame(hello, {.kind = gateway::FrameKind::Hello}, gateway::write_hello(kHello));
    send({hello.data(), hello.size()});
    while (next().empty()) continue;  // the Welcome
  }
  void send(std::string_view frame) {
    if (!link_.write(frame)) std::abort();
    link_.flush();
  }
  std::string_view next() {
    const auto frame = link_.read();
    if (frame.empty() && !link_.fault().empty()) std::abort();
    return {frame.data(), frame.size()};
  }

 private:
  static int connected(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::fcntl(socket, F_SETFL, O_NONBLOCK) != 0)
      throw std::runtime_error{"no connection to " + path};
    return socket;
  }

  gateway::SocketLink link_;
};

// Each frame is a binary message of a WebSocket (RFC 6455, sec. 5.2).
class WebSocketSide {
 public:
  static constexpr bool kIsWebSocket = true;

  explicit WebSocketSide(const std::string& path)
      : network_{made_network()}, socket_{connected(path)} {
    write(
        "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos) receive();
    if (!received_.starts_with("HTTP/1.1 101")) throw std::runtime_error{received_};
    begin_ = end + 4;
    std::vector<char> hello;
    gateway::append_frame(hello, {.kind = gateway::FrameKind::Hello}, gateway::write_hello(kHello));
    send({hello.data(), hello.size()});
    while (next().empty()) continue;  // the Welcome
  }
  // A mask of 0 leaves the bytes as they are.
  void send(std::string_view frame) {
    const bool is_short = frame.size() < kSize16;
    sent_.assign({kBinary, static_cast<char>(kMasked | (is_short ? frame.size() : kSize16))});
    if (!is_short) {
      sent_ += static_cast<char>(frame.size() >> 8U);
      sent_ += static_cast<char>(frame.size() & 0xffU);
    }
    sent_.append(4, '\0');
    write(sent_.append(frame));
  }
  std::string_view next() {
    const auto at = [this](std::size_t i) {
      return static_cast<unsigned char>(received_[begin_ + i]);
    };
    if (received_.size() - begin_ < 4) return receive();
    const bool is_short = at(1) < kSize16;
    const std::size_t head = is_short ? 2 : 4;
    const std::size_t size = is_short ? at(1) : std::size_t{at(2)} << 8U | at(3);
    if (received_.size() - begin_ < head + size) return receive();
    const std::size_t begin = std::exchange(begin_, begin_ + head + size) + head;
    return std::string_view{received_}.substr(begin, size);
  }

 private:
  static constexpr char kBinary = static_cast<char>(0x82);
  static constexpr unsigned kMasked = 0x80;
  static constexpr unsigned kSize16 = 126;

  static std::unique_ptr<transport::Network> made_network() {
    auto network = transport::make_epoll_network();
    if (!network) throw std::runtime_error{network.error().text};
    return std::move(*network);
  }
  transport::SocketId connected(const std::string& path) {
    PosixDisk disk;
    const auto url = read_file(disk, port_file(path), 100);
    if (!url) throw std::runtime_error{url.error().what()};
    const auto port = static_cast<std::uint16_t>(std::stoi(url->substr(url->rfind(':') + 1)));
    const auto socket = network_->connect({.host = "127.0.0.1", .port = port});
    if (!socket) throw std::runtime_error{socket.error().text};
    transport::Ready ready;
    while (network_->wait({&ready, 1}, std::nullopt) == 0) continue;
    if (ready.kind != transport::Ready::Kind::Connected) throw std::runtime_error{"no connection"};
    network_->unwatch(*socket, true);
    return *socket;
  }
  void write(std::string_view bytes) {
    if (network_->send(socket_, bytes).bytes != bytes.size()) std::abort();
  }
  // Always empty: next() looks again.
  std::string_view receive() {
    received_.erase(0, std::exchange(begin_, 0));
    std::array<char, 4096> bytes{};
    const transport::IoResult result = network_->receive(socket_, bytes);
    if (result.status == transport::IoResult::Status::Ok)
      received_.append(bytes.data(), result.bytes);
    if (result.status == transport::IoResult::Status::Closed) std::abort();
    return {};
  }

  std::unique_ptr<transport::Network> network_;
  transport::SocketId socket_;
  std::string sent_;
  std::string received_;
  std::size_t begin_ = 0;
};

// The application in this process, and the gateway in another one.
template <typename Side>
class ByGateway {
 public:
  ByGateway() {
    const std::string socket = folder_.file("gateway.sock");
    process_ = std::make_unique<AnsweringProcess>(
        [socket] { return std::make_unique<GatewaySide>(socket, Side::kIsWebSocket); });
    for (const FlowMessage& one : flow_of({FlowKind::Order}, kOrders))
      orders_.push_back(frame(one));
    process_->resume();  // It listens by then.
    side_ = std::make_unique<Side>(socket);
    while (kind_of_next() != gateway::FrameKind::CaughtUp) continue;
    process_->pause();
  }

  void round_trip() {
    std::string& order = orders_[sent_ % orders_.size()];
    const std::uint64_t number = ++sent_;
    std::memcpy(order.data() + kNumberAt, &number, sizeof number);
    side_->send(order);
    for (;;) {
      const gateway::FrameKind kind = kind_of_next();
      if (kind == gateway::FrameKind::Message) return;
      if (kind != gateway::FrameKind::Accepted) std::abort();
    }
  }
  AnsweringProcess& process() { return *process_; }

 private:
  // docs/reference/gateway-protocol.md: the places in a frame.
  static constexpr std::size_t kKindAt = 5;
  static constexpr std::size_t kNumberAt = 32;

  gateway::FrameKind kind_of_next() {
    for (;;) {
      const std::string_view frame = side_->next();
      if (!frame.empty()) return static_cast<gateway::FrameKind>(frame[kKindAt]);
    }
  }
  static std::string frame(const FlowMessage& message) {
    std::string body = std::string{"35="} + message.msg_type + "|" + message.body;
    for (char& one : body) {
      if (one == '|') one = '\x01';
    }
    std::vector<char> bytes;
    gateway::append_frame(bytes, {.kind = gateway::FrameKind::Send}, body);
    return {bytes.data(), bytes.size()};
  }

  BenchFolder folder_;
  std::unique_ptr<AnsweringProcess> process_;
  std::vector<std::string> orders_;
  std::uint64_t sent_ = 0;
  std::unique_ptr<Side> side_;
};

template <typename Side>
struct GatewayRoundTrip {
  std::unique_ptr<ByGateway<Side>> pair = std::make_unique<ByGateway<Side>>();

  std::uint64_t operator()(std::size_t) {
    pair->round_trip();
    return 1;
  }
  void prepare() { pair->process().resume(); }
  void settle() { pair->process().pause(); }
  [[nodiscard]] CallLimits limits() const { return {.least = 1, .most = kOrders}; }
};

template <typename Side>
Plan plan_gateway(Subjects) {
  Plan plan{.owner = nullptr, .contestants = {}};
  plan.contestants.emplace_back("NexusFIX", two_sided(GatewayRoundTrip<Side>{}, 1));
  plan.contestants.emplace_back("in process", two_sided(InProcess{}, 1));
  return plan;
}

}  // namespace

void add_gateway_rows(std::vector<Row>& rows) {
  rows.push_back({{.name = "gateway/shm",
                   .purpose = "an order by the gateway's shared memory from another process to the "
                              "write to the counterparty, and its report back, both spinning; "
                              "journaled, over a network in memory",
                   .published = {},
                   .budget = 1'850,  // 1.5 µs more than in process
                   .ratios = {{"in process"}}},
                  plan_gateway<RingSide>});
  rows.push_back({{.name = "gateway/socket",
                   .purpose = "the same by the gateway's Unix socket, both asking without a pause",
                   .published = {},
                   .budget = 25'350,  // 25 µs more than in process
                   .ratios = {{"in process"}}},
                  plan_gateway<SocketSide>});
  if constexpr (NEXUSFIX_BENCH_WEB != 0) {
    rows.push_back({{.name = "gateway/websocket",
                     .purpose = "the same by a WebSocket of the gateway, over the loopback, in "
                                "binary messages, both asking without a pause",
                     .published = {},
                     .budget = 25'350,  // 25 µs more than in process
                     .ratios = {{"in process"}}},
                    plan_gateway<WebSocketSide>});
  }
}

}  // namespace nexusfix::bench
