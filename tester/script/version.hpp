// The FIX versions that scripts are played in, and their names in a script.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

namespace nexusfix::tester {

struct Version {
  std::string_view name;       // in scripts
  std::string_view test_name;  // in the names of tests
  std::string_view begin_string;
  std::string_view appl_ver_id;          // 1137; empty: not a FIXT session
  std::string_view default_appl_ver_id;  // its name in the configuration
  bool has_milliseconds;                 // in timestamps of the session layer
};

// By age: a range of versions is a range of indices.
inline constexpr std::array kVersions{
    Version{"4.0", "FIX40", "FIX.4.0", "", "", false},
    Version{"4.1", "FIX41", "FIX.4.1", "", "", false},
    Version{"4.2", "FIX42", "FIX.4.2", "", "", true},
    Version{"4.3", "FIX43", "FIX.4.3", "", "", true},
    Version{"4.4", "FIX44", "FIX.4.4", "", "", true},
    Version{"5.0", "FIX50", "FIXT.1.1", "7", "FIX.5.0", true},
    Version{"5.0SP1", "FIX50SP1", "FIXT.1.1", "8", "FIX.5.0SP1", true},
    Version{"5.0SP2", "FIX50SP2", "FIXT.1.1", "9", "FIX.5.0SP2", true},
};

using VersionSet = std::bitset<kVersions.size()>;

// "4.1", "4.0-4.1", "4.2+", or several of these with blanks between them. The error names the wrong
// word.
[[nodiscard]] std::expected<VersionSet, std::string> parse_versions(std::string_view text);

// The index in kVersions of "FIX.4.4", "4.4", "FIX44" or "FIX.5.0SP2"; "FIXT.1.1" is the last one.
// The error lists what there is.
[[nodiscard]] std::expected<std::size_t, std::string> version_of(std::string_view begin_string);

}  // namespace nexusfix::tester
