// A frame through the shared memory of a gateway, between two processes: there and back, and one
// way. The measured process is the client; the other one reads, copies and answers as a gateway.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "bench/engine/answering_process.hpp"
#include "bench/engine/bare_tcp.hpp"
#include "bench/row.hpp"
#include "gateway/ring/client_ring.hpp"
#include "gateway/ring/gateway_ring.hpp"

namespace nexusfix::bench {
namespace {

// An order of rtt/spin with the header of the gateway's protocol.
constexpr std::size_t kFrameBytes = 200;

// The gateway's side: it reads, copies and answers.
struct RingEcho {
  gateway::GatewayRing* ring;

  void resume() {}
  void turn(Shared& shared) const {
    const std::string_view frame = ring->read();
    if (frame.empty()) return;
    std::uint64_t sent_at = 0;
    std::memcpy(&sent_at, frame.data(), sizeof sent_at);
    if (sent_at != 0) shared.one_way.store(read_ticks() - sent_at, std::memory_order_relaxed);
    if (ring->write(frame) != gateway::Written::Yes || ring->wake_client()) ::_exit(1);
  }
};

// An end of a Unix socket.
struct SocketEcho {
  BareEnd end;

  void resume() {}
  void turn(Shared&) {
    if (end.receive()) end.send();
  }
};

class RingPair {
 public:
  RingPair() {
    auto gateway = gateway::GatewayRing::create({});
    if (!gateway) throw std::runtime_error{gateway.error().text};
    gateway_ = std::move(*gateway);
    process_ = std::make_unique<AnsweringProcess>(
        [this] { return std::make_unique<RingEcho>(gateway_.get()); });
    auto client =
        gateway::ClientRing::attach(gateway_->path(), gateway_->key(), process_->socket());
    if (!client) throw std::runtime_error{client.error().text};
    client_ = std::move(*client);
  }
  void round_trip(bool is_stamped) {
    if (is_stamped) {
      const std::uint64_t now = read_ticks();
      std::memcpy(frame_.data(), &now, sizeof now);
    }
    if (client_->send(frame_) != gateway::Written::Yes) std::abort();
    while (client_->next().empty()) continue;
  }
  AnsweringProcess& process() { return *process_; }

 private:
  std::unique_ptr<gateway::GatewayRing> gateway_;
  std::unique_ptr<AnsweringProcess> process_;
  std::unique_ptr<gateway::ClientRing> client_;
  std::string frame_ = std::string(kFrameBytes, '\0');
};

// The frame goes over a Unix socket, and both sides spin.
class SocketOfFrames {
 public:
  SocketOfFrames() {
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets_.data()) != 0)
      throw std::runtime_error{"no socket"};
    process_ = std::make_unique<AnsweringProcess>([this] {
      return std::make_unique<SocketEcho>(
          BareEnd{sockets_[1], WaitMode::Spin, kFrameBytes, frame()});
    });
    near_ = std::make_unique<BareEnd>(sockets_[0], WaitMode::Spin, kFrameBytes, frame());
  }
  SocketOfFrames(const SocketOfFrames&) = delete;
  SocketOfFrames& operator=(const SocketOfFrames&) = delete;
  ~SocketOfFrames() {
    ::close(sockets_[0]);
    ::close(sockets_[1]);
  }
  void round_trip(bool) {
    near_->send();
    while (!near_->receive()) continue;
  }
  AnsweringProcess& process() { return *process_; }

 private:
  static std::string frame() { return std::string(kFrameBytes, 'f'); }

  std::array<int, 2> sockets_{-1, -1};
  std::unique_ptr<AnsweringProcess> process_;
  std::unique_ptr<BareEnd> near_;
};

template <class Pair>
struct FrameRoundTrip {
  std::shared_ptr<Pair> pair;

  std::uint64_t operator()(std::size_t) {
    pair->round_trip(false);
    return 1;
  }
  void prepare() { pair->process().resume(); }
  void settle() { pair->process().pause(); }
  [[nodiscard]] CallLimits limits() const { return {}; }
};

// The time that the other process measured: the counters of two cores are equal.
class OneWay final : public Contestant {
 public:
  explicit OneWay(std::shared_ptr<RingPair> pair) : pair_{std::move(pair)} {}

  std::string check() override {
    prepare();
    const std::uint64_t ticks = one();
    settle();
    return ticks != 0 ? "" : "nothing was measured";
  }
  [[nodiscard]] std::size_t inputs() const override { return 1; }
  void prepare() override { pair_->process().resume(); }
  void settle() override { pair_->process().pause(); }
  void run(std::size_t calls) override { (void)timed_run(calls); }
  std::uint64_t timed_run(std::size_t calls) override {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < calls; ++i) sum += one();
    return sum;
  }
  void time_each(std::uint32_t* ticks, std::size_t calls) override {
    for (std::size_t i = 0; i < calls; ++i) {
      ticks[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(one(), UINT32_MAX));
    }
  }

 private:
  std::uint64_t one() {
    pair_->round_trip(true);
    return pair_->process().shared().one_way.load(std::memory_order_relaxed);
  }

  std::shared_ptr<RingPair> pair_;
};

Plan plan_ring(Subjects) {
  Plan plan{.owner = nullptr, .bytes = 2.0 * kFrameBytes, .contestants = {}};
  const auto pair = std::make_shared<RingPair>();
  plan.contestants.emplace_back("NexusFIX", two_sided(FrameRoundTrip<RingPair>{pair}, 1));
  plan.contestants.emplace_back("one way", std::make_unique<OneWay>(pair));
  plan.contestants.emplace_back(
      "bare Unix socket",
      two_sided(FrameRoundTrip<SocketOfFrames>{std::make_shared<SocketOfFrames>()}, 1));
  return plan;
}

}  // namespace

void add_ring_rows(std::vector<Row>& rows) {
  rows.push_back({{.name = "gateway/ring",
                   .purpose = "a frame of 200 bytes to another process and back through the "
                              "gateway's shared memory, both spinning; without an engine",
                   .published = {},
                   .budget = {},
                   .ratios = {{"bare Unix socket", 0.5}, {"one way"}}},
                  plan_ring});
}

}  // namespace nexusfix::bench
