// A bar on a terminal while logs are read for longer than a second.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nexusfix::command {

// Shows the bar on standard error from now on, if that is a terminal.
void show_read_progress();

// A file of this size will be read. 0: unknown, such as a pipe. On the thread that reads.
void expect_bytes(std::uint64_t size) noexcept;
// These bytes were read; 0: the end of a file, which erases the bar. On the thread that reads.
void count_bytes_read(std::size_t size);
// Erases the bar, before something else is printed.
void erase_read_progress();
// Output begins: if a terminal shows it, also in a pager, the bar is erased and stays away.
void begin_output();

}  // namespace nexusfix::command
