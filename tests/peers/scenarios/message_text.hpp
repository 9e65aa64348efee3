// Makes bytes from the text of a script. Independent of the encoder, parser and clock formatting of
// the engine under test.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "peers/scenarios/version.hpp"

namespace nexusfix::scenarios {

// The meaning of the names and fields of a line when it is played.
struct Meaning {
  std::size_t version = 0;                               // index into kVersions
  WallTime now{};                                        // <now>
  std::map<std::string, std::string, std::less<>> lets;  // <name>
};

// The sender of a message, and its number if the line gives none.
struct Writer {
  std::string_view sender_comp_id;
  std::string_view target_comp_id;
  std::uint64_t msg_seq_num = 0;
};

using Fields = std::vector<std::string>;  // "tag=value", in order

// With names replaced, split at "|", without fields of other versions.
[[nodiscard]] std::expected<Fields, std::string> expand(std::string_view text,
                                                        const Meaning& meaning);

// The value of the first field with this tag.
[[nodiscard]] std::optional<std::string_view> find_field(const Fields& fields,
                                                         std::string_view tag);

// Adds 8 and 9 before the fields and 10 after them; with the values of the fields, if they have
// them.
[[nodiscard]] std::string frame(const Fields& fields, const Meaning& meaning);

// The whole message: 35, then the header fields by ascending tag, with those of 34, 49, 52 and 56
// that the line does not have, then the other fields in the order of the line. "-49" omits a field.
[[nodiscard]] std::expected<Fields, std::string> complete(const Fields& fields,
                                                          const Writer& writer,
                                                          const Meaning& meaning);

// "30s", "1500ms" or "2m".
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace nexusfix::scenarios
