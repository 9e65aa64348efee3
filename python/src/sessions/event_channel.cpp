#include "python/src/sessions/event_channel.hpp"

#include <cerrno>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace nexusfix::python {
namespace {

// A longer text is allocated: it would use up the ring.
constexpr std::size_t kNearBytesMax = std::size_t{64} << 10U;

}  // namespace

EventChannel::EventChannel() : descriptor_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)} {
  if (descriptor_ < 0) throw std::system_error{errno, std::generic_category(), "eventfd"};
}

EventChannel::~EventChannel() {
  while (const auto record = ring_.read()) static_cast<void>(event_of(*record));  // long texts
  ::close(descriptor_);
}

bool EventChannel::try_push(const EventHeader& header, std::string_view text) {
  const bool is_far = text.size() > kNearBytesMax;
  const auto room = ring_.claim(sizeof(Prefix) + (is_far ? 0 : text.size()));
  if (!room) return false;
  Prefix prefix{.header = header};
  if (is_far) prefix.far = new std::string{text};
  std::memcpy(room->data(), &prefix, sizeof(prefix));
  if (!is_far && !text.empty()) {
    std::memcpy(room->data() + sizeof(prefix), text.data(), text.size());
  }
  ring_.commit(room->size());
  return true;
}

EventChannel::Event EventChannel::event_of(std::span<const std::byte> record) noexcept {
  Prefix prefix;
  std::memcpy(&prefix, record.data(), sizeof(prefix));
  if (prefix.far != nullptr) return {prefix.header, *prefix.far, Far{prefix.far}};
  const std::span<const std::byte> text = record.subspan(sizeof(prefix));
  // A record is bytes that try_push() has copied from chars.
  return {prefix.header, {reinterpret_cast<const char*>(text.data()), text.size()}, nullptr};
}

void EventChannel::push(const EventHeader& header, std::string_view text) {
  if (!waiting_.empty()) flush();
  if (waiting_.empty() && try_push(header, text)) return wake();
  waiting_.emplace_back(header, text);
  has_waiting_.store(true, std::memory_order_relaxed);
}

void EventChannel::flush() {
  if (waiting_.empty()) return;
  while (!waiting_.empty() && try_push(waiting_.front().first, waiting_.front().second)) {
    waiting_.pop_front();
  }
  has_waiting_.store(!waiting_.empty(), std::memory_order_relaxed);
  wake();
}

void EventChannel::wake() noexcept {
  // Pairs with the fence in arm(): either this thread sees that the consumer is about to wait, or
  // the consumer sees the record.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!is_armed_.load(std::memory_order_relaxed)) return;
  is_armed_.store(false, std::memory_order_relaxed);
  const std::uint64_t one = 1;
  static_cast<void>(::write(descriptor_, &one, sizeof(one)));  // It fails only when it is readable.
}

void EventChannel::clear_descriptor() noexcept {
  std::uint64_t count = 0;
  static_cast<void>(::read(descriptor_, &count, sizeof(count)));
}

bool EventChannel::arm() noexcept {
  is_armed_.store(true, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return ring_.size_bytes() == 0;
}

}  // namespace nexusfix::python
