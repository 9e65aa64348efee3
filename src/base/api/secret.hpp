// Bytes that are overwritten as soon as they are no longer needed, so that they cannot be found in
// the memory, the swap or the core dump of a process.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

// Overwrites the bytes with zeros. No compiler removes these stores. No allocation, no system call.
void wipe_bytes(std::span<char> bytes) noexcept;
// Overwrites 32 KiB of stack below the caller's frame, and the vector registers. Functions leave up
// to 64 bytes of a message in both when they return, and a core dump has the registers even if it
// has no memory.
void wipe_traces() noexcept;

// A password on its way to its check. The destructor overwrites its bytes. They are never inside
// the object, unlike those of a short std::string, so a move leaves no copy of them. Not copyable.
// One thread at a time.
class Secret {
 public:
  // Empty.
  Secret() = default;
  // A copy of text. Allocates. The caller overwrites text.
  explicit Secret(std::string_view text) : bytes_(text.begin(), text.end()) {}
  // Takes the bytes; other is empty afterwards.
  Secret(Secret&& other) noexcept : bytes_{std::exchange(other.bytes_, {})} {}
  // Takes the bytes and overwrites the old ones; other is empty afterwards.
  Secret& operator=(Secret&& other) noexcept {
    bytes_.swap(other.bytes_);
    other.wipe();
    return *this;
  }
  // Overwrites the bytes.
  ~Secret() { wipe(); }

  // The bytes. Valid until this object is changed, moved from or destroyed. Its pointer is never
  // null, because libraries in C accept no null pointer, even for zero bytes.
  [[nodiscard]] std::string_view view() const noexcept {
    return bytes_.empty() ? std::string_view{""} : std::string_view{bytes_.data(), bytes_.size()};
  }
  // Whether there are no bytes.
  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
  // Overwrites the bytes; empty afterwards.
  void wipe() noexcept {
    wipe_bytes(bytes_);
    bytes_.clear();
  }

 private:
  std::vector<char> bytes_;  // never written to, and so never reallocated
};

// Overwrites bytes that another object owns at the end of a block, also after an exception, and the
// traces of the block's calls on the stack. Does nothing for zero bytes.
class WipedAtEnd {
 public:
  // bytes must stay valid until the end of the block.
  explicit WipedAtEnd(std::span<char> bytes) noexcept : bytes_{bytes} {}
  WipedAtEnd(const WipedAtEnd&) = delete;
  WipedAtEnd& operator=(const WipedAtEnd&) = delete;
  // Overwrites the bytes and the traces.
  ~WipedAtEnd() {
    if (bytes_.empty()) [[likely]]
      return;
    wipe_bytes(bytes_);
    wipe_traces();
  }

 private:
  std::span<char> bytes_;
};

}  // namespace nexusfix
