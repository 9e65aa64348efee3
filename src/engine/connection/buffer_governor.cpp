#include "engine/connection/buffer_governor.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "engine/connection/connections.hpp"
#include "engine/sessions/out_of_order_queue.hpp"
#include "engine/sessions/transactor.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::chrono::seconds kLookEvery{1};
// What a resend may have unsent, so that a slow reader costs no memory. Less where MaxBufferedBytes
// is small or used up.
constexpr std::size_t kReplayUnsentBytesMax = 1U << 20U;
// The C library keeps what was freed. So much of it is given back to the operating system.
constexpr std::uint64_t kHeapGivenBackMin = 8U << 20U;

// A resend, which could wait, is no reason to cut anybody.
constexpr std::size_t kReplayBytesWhenScarce = 64U << 10U;

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

std::size_t BufferGovernor::buffered(const Connection& connection) noexcept {
  std::size_t bytes = connection.outbound.storage() + connection.framing.carried.storage();
  if (const SessionEntry* const entry = connection.entry) {
    bytes += entry->resend.queued.storage() + entry->until_logon.queued.storage() +
             entry->out_of_order.bytes;
  }
  return bytes;
}

// bytes: what the connection has more, then; storage: what is allocated for it, perhaps beside what
// it replaces. False: it may not have it, because it has most of all, and is cut.
bool BufferGovernor::may_grow(Connection& connection, std::size_t bytes, std::size_t storage) {
  BufferBudget& budget = *loop_.budget;
  if (connection.entry != nullptr && connection.entry->abort.is_pending) return false;
  const std::size_t own = buffered(connection) + bytes;
  while (!budget.has_room(storage)) {
    Connection* const largest = largest_connection();
    const std::size_t most = largest == nullptr ? 0 : buffered(*largest);
    if (budget.has_reserve(storage) && budget.ask_for_larger(loop_.index, std::max(most, own)))
      break;
    if (largest == nullptr || most <= own) {
      cut_largest(connection);
      return false;
    }
    cut_largest(*largest);
  }
  budget.note_large(loop_.index, own);
  buffered_most_ = std::max(buffered_most_, budget.used() + storage);
  has_large_buffers_ |= storage > OutboundQueue::kKeptBytesMax;
  return true;
}

// What a resend may have unsent, and adds in one turn.
std::size_t BufferGovernor::replay_bytes_max() const noexcept {
  const BufferBudget& budget = *loop_.budget;
  const bool is_scarce = budget.used() > budget.bytes_max() / 4 * 3;
  const std::uint64_t share = budget.bytes_max() / 16;
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(share, is_scarce ? kReplayBytesWhenScarce : kReplayUnsentBytesMax));
}

// False: the connection is cut instead.
bool BufferGovernor::carry(Connection& connection, std::string_view bytes, std::size_t needed) {
  CarriedBytes& carried = connection.framing.carried;
  if (const std::size_t storage = carried.storage_for(bytes.size(), needed); storage != 0) {
    if (!may_grow(connection, storage - carried.storage(), storage)) return false;
  }
  carried.append(bytes, needed);
  return true;
}

// Null: none has anything.
Connection* BufferGovernor::largest_connection() {
  Connection* largest = nullptr;
  std::size_t most = 0;
  for (const auto& [socket, connection] : connections_.table()) {
    if (connection->entry != nullptr && connection->entry->abort.is_pending) continue;
    const std::size_t bytes = buffered(*connection);
    if (bytes <= most) continue;
    most = bytes;
    largest = connection.get();
  }
  loop_.budget->set_largest(loop_.index, most);
  return largest;
}

// What it has is given back at once, but for what is being read. It is closed at the end of the
// turn: what waited for it is stored, and sent after its next Logon.
void BufferGovernor::cut_largest(Connection& connection) {
  const std::string why = "it has " + std::to_string(buffered(connection)) +
                          " bytes in buffers, the most of all, and all together may have " +
                          std::to_string(loop_.budget->bytes_max()) + " (MaxBufferedBytes)";
  SessionEntry* const entry = connection.entry;
  if (entry == nullptr) return connections_.refuse(connection, EventId::BufferLimitReached, why);
  const bool is_in_use = entry->acting || connection.is_receiving;
  entry->abort.reason = "disconnected: " + why;
  transactor_.abort_session(*entry);
  connection.outbound.release();
  OutOfOrderQueue::forget_out_of_order(*entry);
  entry->resend.cursor.reset();
  if (is_in_use) return;
  connection.framing.carried.clear();
  entry->resend.queued.release();
  entry->until_logon.queued.release();
}

// By another loop, whose connections are all smaller than this one's largest was.
void BufferGovernor::cut_if_asked() {
  if (!loop_.budget->take_asked(loop_.index)) [[likely]]
    return;
  Connection* const largest = largest_connection();
  if (largest != nullptr && !loop_.budget->has_room(0)) cut_largest(*largest);
}

bool BufferGovernor::check() {
  cut_if_asked();
  if (loop_.now().mono < check_at_) [[likely]]
    return false;
  check_at_ = loop_.now().mono + kLookEvery;
  if (std::exchange(has_large_buffers_, false)) {
    for (const auto& [socket, connection] : connections_.table()) {
      has_large_buffers_ |= connection->outbound.give_back();
      if (connection->entry == nullptr) continue;
      has_large_buffers_ |= connection->entry->resend.queued.give_back();
      has_large_buffers_ |= connection->entry->until_logon.queued.give_back();
    }
    loop_.wake_at(check_at_);
    static_cast<void>(largest_connection());
  }
  const std::uint64_t used = loop_.budget->used();
  if (buffered_most_ < used + kHeapGivenBackMin) return true;
  buffered_most_ = used;
  if (!keeps_heap_ && loop_.disk->takes_threads()) give_back_heap();
  return true;
}

}  // namespace nexusfix::engine
