// A message that stays: its bytes and its index, copied out of the receive buffer.
#pragma once

#include <cstddef>
#include <expected>
#include <memory_resource>

#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::wire {

// The resource had no more, by whatever rule it has: Arena's bytes_max, null_memory_resource().
struct OutOfMemory {
  std::size_t bytes = 0;  // that were asked for
};

// Owns one piece of memory from a std::pmr::memory_resource, which must outlive it. Movable, not
// copyable; one that was moved from has no fields. One thread at a time; its view may be read by
// any number of threads while it is neither assigned to nor destroyed. Nothing throws or allocates.
class OwnedMessage {
 public:
  OwnedMessage() = default;
  OwnedMessage(OwnedMessage&& other) noexcept;
  OwnedMessage& operator=(OwnedMessage&& other) noexcept;
  ~OwnedMessage();

  // What the message that was copied answers, this one answers. Valid until this object is assigned
  // to or destroyed; moving it leaves views valid.
  [[nodiscard]] MessageView view() const noexcept;
  [[nodiscard]] operator MessageView() const noexcept { return view(); }  // NOLINT: implicit

 private:
  struct Contents;
  friend std::expected<OwnedMessage, OutOfMemory> to_owned(
      const MessageView& message, std::pmr::memory_resource& resource) noexcept;

  OwnedMessage(Contents* contents, std::pmr::memory_resource& resource) noexcept
      : contents_{contents}, resource_{&resource} {}

  Contents* contents_ = nullptr;
  std::pmr::memory_resource* resource_ = nullptr;
};

// Copies a message, in one piece of memory: the message's bytes, 10 for each of its fields, and
// some hundred. Of a view without fields, too. Arena is the resource to take: allocation-free in
// steady state. O(bytes + fields).
[[nodiscard]] std::expected<OwnedMessage, OutOfMemory> to_owned(
    const MessageView& message, std::pmr::memory_resource& resource) noexcept;

}  // namespace nexusfix::wire
