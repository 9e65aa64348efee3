// Which instruction set the parser's kernels use on this machine.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix::wire {

enum class IsaErrorCode : std::uint8_t {
  Unknown,      // NEXUSFIX_FORCE_ISA is not the name of a kernel of this build
  Unsupported,  // it is, but this CPU cannot run it
};

struct IsaError {
  IsaErrorCode code = IsaErrorCode::Unknown;
};

// The kernel chosen on first use, for the rest of the process: the one that the environment
// variable NEXUSFIX_FORCE_ISA names ("avx512", "scalar", ...), or if that is not set the best that
// the CPU reports. An error means that the variable's value cannot be honoured; parsing then works
// with the scalar kernel, and whoever starts an engine should refuse to. Any thread.
[[nodiscard]] std::expected<std::string_view, IsaError> selected_isa() noexcept;

// The names that NEXUSFIX_FORCE_ISA may have in this build, best first, separated by ", ".
[[nodiscard]] std::string_view known_isas() noexcept;

}  // namespace nexusfix::wire
