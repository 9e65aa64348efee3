// Which instruction set the parser's kernels use on this machine.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix::wire {

// Why NEXUSFIX_FORCE_ISA cannot be used.
enum class IsaErrorCode : std::uint8_t {
  Unknown,      // NEXUSFIX_FORCE_ISA is not the name of a kernel of this build
  Unsupported,  // a kernel of this build, but this CPU cannot run it
};

// The value of NEXUSFIX_FORCE_ISA cannot be used.
struct IsaError {
  IsaErrorCode code = IsaErrorCode::Unknown;  // the reason
};

// The kernel chosen on first use, for the rest of the process: the one that the environment
// variable NEXUSFIX_FORCE_ISA names ("avx512", "scalar", ...), or without it the best one that the
// CPU supports. An error means that the value of the variable cannot be used. Parsing then uses the
// scalar kernel, and an engine should refuse to start. Any thread.
[[nodiscard]] std::expected<std::string_view, IsaError> selected_isa() noexcept;

// The possible values of NEXUSFIX_FORCE_ISA in this build, best first, separated by ", ".
[[nodiscard]] std::string_view known_isas() noexcept;

}  // namespace nexusfix::wire
