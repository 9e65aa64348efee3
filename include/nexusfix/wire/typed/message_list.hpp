// The message types of a dictionary, by name only.
#pragma once

#include <nexusfix/base/language.hpp>

namespace nexusfix::wire {

// A list of message types, which may be incomplete: a generated header names all messages of its
// dictionary and includes none of them.
template <class... Types>
struct MessageNames {};

}  // namespace nexusfix::wire
