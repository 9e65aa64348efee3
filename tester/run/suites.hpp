// The suites that the program ships, and scripts in files.
#pragma once

#include <cstddef>
#include <expected>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>

#include "tester/load/load.hpp"
#include "tester/script/script.hpp"

namespace nexusfix::tester {

// A file of suites/, in the program.
struct ShippedFile {
  std::string_view suite;  // "session"; "parts": included by others
  std::string_view name;   // "logon.scenario"
  std::string_view text;
};
[[nodiscard]] std::span<const ShippedFile> shipped_files() noexcept;
// "robustness", "session", "performance", "soak".
[[nodiscard]] std::vector<std::string_view> suite_names();

struct Case {
  std::string suite;  // empty: a file
  Script script;
  const LoadCase* load = nullptr;  // not null: this is played, and the script only describes it
};

// The cases of a suite, a folder or a file. The error names the file and the mistake.
[[nodiscard]] std::expected<std::vector<Case>, std::string> read_cases(
    const std::string& what, const std::set<std::string, std::less<>>& names, Disk& disk);

}  // namespace nexusfix::tester
