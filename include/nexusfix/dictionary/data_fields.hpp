// The data fields of a dictionary, whose values may contain SOH, in the form for a parser.
#pragma once

#include <nexusfix/dictionary/model.hpp>
#include <nexusfix/wire/data_fields.hpp>

namespace nexusfix::dictionary {

// The pairs of Length and data fields for a wire::Parser: those of the FIX standard and those of
// the dictionary, which take precedence. Allocates. Any thread.
//
//   wire::Parser parser{dictionary::data_fields(venue)};
[[nodiscard]] wire::DataFieldTable data_fields(const Dictionary& dictionary);

}  // namespace nexusfix::dictionary
