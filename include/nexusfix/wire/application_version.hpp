// The versions that an ApplVerID can name.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix::wire {

// The names as configurations write them. The first one is ApplVerID "2". Values: FIX 5.0 SP2,
// field 1128.
inline constexpr std::array<std::string_view, 8> kApplicationVersions{
    "FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4", "FIX.5.0", "FIX.5.0SP1", "FIX.5.0SP2"};
// The ApplVerID of the first of kApplicationVersions.
inline constexpr char kFirstApplVerID = '2';
// The ApplVerID of the last of kApplicationVersions: '9'.
inline constexpr char kLastApplVerID =
    static_cast<char>(kFirstApplVerID + kApplicationVersions.size() - 1);

// The version that an ApplVerID (1128) or DefaultApplVerID (1137) selects, as one digit: '2' to
// '9'. "10" is FIX Latest, which is FIX 5.0 SP2 with all extension packs; it selects the newest
// version here, as does any later version of two digits. 0: no version.
[[nodiscard]] constexpr char known_appl_ver_id(std::string_view appl_ver_id) noexcept {
  const auto is_digit = [](char c, char from) { return c >= from && c <= '9'; };
  if (appl_ver_id.size() == 1 && is_digit(appl_ver_id[0], kFirstApplVerID)) return appl_ver_id[0];
  const bool is_later =
      appl_ver_id.size() == 2 && is_digit(appl_ver_id[0], '1') && is_digit(appl_ver_id[1], '0');
  return is_later ? kLastApplVerID : '\0';
}

// The version that an ApplVerID or DefaultApplVerID selects: "FIX.5.0SP2" for "9" and for "10".
// Empty: no version.
[[nodiscard]] constexpr std::string_view application_version(
    std::string_view appl_ver_id) noexcept {
  const char known = known_appl_ver_id(appl_ver_id);
  if (known == 0) return {};
  return kApplicationVersions[static_cast<std::size_t>(known - kFirstApplVerID)];
}

// The reverse: '9' for "FIX.5.0SP2"; 0 for a text that is not an application version.
[[nodiscard]] constexpr char appl_ver_id(std::string_view application) noexcept {
  for (std::size_t i = 0; i < kApplicationVersions.size(); ++i) {
    if (kApplicationVersions[i] == application) return static_cast<char>(kFirstApplVerID + i);
  }
  return 0;
}

// The name of a version with its ApplVerID, by which it is compared.
struct NamedVersion {
  std::string_view name;  // such as "FIX.4.4"; static lifetime
  char appl_ver_id = 0;   // 0: no ApplVerID selects it
};

// The version of this name, which must have static lifetime.
[[nodiscard]] constexpr NamedVersion named_version(std::string_view name) noexcept {
  return {name, appl_ver_id(name)};
}

}  // namespace nexusfix::wire
