// From what a script writes to bytes. Independent of the encoder, parser and clock formatting of
// the engine under test.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/time.hpp>

#include "scenarios/version.hpp"

namespace nexusfix::scenarios {

// What the names and fields of a line mean when it is played.
struct Meaning {
  std::size_t version = 0;                               // index into kVersions
  WallTime now{};                                        // <now>
  std::map<std::string, std::string, std::less<>> lets;  // <name>
};

// Who writes a message, and the number that it has if the line does not say one.
struct Writer {
  std::string_view sender_comp_id;
  std::string_view target_comp_id;
  std::uint64_t msg_seq_num = 0;
};

using Fields = std::vector<std::string>;  // "tag=value", in order

// Names replaced, split at "|", fields of other versions left out.
[[nodiscard]] std::expected<Fields, std::string> expand(std::string_view text,
                                                        const Meaning& meaning);

// The value of the first field with this tag.
[[nodiscard]] std::optional<std::string_view> find_field(const Fields& fields,
                                                         std::string_view tag);

// 8 and 9 in front of the fields, 10 behind them; each as the fields say, if they have it.
[[nodiscard]] std::string frame(const Fields& fields, const Meaning& meaning);

// The whole message: 35, then the header fields by ascending tag, those of 34, 49, 52 and 56 that
// the line does not have among them, then the other fields as the line has them. "-49" leaves a
// field out.
[[nodiscard]] std::expected<Fields, std::string> complete(const Fields& fields,
                                                          const Writer& writer,
                                                          const Meaning& meaning);

// "30s", "1500ms" or "2m".
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace nexusfix::scenarios
