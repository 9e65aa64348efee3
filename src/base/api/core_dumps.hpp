// Core dumps without memory, because memory contains passwords in many places.
#pragma once

#include <nexusfix/base/language.hpp>

namespace nexusfix {

// How long memory is kept out of core dumps.
enum class KeptOut {
  UntilDecided,  // until let_memory_into_core_dumps() is called
  ForGood,       // as long as the process runs
};

// From now on, a core dump of the process, and of the programs that it starts, has the registers of
// each thread and no memory, or there is no dump. Call this first in a program that reads
// passwords: an engine calls it when it is opened, but a Settings that was loaded earlier already
// contains them. An engine without CoreDumps=Y makes it permanent. Any thread; reads and writes a
// file of /proc.
void keep_memory_out_of_core_dumps(KeptOut how = KeptOut::UntilDecided);
// Restores the earlier state; does nothing if the other function was not called. False: memory is
// excluded permanently. For CoreDumps=Y.
[[nodiscard]] bool let_memory_into_core_dumps();

}  // namespace nexusfix
