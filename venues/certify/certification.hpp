// Plays the cases of a certification, one start of the user's program for each.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>

#include "tester/run/run.hpp"
#include "venues/certify/examiner.hpp"
#include "venues/kit/kit.hpp"

namespace nexusfix::venues {

// The program under test, and the venue that it connects to.
struct Certified {
  const std::string& command;  // of the shell, with {host}, {port}, {key}, {config}, {folder}
  const std::string& folder;   // of the kit's files, and of engine.log
  const std::string& key;      // empty: that of the folder
  const std::string& host;     // where the venue listens
  const Kit& kit;
  const Endpoint& endpoint;
};

// Blocks until all cases are played. The run ends early if the program ends before it connects, if
// it never connects, or at is_interrupted() of the options: then the report has all cases, and
// ended_early says why, with the program's status and its last line. The error: the first case
// could not be played.
[[nodiscard]] std::expected<tester::Run, std::string> run_certification(
    const Certified& certified, const std::vector<tester::Case>& cases,
    const tester::RunOptions& options, Examiner& examiner, Disk& disk);

}  // namespace nexusfix::venues
