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
// The same for 32 KiB of stack below the caller's frame, and for the vector registers: functions
// leave up to 64 bytes of a message in both when they return, and a core dump has the registers
// even if it has no memory.
void wipe_traces() noexcept;

// A password on its way to its check. Its bytes are never inside the object, unlike those of a
// short std::string, so a move leaves no copy of them. The destructor overwrites them. One
// thread at a time; allocates when it is made.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string_view text) : bytes_(text.begin(), text.end()) {}
  Secret(Secret&& other) noexcept : bytes_{std::exchange(other.bytes_, {})} {}
  Secret& operator=(Secret&& other) noexcept {
    bytes_.swap(other.bytes_);
    other.wipe();
    return *this;
  }
  ~Secret() { wipe(); }

  // Never null, because libraries in C accept no null pointer, even for zero bytes.
  [[nodiscard]] std::string_view view() const noexcept {
    return bytes_.empty() ? std::string_view{""} : std::string_view{bytes_.data(), bytes_.size()};
  }
  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
  void wipe() noexcept {
    wipe_bytes(bytes_);
    bytes_.clear();
  }

 private:
  std::vector<char> bytes_;  // never written to, and so never reallocated
};

// Overwrites the given bytes, which another object owns, at the end of a block, however the block
// is left, and also the traces of the block's calls on the stack. Does nothing for zero bytes.
class WipedAtEnd {
 public:
  explicit WipedAtEnd(std::span<char> bytes) noexcept : bytes_{bytes} {}
  WipedAtEnd(const WipedAtEnd&) = delete;
  WipedAtEnd& operator=(const WipedAtEnd&) = delete;
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
