// Whether a dictionary that no loader made can be walked.
#pragma once

#include <string>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {

// Returns invalid indexes, unsorted fields, or that components and groups contain each other in a
// way that no message has. Empty: the dictionary can be walked, at a known cost. O(members).
[[nodiscard]] std::string fault_of(const Dictionary& dictionary);

}  // namespace nexusfix::dictionary
