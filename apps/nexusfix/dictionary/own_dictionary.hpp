// The dictionary of --dict.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/dictionary.hpp>

namespace nexusfix::command {

// Null: path is empty. The error has a line for each fault, with file and line.
[[nodiscard]] std::expected<std::unique_ptr<const dictionary::Dictionary>, std::string>
own_dictionary(Disk& disk, const std::string& path);

}  // namespace nexusfix::command
