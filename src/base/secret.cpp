#include "base/api/secret.hpp"

#include <cstddef>

namespace nexusfix {
namespace {

// No caller needs them after a call (System V ABI, sec. 3.2.1). On other machines they stay.
void wipe_vector_registers() noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) {
    // clang-format off
    asm volatile(
        "vpxorq %zmm16, %zmm16, %zmm16\n vpxorq %zmm17, %zmm17, %zmm17\n"
        "vpxorq %zmm18, %zmm18, %zmm18\n vpxorq %zmm19, %zmm19, %zmm19\n"
        "vpxorq %zmm20, %zmm20, %zmm20\n vpxorq %zmm21, %zmm21, %zmm21\n"
        "vpxorq %zmm22, %zmm22, %zmm22\n vpxorq %zmm23, %zmm23, %zmm23\n"
        "vpxorq %zmm24, %zmm24, %zmm24\n vpxorq %zmm25, %zmm25, %zmm25\n"
        "vpxorq %zmm26, %zmm26, %zmm26\n vpxorq %zmm27, %zmm27, %zmm27\n"
        "vpxorq %zmm28, %zmm28, %zmm28\n vpxorq %zmm29, %zmm29, %zmm29\n"
        "vpxorq %zmm30, %zmm30, %zmm30\n vpxorq %zmm31, %zmm31, %zmm31\n");
    // clang-format on
  }
  if (__builtin_cpu_supports("avx") != 0) {
    asm volatile("vzeroall" ::
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  }
#endif
}

}  // namespace

void wipe_bytes(std::span<char> bytes) noexcept {
  if (!bytes.empty()) ::explicit_bzero(bytes.data(), bytes.size());
}

// Not inlined, because its frame must be where the frames of the returned functions were.
[[gnu::noinline]] void wipe_traces() noexcept {
  constexpr std::size_t kBytes = std::size_t{32} << 10U;
  char bytes[kBytes];
  ::explicit_bzero(bytes, sizeof bytes);
  wipe_vector_registers();
}

}  // namespace nexusfix
