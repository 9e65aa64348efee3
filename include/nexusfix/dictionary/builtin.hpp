// The dictionaries that are compiled into the library, so that no file is needed at run time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <nexusfix/dictionary/model.hpp>
#include <nexusfix/dictionary/names.hpp>

namespace nexusfix::dictionary {

// The versions of FIX with a built-in dictionary.
enum class Version : std::uint8_t {
  Fix40,     // FIX 4.0
  Fix41,     // FIX 4.1
  Fix42,     // FIX 4.2
  Fix43,     // FIX 4.3
  Fix44,     // FIX 4.4
  Fix50,     // FIX 5.0: application messages only
  Fix50Sp1,  // FIX 5.0 SP1: application messages only
  Fix50Sp2,  // FIX 5.0 SP2: application messages only
  Fixt11,    // FIXT 1.1: header, trailer and administrative messages for FIX 5.0 and later
};

// All versions, in the order of Version.
inline constexpr std::array kVersions{Version::Fix40,    Version::Fix41,    Version::Fix42,
                                      Version::Fix43,    Version::Fix44,    Version::Fix50,
                                      Version::Fix50Sp1, Version::Fix50Sp2, Version::Fixt11};

// The version with this name: a BeginString (8) such as "FIX.4.4", or a DefaultApplVerID of a
// configuration such as "FIX.5.0SP2". Unset: no version has it.
[[nodiscard]] std::optional<Version> version_of_begin_string(std::string_view text) noexcept;
// The version of an ApplVerID (1128) or DefaultApplVerID (1137), as FIX 5.0 SP2 enumerates them:
// Fix50Sp2 for "9". Unset: no version has it.
[[nodiscard]] std::optional<Version> version_of_appl_ver_id(std::string_view text) noexcept;

// The name of a version: "FIX.4.4", "FIX.5.0SP2", "FIXT.1.1". Static lifetime.
[[nodiscard]] std::string_view to_string(Version version) noexcept;

// The complete dictionary of a version: fields, enumerations, components, groups and messages. The
// first call for a version unpacks it and allocates; later calls cost one load. Lives as long as
// the program. Any thread.
[[nodiscard]] const Dictionary& builtin_dictionary(Version version);

// The names of a version's tags, values and messages. Does not unpack the dictionary. Lives as long
// as the program. Any thread; does not allocate.
[[nodiscard]] NameTable builtin_names(Version version) noexcept;

}  // namespace nexusfix::dictionary
