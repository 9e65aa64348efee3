// Core dumps without memory: passwords are in many places of it.
#pragma once

#include <nexusfix/base/language.hpp>

namespace nexusfix {

enum class KeptOut {
  UntilDecided,  // until somebody says let_memory_into_core_dumps()
  ForGood,
};

// From now on a core dump of the process, and of the programs that it starts, has the registers of
// each thread and no memory, or there is none. The first thing of a program that reads passwords:
// an engine does it when it is opened, and by then a Settings that was loaded before has them. An
// engine without CoreDumps=Y does it for good. Any thread; a file of /proc is read and written.
void keep_memory_out_of_core_dumps(KeptOut how = KeptOut::UntilDecided);
// As it was before that; nothing, if it was not called. False: memory is kept out for good.
// CoreDumps=Y.
[[nodiscard]] bool let_memory_into_core_dumps();

}  // namespace nexusfix
