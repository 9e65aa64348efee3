#include "engine/link/buffer_governor.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "engine/link/connections.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::chrono::seconds kLookEvery{1};
// The C library keeps freed memory. From this number of bytes on, it is returned to the operating
// system.
constexpr std::uint64_t kHeapGivenBackMin = 8U << 20U;

// On a thread of its own, because it takes milliseconds for each gigabyte.
void give_back_heap() {
#if defined(__GLIBC__)
  constexpr std::size_t kKeptBytes = 1U << 20U;
  try {
    std::thread{[] { static_cast<void>(::malloc_trim(kKeptBytes)); }}.detach();
  } catch (const std::system_error&) {  // The process keeps the memory, and uses it again.
  }
#endif
}

}  // namespace

std::size_t BufferGovernor::buffered(const Connection& connection) noexcept {
  std::size_t bytes = connection.outbound().storage() + connection.framing().carried().storage();
  if (const SessionEntry* const entry = connection.entry()) {
    bytes += entry->resend.queued().storage() + entry->until_logon.queued().storage() +
             entry->out_of_order.bytes();
    if (entry->outbound_limit) bytes += entry->outbound_limit->waiting.bytes();
  }
  return bytes;
}

// bytes: by how much the connection's buffers grow. storage: the size of the new allocation, which
// may exist beside the one that it replaces. False: the buffer may not grow. The connection has the
// most bytes of all and is disconnected, or its session is being aborted already.
bool BufferGovernor::may_grow(Connection& connection, std::size_t bytes, std::size_t storage) {
  BufferBudget& budget = *loop_.shared.budget;
  if (connection.entry() != nullptr && connection.entry()->abort.is_pending()) return false;
  const std::size_t own = buffered(connection) + bytes;
  while (!budget.has_room(storage)) {
    Connection* const largest = largest_connection();
    const std::size_t most = largest == nullptr ? 0 : buffered(*largest);
    if (budget.has_reserve(storage) && budget.ask_for_larger(loop_.index, std::max(most, own)))
      break;
    if (largest == nullptr || most <= own) {
      disconnect_largest(connection);
      return false;
    }
    disconnect_largest(*largest);
  }
  budget.raise_largest(loop_.index, own);
  buffered_most_ = std::max(buffered_most_, budget.used() + storage);
  has_large_buffers_ |= storage > OutboundQueue::kKeptBytesMax;
  return true;
}

// False: the connection is disconnected instead.
bool BufferGovernor::carry(Connection& connection, std::string_view bytes) {
  CarriedBytes& carried = connection.framing().carried();
  if (const std::size_t storage = carried.storage_for(bytes.size()); storage != 0) {
    if (!may_grow(connection, storage - carried.storage(), storage)) return false;
  }
  carried.append(bytes);
  return true;
}

// Null: no connection has bytes in buffers.
Connection* BufferGovernor::largest_connection() {
  Connection* largest = nullptr;
  std::size_t most = 0;
  for (const auto& [socket, connection] : connections_.table()) {
    if (connection->entry() != nullptr && connection->entry()->abort.is_pending()) continue;
    const std::size_t bytes = buffered(*connection);
    if (bytes <= most) continue;
    most = bytes;
    largest = connection.get();
  }
  loop_.shared.budget->set_largest(loop_.index, most);
  return largest;
}

// Releases the connection's buffers at once, except those that are being read. The connection is
// closed at the end of the turn. Its unsent messages are stored; they are resent after its next
// Logon.
void BufferGovernor::disconnect_largest(Connection& connection) {
  const std::string why = "it has " + std::to_string(buffered(connection)) +
                          " bytes in buffers, the most of all, and all together may have " +
                          std::to_string(loop_.shared.budget->bytes_max()) + " (MaxBufferedBytes)";
  SessionEntry* const entry = connection.entry();
  if (entry == nullptr) {
    connections_.refuse(connection, EventId::BufferLimitReached, why);
    if (!connection.is_receiving()) connection.framing().carried().clear();
    return;
  }
  const bool is_in_use = entry->progress.is_acting() || connection.is_receiving();
  abort_session(loop_, *entry, "disconnected: " + why);
  connection.outbound().release();
  entry->out_of_order.clear();
  entry->resend.abort();
  if (is_in_use) return;
  connection.framing().carried().clear();
  entry->resend.queued().release();
  entry->until_logon.queued().release();
}

// Another loop asks if all its connections are smaller than the largest one of this loop.
void BufferGovernor::cut_if_asked() {
  if (!loop_.shared.budget->consume_request(loop_.index)) [[likely]]
    return;
  Connection* const largest = largest_connection();
  if (largest != nullptr && !loop_.shared.budget->has_room(0)) disconnect_largest(*largest);
}

bool BufferGovernor::check() {
  cut_if_asked();
  if (loop_.now().mono < check_at_) [[likely]]
    return false;
  check_at_ = loop_.now().mono + kLookEvery;
  if (std::exchange(has_large_buffers_, false)) {
    for (const auto& [socket, connection] : connections_.table()) {
      has_large_buffers_ |= connection->outbound().give_back();
      if (connection->entry() == nullptr) continue;
      has_large_buffers_ |= connection->entry()->resend.queued().give_back();
      has_large_buffers_ |= connection->entry()->until_logon.queued().give_back();
    }
    loop_.wake_at(check_at_);
    static_cast<void>(largest_connection());
  }
  const std::uint64_t used = loop_.shared.budget->used();
  if (buffered_most_ < used + kHeapGivenBackMin) return true;
  buffered_most_ = used;
  if (!keeps_heap_ && loop_.disk->takes_threads()) give_back_heap();
  return true;
}

}  // namespace nexusfix::engine
