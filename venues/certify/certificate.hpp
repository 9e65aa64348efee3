// The report of a certification, to be handed over: files in one folder.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "tester/run/run.hpp"
#include "venues/kit/kit.hpp"

namespace nexusfix::venues {

struct CertificateFacts {
  std::string endpoint{};
  std::string command{};          // of the program under test
  std::string program_version{};  // empty: not given
  std::string nexusfix_version{};
  WallTime begun{};
  std::chrono::nanoseconds duration{};
  std::uint64_t seed = 1;
};

// Writes report.html, report.xml (JUnit), a file for each conversation, summary.json and
// summary.md, which have the SHA-256 of the conversations and of the kit's files. Blocks for the
// disk. The error names the file.
[[nodiscard]] std::expected<void, std::string> write_certificate(const Kit& kit,
                                                                 const tester::Run& run,
                                                                 const CertificateFacts& facts,
                                                                 const std::string& folder,
                                                                 Disk& disk);

// As hexadecimal digits.
[[nodiscard]] std::string sha256_of(std::string_view text);

}  // namespace nexusfix::venues
