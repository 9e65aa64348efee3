// Maps a file into memory such that a failing disk does not end the process. A store to a mapped
// page raises SIGBUS if the file was cut or its disk does not respond. The first mapping of a
// process installs a handler for it. For an address inside of one of our mappings, the handler puts
// an ordinary page of zeros there and marks the mapping as failed; the thread continues, and the
// owner of the mapping checks the mark. For any other address, the handler calls the earlier
// handler.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include <nexusfix/base/disk.hpp>

namespace nexusfix {

// The error is an errno. EMFILE: more than 1,024 mappings at once.
[[nodiscard]] std::expected<std::unique_ptr<File::Mapping>, int> map_file(int descriptor,
                                                                          std::uint64_t size_bytes);

// Properties of a file beyond its bytes: its identity, and the identity of its file system's mount.
// The status of a path below the folder of the descriptor, or, if path is empty, of the open file.
// The error is an errno.
[[nodiscard]] std::expected<File::Status, int> status_of(int descriptor, const std::string& path);

// Disk::mount_id() of the open file.
[[nodiscard]] std::string mount_id_of(int descriptor);

// The byte of a folder that represents a name in it, for locks. Two names share a byte with a
// probability of one in some thousand million.
[[nodiscard]] std::int64_t byte_of_name(std::string_view name) noexcept;

}  // namespace nexusfix
