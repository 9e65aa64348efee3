// The messages of a file, one after the other.
#pragma once

#include <string>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/function_ref.hpp>

#include "nexusfix/messages/message_scanner.hpp"

namespace nexusfix::command {

struct FileScan {
  std::string path;       // `-` is standard input
  std::string delimiter;  // as a MessageScanner takes it
};

struct FileScanCalls {
  FunctionRef<void(const printing::ScannedMessage&)> each;  // message
  FunctionRef<void()> drained;  // everything that has arrived was read, and more may come
};

// Memory is bounded by one message and one chunk of the file. Returns what was skipped.
[[nodiscard]] DiskResult<printing::MessageScanner::Skipped> scan_file(Disk& disk,
                                                                      const FileScan& file,
                                                                      FileScanCalls calls);

// "log: 2 places with 8=FIX are no message, the first at byte 17: ..."
[[nodiscard]] std::string skipped_text(const FileScan& file,
                                       const printing::MessageScanner::Skipped& skipped);

}  // namespace nexusfix::command
