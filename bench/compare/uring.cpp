#include "bench/compare/uring.hpp"

#include <cstring>
#include <liburing.h>

#include "bench/engine/bare_tcp.hpp"
#include "bench/engine/engine_bench.hpp"

namespace nexusfix::bench {
namespace {

constexpr unsigned kEntries = 8;

// The kernel delivers completions when the thread asks for them: a spinning round trip takes 25 µs.
// With interrupts by the kernel it takes 90 µs.
constexpr unsigned kFlags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;

// Only the thread that created it may use it.
struct Ring {
  Ring() {
    // make_uring_subject() has checked that this succeeds.
    if (io_uring_queue_init(kEntries, &ring, kFlags) < 0) std::abort();
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() { io_uring_queue_exit(&ring); }

  io_uring ring{};
};

// A receive is always pending. A send is submitted together with the next one.
class UringEnd {
 public:
  UringEnd(int socket, WaitMode mode, std::size_t bytes_in, std::string out)
      : socket_{socket},
        spins_{mode == WaitMode::Spin},
        bytes_in_{bytes_in},
        out_{std::move(out)} {}

  void send() {
    io_uring_sqe* const one = entry();
    io_uring_prep_send(one, socket_, out_.data(), out_.size(), MSG_NOSIGNAL);
    io_uring_sqe_set_data64(one, kSend);
    ask();
    if (spins_) io_uring_submit(&ring_->ring);  // The blocking mode submits it with the wait.
  }
  bool receive() {
    ask();
    io_uring_cqe* completion = nullptr;
    const int result = spins_ ? io_uring_submit_and_get_events(&ring_->ring)
                              : io_uring_submit_and_wait(&ring_->ring, 1);
    if (result < 0) return false;
    while (io_uring_peek_cqe(&ring_->ring, &completion) == 0) {
      const auto what = io_uring_cqe_get_data64(completion);
      const int count = completion->res;
      io_uring_cqe_seen(&ring_->ring, completion);
      if (what == kSend) {
        if (count != static_cast<int>(out_.size())) return false;
        continue;
      }
      asked_ = false;
      if (count <= 0) return ended();
      received_ += static_cast<std::size_t>(count);
    }
    if (received_ < bytes_in_) return !spins_ && !ended_ ? receive() : false;
    received_ -= bytes_in_;
    return true;
  }

 private:
  static constexpr std::uint64_t kSend = 1;
  static constexpr std::uint64_t kReceive = 2;

  io_uring_sqe* entry() {
    if (ring_ == nullptr) ring_ = std::make_unique<Ring>();
    io_uring_sqe* const one = io_uring_get_sqe(&ring_->ring);
    if (one == nullptr) std::abort();
    return one;
  }
  void ask() {
    if (asked_ || ended_) return;
    io_uring_sqe* const one = entry();
    io_uring_prep_recv(one, socket_, in_.data(), in_.size(), 0);
    io_uring_sqe_set_data64(one, kReceive);
    asked_ = true;
  }
  bool ended() {
    ended_ = true;
    return false;
  }

  int socket_;
  bool spins_;
  std::size_t bytes_in_;
  std::string out_;
  std::string in_ = std::string(65'536, '\0');
  std::size_t received_ = 0;
  bool asked_ = false;
  bool ended_ = false;
  std::unique_ptr<Ring> ring_;
};

class UringSubject final : public Subject {
 public:
  [[nodiscard]] std::string name() const override { return "bare io_uring"; }
  ContestantPtr round_trip(const TradeJob& job) override {
    const WireSizes sizes = wire_sizes(job.traffic);
    return two_sided(BareRoundTrip<BarePair<UringEnd>>{std::make_unique<BarePair<UringEnd>>(
                         job.mode, sizes.order, sizes.report)},
                     1);
  }
};

}  // namespace

std::unique_ptr<Subject> make_uring_subject() {
  io_uring ring{};
  if (io_uring_queue_init(kEntries, &ring, kFlags) < 0) return nullptr;
  io_uring_queue_exit(&ring);
  return std::make_unique<UringSubject>();
}

}  // namespace nexusfix::bench
