// From dictionaries to the compiled-in name tables of the dictionary layer.
#pragma once

#include <string>
#include <vector>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::codegen {

// A C++ source that defines kBuiltinRows and kBuiltinPacked, one entry for each
// dictionary, in this order.
[[nodiscard]] std::string emit_names(const std::vector<dictionary::Dictionary>& dictionaries);

}  // namespace nexusfix::codegen
