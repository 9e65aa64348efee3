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

#include <nexusfix/base/disk.hpp>

namespace nexusfix {

// The error is an errno. EMFILE: more than 1,024 mappings at once.
[[nodiscard]] std::expected<std::unique_ptr<File::Mapping>, int> map_file(int descriptor,
                                                                          std::uint64_t size_bytes);

}  // namespace nexusfix
