// The messages of a file, one after the other.
#pragma once

#include <string>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/function_ref.hpp>

#include "nexusfix/message_scanner.hpp"

namespace nexusfix::command {

// Calls each for every message in the file; `-` is standard input. Memory is bounded by one message
// and one chunk of the file.
[[nodiscard]] DiskResult<void> scan_file(Disk& disk, const std::string& path,
                                         FunctionRef<void(const printing::ScannedMessage&)> each);

}  // namespace nexusfix::command
