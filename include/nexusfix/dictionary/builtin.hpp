// The dictionaries that are compiled into the library, so that no file is needed at run time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <nexusfix/dictionary/model.hpp>
#include <nexusfix/dictionary/names.hpp>

namespace nexusfix::dictionary {

enum class Version : std::uint8_t {
  Fix40,
  Fix41,
  Fix42,
  Fix43,
  Fix44,
  Fix50,
  Fix50Sp1,
  Fix50Sp2,
  Fixt11,
};

inline constexpr std::array kVersions{Version::Fix40,    Version::Fix41,    Version::Fix42,
                                      Version::Fix43,    Version::Fix44,    Version::Fix50,
                                      Version::Fix50Sp1, Version::Fix50Sp2, Version::Fixt11};

// Takes "FIX.4.4" from BeginString (8), or "FIX.5.0" from a configuration's DefaultApplVerID.
[[nodiscard]] std::optional<Version> version_of_begin_string(std::string_view text) noexcept;
// Takes "9" from ApplVerID (1128) or DefaultApplVerID (1137), as FIX 5.0 SP2 enumerates them.
[[nodiscard]] std::optional<Version> version_of_appl_ver_id(std::string_view text) noexcept;

// "FIX.4.4", "FIX.5.0SP2", "FIXT.1.1": the texts that version_of_begin_string() accepts.
[[nodiscard]] std::string_view to_string(Version version) noexcept;

// The complete dictionary: fields, enumerations, components, groups and messages. The first call
// for a version unpacks it and allocates; later calls cost one load. Lives as long as the program.
// Any thread.
[[nodiscard]] const Dictionary& builtin_dictionary(Version version);

// Lives as long as the program.
[[nodiscard]] NameTable builtin_names(Version version) noexcept;

}  // namespace nexusfix::dictionary
