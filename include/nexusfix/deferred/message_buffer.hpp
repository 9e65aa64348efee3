// One message, with the time at which it was submitted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>

#include <nexusfix/base/time.hpp>
#include <nexusfix/deferred/cache_line.hpp>

namespace nexusfix::deferred {

// Room for at most BytesMax bytes, of any content. One thread at a time; nothing allocates.
template <std::size_t BytesMax>
class alignas(kCacheLineBytes) MessageBuffer {
  static_assert(BytesMax > 0 && BytesMax <= std::numeric_limits<std::uint32_t>::max());

 public:
  static constexpr std::size_t kBytesMax = BytesMax;  // the longest message, in bytes

  // Leaves the bytes uninitialised: with "= default", value-initialisation would zero them.
  MessageBuffer() noexcept {}

  // Copies only the bytes in use.
  MessageBuffer(const MessageBuffer& other) noexcept { *this = other; }
  // Copies only the bytes in use.
  MessageBuffer& operator=(const MessageBuffer& other) noexcept {
    time_ = other.time_;
    size_ = other.size_;
    std::memmove(bytes_, other.bytes_, size_);  // Both may be the same object.
    return *this;
  }

  // Copies a message. False, without a change, if it has more than BytesMax bytes: nothing is ever
  // truncated.
  [[nodiscard]] bool assign(std::string_view bytes, WallTime time) noexcept {
    if (bytes.size() > BytesMax) [[unlikely]]
      return false;
    time_ = time;
    size_ = static_cast<std::uint32_t>(bytes.size());
    // An empty view may have a null pointer, which memcpy must not see.
    if (!bytes.empty()) std::memcpy(bytes_, bytes.data(), bytes.size());
    return true;
  }

  // The message. Valid until the buffer is assigned to or destroyed.
  [[nodiscard]] std::span<const char> span() const noexcept { return {bytes_, size_}; }
  // The bytes as text.
  [[nodiscard]] std::string_view bytes() const noexcept { return {bytes_, size_}; }
  // The time that assign() got; 0 before it is called.
  [[nodiscard]] WallTime time() const noexcept { return time_; }
  // The number of bytes from the object's first byte to the last byte of the message. The bytes
  // after it are never read: in a DeferredProcessor the next message begins there.
  [[nodiscard]] std::size_t used_bytes() const noexcept { return kHeaderBytes + size_; }

 private:
  static constexpr std::size_t kCopyAlignmentBytes = 32;
  static constexpr std::size_t kHeaderBytes = kCopyAlignmentBytes;
  static_assert(kHeaderBytes >= sizeof(WallTime) + sizeof(std::uint32_t));

  WallTime time_{};
  std::uint32_t size_ = 0;
  // Aligned, so that no move of this width crosses a cache line.
  alignas(kCopyAlignmentBytes) char bytes_[BytesMax];
};

}  // namespace nexusfix::deferred
