#include "gateway/attach/gateway_client.hpp"

#include <array>
#include <utility>

namespace nexusfix::gateway {
namespace {

// A gateway that was killed says nothing in its memory: the socket, a system call, does. A client
// looks at it after this number of empty reads, or after a wait of this length.
constexpr unsigned kEmptyReadsMax = 1'000;
constexpr std::chrono::milliseconds kLongWait{1};

}  // namespace

std::expected<std::unique_ptr<GatewayClient>, AttachError> GatewayClient::attach(
    const AttachOptions& options) {
  auto socket = FrameSocket::connect(options.socket_path, options.timeout);
  if (!socket) return std::unexpected{std::move(socket.error())};
  std::unique_ptr<GatewayClient> client{new GatewayClient{std::move(*socket)}};
  if (auto greeted = client->greet(options); !greeted) {
    client->end_ = greeted.error().text;  // nothing more is said to the gateway
    return std::unexpected{std::move(greeted.error())};
  }
  return client;
}

std::expected<void, AttachError> GatewayClient::greet(const AttachOptions& options) {
  HelloText hello = options.hello;
  hello.ring_version = options.by_memory ? kRingVersion : 0;
  auto greeting = socket_.greet(hello, options.timeout);
  if (!greeting) return std::unexpected{std::move(greeting.error())};
  greeting_ = std::move(*greeting);
  if (!options.by_memory) return {};
  const RingPath& place = greeting_.welcome.ring;
  if (place.path.empty())
    return std::unexpected{AttachError{.text = "the gateway has no shared memory"}};
  auto ring = ClientRing::attach(place.path, place.key, socket_.descriptor());
  if (!ring) return std::unexpected{AttachError{.text = std::move(ring.error().text)}};
  ring_ = std::move(*ring);
  return {};
}

GatewayClient::~GatewayClient() {
  if (end_.empty()) {
    static_cast<void>(
        send({.kind = FrameKind::Closed, .code = static_cast<std::uint32_t>(CloseCode::ClientEnds)},
             {}));
  }
}

Sent GatewayClient::send(const FrameHeader& header, std::string_view body) {
  if (!end_.empty()) return Sent::Closed;
  if (!ring_) return socket_.send(header, body);
  if (body.size() > kFrameBytesMax - kHeaderBytes) return Sent::TooLong;
  std::array<char, kHeaderBytes> front{};
  write_header(header, body.size(), front.data());
  switch (ring_->send({front.data(), front.size()}, body)) {
    case Written::Yes:
      return Sent::Yes;
    case Written::Full:
      return ring_->is_closed() ? Sent::Closed : Sent::Full;
    case Written::TooLong:
      return Sent::TooLong;
    case Written::Fault:
      break;
  }
  ended(to_string(RingFault::Head));
  return Sent::Closed;
}

Received GatewayClient::receive(Frame& to, std::chrono::nanoseconds timeout,
                                std::chrono::nanoseconds spin) {
  if (!end_.empty()) return Received::Closed;
  if (ring_) return receive_by_ring(to, timeout, spin);
  const Received received = socket_.receive(to, timeout, spin);
  return received == Received::Closed ? ended(socket_.end()) : received;
}

Received GatewayClient::receive_by_ring(Frame& to, std::chrono::nanoseconds timeout,
                                        std::chrono::nanoseconds spin) {
  if (std::exchange(sleeps_, false)) ring_->end_sleep();
  bool is_over = false;
  std::string_view bytes = ring_->next();
  if (bytes.empty() && !ring_->is_damaged()) {
    const bool waits = timeout.count() != 0;
    is_over = (waits && ring_->wait(timeout, spin) == Waited::Closed) || is_ring_over(timeout);
    // After the end was seen: what the gateway wrote before it.
    bytes = ring_->next();
  }
  if (bytes.empty()) {
    if (is_over || ring_->is_damaged()) return ended(to_string(ring_->fault()));
    return Received::Timeout;
  }
  empty_reads_ = 0;
  const auto frame = read_frame(bytes);
  if (!frame) return ended(frame_fault_text(frame.error()));
  to = *frame;
  return Received::Frame;
}

bool GatewayClient::is_ring_over(std::chrono::nanoseconds waited) {
  if (ring_->is_closed()) return true;
  if (++empty_reads_ < kEmptyReadsMax && waited < kLongWait) return false;
  empty_reads_ = 0;
  return !ring_->is_gateway_there();
}

bool GatewayClient::has_frame() {
  if (!end_.empty()) return true;
  if (!ring_) return socket_.has_frame();
  // First, so that a byte which comes after begin_sleep() stays in the socket.
  const bool is_there = ring_->is_gateway_there();
  sleeps_ = ring_->begin_sleep();
  return !sleeps_ || !is_there || ring_->is_closed();
}

Received GatewayClient::ended(std::string_view why) {
  end_ = why;
  return Received::Closed;
}

}  // namespace nexusfix::gateway
