// The loaders of each kind of file, for callers that already have the tree.
#pragma once

#include <expected>
#include <string_view>

#include <nexusfix/dictionary.hpp>

#include "dictionary/load/xml_file.hpp"

namespace nexusfix::dictionary {

[[nodiscard]] std::expected<Dictionary, DictionaryError> load_quickfix_xml(XmlFile& file);
[[nodiscard]] std::expected<Dictionary, DictionaryError> load_orchestra(XmlFile& file,
                                                                        std::string_view scenario);

}  // namespace nexusfix::dictionary
