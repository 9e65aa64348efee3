// A file in memory, whose disk may fail without ending the process.
//
// A store to a mapped page whose file was cut, or whose disk does not answer, raises SIGBUS. The
// first mapping of a process installs a handler for it: for an address inside of one of our
// mappings it puts an ordinary page of zeros there and marks the mapping as failed, and the thread
// goes on; the owner of the mapping looks at the mark. Any other address goes to the handler that
// was there before.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>

#include <nexusfix/base/disk.hpp>

namespace nexusfix {

// The error is an errno. EMFILE: more than 1,024 mappings at once.
[[nodiscard]] std::expected<std::unique_ptr<FileMapping>, int> map_file(int descriptor,
                                                                        std::uint64_t size_bytes);

}  // namespace nexusfix
