// Properties of a file beyond its bytes: its identity, and the identity of its file system's mount.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include <nexusfix/base/disk.hpp>

namespace nexusfix {

// The status of a path below the folder of the descriptor, or, if path is empty, of the open file.
// The error is an errno.
[[nodiscard]] std::expected<File::Status, int> status_of(int descriptor, const std::string& path);

// Disk::mount_id() of the open file.
[[nodiscard]] std::string mount_id_of(int descriptor);

// The byte of a folder that represents a name in it, for locks. Two names share a byte with a
// probability of one in some thousand million.
[[nodiscard]] std::int64_t byte_of_name(std::string_view name) noexcept;

}  // namespace nexusfix
