// The data fields of a dictionary, whose values may contain SOH, in the form for a parser.
#pragma once

#include <nexusfix/dictionary/model.hpp>
#include <nexusfix/wire/data_fields.hpp>

namespace nexusfix::dictionary {

// The standard's pairs of Length and data fields and those of the dictionary, which take
// precedence:
//
//   wire::Parser parser{dictionary::data_fields(venue)};
//
// Allocates. Any thread.
[[nodiscard]] wire::DataFieldTable data_fields(const Dictionary& dictionary);

}  // namespace nexusfix::dictionary
