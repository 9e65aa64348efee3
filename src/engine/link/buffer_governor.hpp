// Bounds the bytes that all connections and their sessions have in buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nexusfix/base/clock.hpp>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

class Connections;

class BufferGovernor {
 public:
  BufferGovernor(LoopContext& loop, Connections& connections) noexcept
      : loop_{loop}, connections_{connections} {}

  [[nodiscard]] bool may_grow(Connection& connection, std::size_t bytes, std::size_t storage);
  // False: the connection is disconnected instead.
  [[nodiscard]] bool push(Connection& connection, OutboundQueue& queue, std::string_view bytes) {
    if (const std::size_t storage = queue.storage_for(bytes.size()); storage != 0) {
      if (!may_grow(connection, storage - queue.storage(), storage)) return false;
      queue.grow(storage);
    }
    queue.add(bytes);
    return true;
  }
  [[nodiscard]] bool carry(Connection& connection, std::string_view bytes);
  // Once a second, releases storage that is not used. True: a second has passed since the last
  // time.
  bool check();

  // LockMemory: no memory is returned to the operating system.
  void keep_heap(bool keeps) noexcept { keeps_heap_ = keeps; }

 private:
  [[nodiscard]] static std::size_t buffered(const Connection& connection) noexcept;
  [[nodiscard]] Connection* largest_connection();
  void disconnect_largest(Connection& connection);
  void cut_if_asked();

  LoopContext& loop_;
  Connections& connections_;

  bool has_large_buffers_ = false;  // or may have: they release it when they are empty
  MonoTime check_at_ = MonoTime::min();
  std::uint64_t buffered_most_ = 0;  // maximum since the heap was trimmed
  bool keeps_heap_ = false;          // LockMemory
};

}  // namespace nexusfix::engine
