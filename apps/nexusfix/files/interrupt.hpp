// Ctrl-C while logs are read: reading ends, and the caller prints what it has counted.
#pragma once

namespace nexusfix::command {

// From now on, SIGINT and SIGTERM set is_interrupted(). The second one ends the process.
void catch_interrupts();
// Threads beside the one that reads: a signal must interrupt its call. Threads that the caller
// makes inherit it.
void block_interrupts();
// Any thread. One load.
[[nodiscard]] bool is_interrupted() noexcept;

}  // namespace nexusfix::command
