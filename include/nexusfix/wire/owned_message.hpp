// A message that outlives the receive buffer: a copy of its bytes and its index.
#pragma once

#include <cstddef>
#include <expected>
#include <memory_resource>

#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::wire {

// The resource has no more memory, for example because of Arena's bytes_max or
// null_memory_resource().
struct OutOfMemory {
  std::size_t bytes = 0;  // of the request
};

// Owns one allocation from a std::pmr::memory_resource, which must outlive it. Movable, not
// copyable; a moved-from one has no fields. One thread at a time. Any number of threads may read
// its view while it is neither assigned to nor destroyed. Nothing throws or allocates.
class OwnedMessage {
 public:
  // A message without fields and without memory.
  OwnedMessage() = default;
  // Takes the memory of other. Its views stay valid.
  OwnedMessage(OwnedMessage&& other) noexcept;
  // Gives this message's memory back and takes that of other.
  OwnedMessage& operator=(OwnedMessage&& other) noexcept;
  // Gives the memory back to the resource.
  ~OwnedMessage();

  // A view with the same content as the copied message. Valid until this object is assigned to or
  // destroyed. Moving it leaves views valid.
  [[nodiscard]] MessageView view() const noexcept;
  // Converts as view() does.
  // NOLINTNEXTLINE(google-explicit-constructor): a function of a view takes a copy, too.
  [[nodiscard]] operator MessageView() const noexcept { return view(); }

 private:
  struct Contents;
  friend std::expected<OwnedMessage, OutOfMemory> to_owned(
      const MessageView& message, std::pmr::memory_resource& resource) noexcept;

  OwnedMessage(Contents* contents, std::pmr::memory_resource& resource) noexcept
      : contents_{contents}, resource_{&resource} {}

  Contents* contents_ = nullptr;
  std::pmr::memory_resource* resource_ = nullptr;
};

// Copies a message in one allocation: the message's bytes, 10 bytes for each of its fields, and
// some hundred more. Also copies a view without fields. With an Arena as resource, it does not
// allocate in steady state. O(bytes + fields).
[[nodiscard]] std::expected<OwnedMessage, OutOfMemory> to_owned(
    const MessageView& message, std::pmr::memory_resource& resource) noexcept;

}  // namespace nexusfix::wire
