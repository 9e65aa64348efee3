// Writes a whole file.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include <nexusfix/base/disk.hpp>

namespace nexusfix::command {

// Creates the file, or replaces its contents. The error names path and cause.
[[nodiscard]] std::expected<void, std::string> write_whole_file(Disk& disk, const std::string& path,
                                                                std::string_view content);

}  // namespace nexusfix::command
