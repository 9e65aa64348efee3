// Which deliberate bug is switched on; in front of every source of the mutated build.
#pragma once

namespace nexusfix::test {

// 0: none. From 1 on: the place in mutations.json.
inline int active_mutation = 0;

}  // namespace nexusfix::test

#define NEXUSFIX_MUTATED(index) (::nexusfix::test::active_mutation == (index))
