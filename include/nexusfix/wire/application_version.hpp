// The versions that an ApplVerID names.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace nexusfix::wire {

// As configurations write them; the first one is ApplVerID's "2". Values: FIX 5.0 SP2, field 1128.
inline constexpr std::array<std::string_view, 8> kApplicationVersions{
    "FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4", "FIX.5.0", "FIX.5.0SP1", "FIX.5.0SP2"};
inline constexpr char kFirstApplVerID = '2';

// The version that an ApplVerID (1128) or DefaultApplVerID (1137) means: "9" is "FIX.5.0SP2". Empty
// if it means none.
[[nodiscard]] constexpr std::string_view application_version(
    std::string_view appl_ver_id) noexcept {
  if (appl_ver_id.size() != 1 || appl_ver_id[0] < kFirstApplVerID) return {};
  const auto at = static_cast<std::size_t>(appl_ver_id[0] - kFirstApplVerID);
  return at < kApplicationVersions.size() ? kApplicationVersions[at] : std::string_view{};
}

// The other way round: '9' for "FIX.5.0SP2"; 0 for what is no application version.
[[nodiscard]] constexpr char appl_ver_id(std::string_view application) noexcept {
  for (std::size_t i = 0; i < kApplicationVersions.size(); ++i) {
    if (kApplicationVersions[i] == application) return static_cast<char>(kFirstApplVerID + i);
  }
  return 0;
}

}  // namespace nexusfix::wire
