// The deliberate bug that is enabled. Precedes every source of the mutated build.
#pragma once

namespace nexusfix::test {

// 0: none; otherwise its number in mutations.json, from 1
inline int active_mutation = 0;

}  // namespace nexusfix::test

#define NEXUSFIX_MUTATED(index) (::nexusfix::test::active_mutation == (index))
