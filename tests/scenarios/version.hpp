// The FIX versions that a scenario is played in, and how a script names sets of them.
#pragma once

#include <array>
#include <bitset>
#include <expected>
#include <string>
#include <string_view>

namespace nexusfix::scenarios {

struct Version {
  std::string_view name;       // as scripts write it
  std::string_view test_name;  // as tests are called
  std::string_view begin_string;
  std::string_view appl_ver_id;          // 1137; empty: not a FIXT session
  std::string_view default_appl_ver_id;  // the configuration's name of it
  bool has_milliseconds;                 // in timestamps that the session layer writes
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

// "4.1", "4.0-4.1", "4.2+", or several of these with blanks between them. The error says what is
// wrong.
[[nodiscard]] std::expected<VersionSet, std::string> parse_versions(std::string_view text);

}  // namespace nexusfix::scenarios
