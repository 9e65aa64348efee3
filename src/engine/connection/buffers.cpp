// What connections and their sessions have in buffers: bounded for each of them by keys of its own,
// and here for all of them together.
#include <algorithm>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "engine/loop/event_loop.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::chrono::seconds kLookEvery{1};
// What a loop's own buffers keep of a callback or a resend that was larger than usual.
constexpr std::size_t kScratchBytesMax = 4U << 20U;
// The C library keeps what was freed. So much of it is given back to the operating system.
constexpr std::uint64_t kHeapGivenBackMin = 8U << 20U;

// A resend, which could wait, is no reason to cut anybody.
constexpr std::size_t kReplayBytesWhenScarce = 64U << 10U;

void give_back(std::string& scratch) {
  if (scratch.empty() && scratch.capacity() > kScratchBytesMax) std::string{}.swap(scratch);
}

// On a thread of its own, because it takes milliseconds for each gigabyte.
void give_back_heap() {
#if defined(__GLIBC__)
  constexpr std::size_t kKeptBytes = 1U << 20U;
  try {
    std::thread{[] { static_cast<void>(::malloc_trim(kKeptBytes)); }}.detach();
  } catch (const std::system_error&) {  // It will be used again.
  }
#endif
}

}  // namespace

std::size_t EventLoop::buffered(const Connection& connection) noexcept {
  std::size_t bytes = connection.outbound.storage() + connection.carried.storage();
  if (const SessionEntry* const entry = connection.entry) {
    bytes += entry->queued_after_resend.storage() + entry->queued_until_logon.storage() + entry->out_of_order_bytes;
  }
  return bytes;
}

// bytes: what the connection has more, then; storage: what is allocated for it, perhaps beside what
// it replaces. False: it may not have it, because it has most of all, and is cut.
bool EventLoop::may_grow(Connection& connection, std::size_t bytes, std::size_t storage) {
  BufferBudget& budget = *seams_.budget;
  if (connection.entry != nullptr && connection.entry->is_aborted) return false;
  const std::size_t own = buffered(connection) + bytes;
  while (!budget.has_room(storage)) {
    Connection* const largest = largest_connection();
    const std::size_t most = largest == nullptr ? 0 : buffered(*largest);
    if (budget.has_reserve(storage) && budget.ask_for_larger(loop(), std::max(most, own))) break;
    if (largest == nullptr || most <= own) {
      cut_largest(connection);
      return false;
    }
    cut_largest(*largest);
  }
  budget.note_large(loop(), own);
  buffered_most_ = std::max(buffered_most_, budget.used() + storage);
  has_large_buffers_ |= storage > OutboundQueue::kKeptBytesMax;
  return true;
}

// What a resend may have unsent, and adds in one turn.
std::size_t EventLoop::replay_bytes_max() const noexcept {
  const BufferBudget& budget = *seams_.budget;
  const bool is_scarce = budget.used() > budget.bytes_max() / 4 * 3;
  const std::uint64_t share = budget.bytes_max() / 16;
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(share, is_scarce ? kReplayBytesWhenScarce : kReplayUnsentBytesMax));
}

// False: the connection is cut instead.
bool EventLoop::carry(Connection& connection, std::string_view bytes, std::size_t needed) {
  CarriedBytes& carried = connection.carried;
  if (const std::size_t storage = carried.storage_for(bytes.size(), needed); storage != 0) {
    if (!may_grow(connection, storage - carried.storage(), storage)) return false;
  }
  carried.append(bytes, needed);
  return true;
}

// Null: none has anything.
Connection* EventLoop::largest_connection() {
  Connection* largest = nullptr;
  std::size_t most = 0;
  for (const auto& [socket, connection] : connections_) {
    if (connection->entry != nullptr && connection->entry->is_aborted) continue;
    const std::size_t bytes = buffered(*connection);
    if (bytes <= most) continue;
    most = bytes;
    largest = connection.get();
  }
  seams_.budget->set_largest(loop(), most);
  return largest;
}

// What it has is given back at once, but for what is being read. It is closed at the end of the
// turn: what waited for it is stored, and sent after its next Logon.
void EventLoop::cut_largest(Connection& connection) {
  const std::string why = "it has " + std::to_string(buffered(connection)) +
                          " bytes in buffers, the most of all, and all together may have " +
                          std::to_string(seams_.budget->bytes_max()) + " (MaxBufferedBytes)";
  SessionEntry* const entry = connection.entry;
  if (entry == nullptr) return refuse(connection, EventId::BufferLimitReached, why);
  const bool is_in_use = entry->acting || &connection == receiving_;
  entry->abort_reason = "disconnected: " + why;
  abort_session(*entry);
  connection.outbound.release();
  forget_out_of_order(*entry);
  entry->replay.reset();
  if (is_in_use) return;
  connection.carried.clear();
  entry->queued_after_resend.release();
  entry->queued_until_logon.release();
}

// By another loop, whose connections are all smaller than this one's largest was.
void EventLoop::cut_if_asked() {
  if (!seams_.budget->take_asked(loop())) [[likely]]
    return;
  Connection* const largest = largest_connection();
  if (largest != nullptr && !seams_.budget->has_room(0)) cut_largest(*largest);
}

void EventLoop::check_buffers() {
  cut_if_asked();
  if (now_.mono < buffers_at_) [[likely]]
    return;
  buffers_at_ = now_.mono + kLookEvery;
  sent_.give_back(kScratchBytesMax);
  give_back(replay_bytes_);
  transaction_.give_back(kScratchBytesMax);
  if (std::exchange(has_large_buffers_, false)) {
    for (const auto& [socket, connection] : connections_) {
      has_large_buffers_ |= connection->outbound.give_back();
      if (connection->entry == nullptr) continue;
      has_large_buffers_ |= connection->entry->queued_after_resend.give_back();
      has_large_buffers_ |= connection->entry->queued_until_logon.give_back();
    }
    wake_at(buffers_at_);
    static_cast<void>(largest_connection());
  }
  const std::uint64_t used = seams_.budget->used();
  if (buffered_most_ < used + kHeapGivenBackMin) return;
  buffered_most_ = used;
  if (!keeps_heap_ && seams_.disk->takes_threads()) give_back_heap();
}

}  // namespace nexusfix::engine
