// Core dumps without memory: passwords are in many places of it.
#pragma once

namespace nexusfix {

// From now on a core dump of the process, and of the programs that it starts, has the registers of
// each thread and no memory, or there is none. The first thing of a program that reads passwords:
// an engine does it when it is opened, and by then a Settings that was loaded before has them.
// Any thread; a file of /proc is read and written.
void keep_memory_out_of_core_dumps();
// As it was before that; nothing, if it was not called. CoreDumps=Y.
void let_memory_into_core_dumps();

}  // namespace nexusfix
