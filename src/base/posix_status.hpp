// What the operating system tells of a file beyond its bytes: which one it is, and of which mount
// its file system is.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include <nexusfix/base/disk.hpp>

namespace nexusfix {

// Of a path below the folder of the descriptor, or, if it is empty, of what the descriptor has
// open. The error is an errno.
[[nodiscard]] std::expected<FileStatus, int> status_of(int descriptor, const std::string& path);

// Disk::mount_id() of what the descriptor has open.
[[nodiscard]] std::string mount_id_of(int descriptor);

// Which byte of a folder stands for a name in it, for locks. Two names may have one byte; that
// takes some thousand million of them.
[[nodiscard]] std::int64_t byte_of_name(std::string_view name) noexcept;

}  // namespace nexusfix
