#include "gateway/ring/gateway_ring.hpp"

#include <atomic>
#include <cstring>
#include <utility>

#include "gateway/ring/futex.hpp"

namespace nexusfix::gateway {
namespace {

// The memory of another process can change while it is read: the compiler must neither read it
// twice nor read it again later.
void copy_once(char* to, std::string_view from) noexcept {
  std::memcpy(to, from.data(), from.size());
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

}  // namespace

std::expected<std::unique_ptr<GatewayRing>, RingError> GatewayRing::create(
    const RingFileOptions& options) {
  auto file = RingFile::create(options);
  if (!file) return std::unexpected{file.error()};
  return std::unique_ptr<GatewayRing>{new GatewayRing{std::move(*file)}};
}

GatewayRing::GatewayRing(std::unique_ptr<RingFile> file)
    : file_{std::move(file)},
      reader_{place_in(*file_, Direction::ToGateway)},
      writer_{place_in(*file_, Direction::ToClient)},
      frame_(file_->geometry().frame_bytes_max) {}

GatewayRing::~GatewayRing() { close(RingFault::None); }

std::string_view GatewayRing::read() noexcept {
  if (is_closed_) [[unlikely]]
    return {};
  const std::string_view shared = reader_.read();
  if (shared.empty()) {
    if (reader_.fault() != RingFault::None) [[unlikely]]
      close(reader_.fault());
    else if (file_->failed()) [[unlikely]]
      close(RingFault::Truncated);
    return {};
  }
  copy_once(frame_.data(), shared);
  // After the copy: a page that the file lost has become one of zeros.
  if (file_->failed()) [[unlikely]] {
    close(RingFault::Truncated);
    return {};
  }
  if (!is_attached_) [[unlikely]] {
    is_attached_ = true;
    file_->remove_name();
  }
  return {frame_.data(), shared.size()};
}

Written GatewayRing::write(std::string_view first, std::string_view second) noexcept {
  if (is_closed_) [[unlikely]]
    return Written::Fault;
  const Written written = writer_.write(first, second);
  if (written == Written::Fault) [[unlikely]]
    close(RingFault::Head);
  if (file_->failed()) [[unlikely]] {
    close(RingFault::Truncated);
    return Written::Fault;
  }
  return written;
}

bool GatewayRing::wake_client() noexcept {
  const Sleeps sleeps = writer_.take_sleeper();
  if (sleeps == Sleeps::Futex) wake_by_futex(writer_.place().words->sleeps);
  return sleeps == Sleeps::Socket;
}

bool GatewayRing::begin_sleep() noexcept {
  return is_closed_ || reader_.begin_sleep(Sleeps::Socket);
}

void GatewayRing::close(RingFault reason) noexcept {
  if (std::exchange(is_closed_, true)) return;
  fault_ = reason;
  RingHeader& header = file_->header();
  std::atomic_ref{header.close_reason}.store(static_cast<std::uint32_t>(reason),
                                             std::memory_order_relaxed);
  // Release pairs with the acquire in ClientRing::is_closed(): the reason is there before.
  std::atomic_ref{header.state}.store(static_cast<std::uint32_t>(GatewayState::Closed),
                                      std::memory_order_release);
  // A client that waits by the socket sees that it is closed.
  std::atomic_ref{writer_.place().words->sleeps}.exchange(0, std::memory_order_seq_cst);
  wake_by_futex(writer_.place().words->sleeps);
  file_->remove_name();
}

}  // namespace nexusfix::gateway
