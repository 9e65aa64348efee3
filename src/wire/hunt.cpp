#include "wire/hunt.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

namespace nexusfix::wire {

namespace {

// The compilers' own vectors: SSE2 on x86-64 and NEON on AArch64. Every CPU of the two has them.
using Vector = unsigned char __attribute__((vector_size(16)));

constexpr std::size_t kVectorBytes = sizeof(Vector);
constexpr std::size_t kBlockBytes = 4 * kVectorBytes;

[[nodiscard]] inline Vector load(const char* at) noexcept {
  Vector vector;
  std::memcpy(&vector, at, sizeof vector);
  return vector;
}

// All bits set in the bytes at which the whole of Text begins. Every byte of Text is compared at
// every position: a filter that compares fewer is quicker on most garbage, but an attacker can make
// it slow.
template <const std::string_view& Text, std::size_t... I>
[[nodiscard]] inline auto places(const char* at, std::index_sequence<I...>) noexcept {
  return ((load(at + I) == Vector{} + static_cast<unsigned char>(Text[I])) & ...);
}

template <const std::string_view& Text>
[[nodiscard]] inline auto places(const char* at) noexcept {
  return places<Text>(at, std::make_index_sequence<Text.size()>{});
}

template <typename Places>
[[nodiscard]] inline bool is_any(const Places& places) noexcept {
  std::uint64_t halves[2];
  std::memcpy(halves, &places, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

template <const std::string_view& Text>
[[nodiscard]] std::size_t find(std::string_view bytes, std::size_t from) noexcept {
  constexpr std::size_t kReadAfter = Text.size() - 1;  // read after the last position of a block
  const char* const data = bytes.data();
  std::size_t at = from;
  while (bytes.size() - at >= kBlockBytes + kReadAfter) {
    const char* const block = data + at;
    if (is_any(places<Text>(block) | places<Text>(block + kVectorBytes) |
               places<Text>(block + 2 * kVectorBytes) | places<Text>(block + 3 * kVectorBytes))) {
      break;
    }
    at += kBlockBytes;
  }
  while (bytes.size() - at >= kVectorBytes + kReadAfter && !is_any(places<Text>(data + at))) {
    at += kVectorBytes;
  }
  for (; at < bytes.size(); ++at) {
    if (data[at] == Text.front() && Text.starts_with(bytes.substr(at, Text.size()))) break;
  }
  return at;
}

}  // namespace

std::size_t find_frame_start(std::string_view bytes, std::size_t from) noexcept {
  return find<kFrameStart>(bytes, from);
}

std::size_t find_check_sum(std::string_view bytes, std::size_t from) noexcept {
  return find<kCheckSumStart>(bytes, from);
}

}  // namespace nexusfix::wire
