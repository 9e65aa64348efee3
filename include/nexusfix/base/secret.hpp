// Bytes that are overwritten as soon as nobody needs them: what a process no longer has, nobody
// finds in its memory, its swap or its core dump.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

// Overwrites them with zeros, which no compiler leaves out. No allocation, no system call.
void wipe_bytes(std::span<char> bytes) noexcept;
// The same of 32 KiB of stack below the caller's, and of the vector registers: functions that have
// returned leave in both what they had at hand, up to 64 bytes of a message at a time, and a core
// dump has the registers even if it has no memory.
void wipe_traces() noexcept;

// A password on its way to whoever checks it. Its bytes are never within the object, as a short
// std::string's are: what is moved leaves none behind. Overwritten when it ends. One thread at a
// time; allocates when it is made.
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

  // Never null: libraries in C take no bytes from a null pointer, not even none.
  [[nodiscard]] std::string_view view() const noexcept {
    return bytes_.empty() ? std::string_view{""} : std::string_view{bytes_.data(), bytes_.size()};
  }
  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
  void wipe() noexcept {
    wipe_bytes(bytes_);
    bytes_.clear();
  }

 private:
  std::vector<char> bytes_;  // is not written to, and so never moves
};

// Overwrites bytes that somebody else holds at the end of a block, however it is left, and what the
// block's calls have left on the stack. Of no bytes: does nothing.
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
