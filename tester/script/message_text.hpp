// Makes bytes from the text of a script. Independent of the encoder, parser and clock formatting of
// the core, which may be under test.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "tester/script/version.hpp"

namespace nexusfix::tester {

// Names that each script has. NextOut and NextIn: the MsgSeqNum of the next message in each
// direction. random: eight digits by the seed.
inline constexpr std::array<std::string_view, 8> kStandingNames{
    "now", "BeginString", "ApplVerID", "random", "sender", "target", "NextOut", "NextIn"};
[[nodiscard]] bool is_standing_name(std::string_view name) noexcept;

using Names = std::map<std::string, std::string, std::less<>>;

// The meaning of the names and fields of a line when it is played.
struct Meaning {
  std::size_t version = 0;   // index into kVersions
  WallTime now{};            // <now>
  Names lets;                // texts of the script, which may have names themselves
  Names values;              // captured ones, unchanged
  Random* random = nullptr;  // not null if a text has <random>
};

using Fields = std::vector<std::string>;  // "tag=value", in order

// The sender of a message, and its number if the line gives none.
struct Writer {
  std::string_view sender_comp_id;
  std::string_view target_comp_id;
  std::uint64_t msg_seq_num = 0;
  Fields header{};  // more fields of the standard header
};

// Splits at "|", but not at "\|".
[[nodiscard]] std::vector<std::string_view> split_fields(std::string_view text);
// Each NAME of a "<NAME>" in the text, with what is added: "NextOut+5".
[[nodiscard]] std::vector<std::string_view> names_in(std::string_view text);

// The error in what a name of a text adds, as in <NextOut+x> or <now-2>. Nothing: there is none.
[[nodiscard]] std::optional<std::string> wrong_addition(std::string_view name);

// With names replaced, split at "|", without fields of other versions.
[[nodiscard]] std::expected<Fields, std::string> expand(std::string_view text,
                                                        const Meaning& meaning);

// With names replaced; "|" is SOH, and nothing is added.
[[nodiscard]] std::expected<std::string, std::string> raw_bytes(std::string_view text,
                                                                const Meaning& meaning);

// A text for people, with names replaced; as written if one has no value yet.
[[nodiscard]] std::string with_names(std::string_view text, const Meaning& meaning);

// \x01 and others as bytes.
void replace_escapes(Fields& fields);

// Whether the line says what this field is: it has it, or leaves it out.
[[nodiscard]] bool decides(const Fields& line, std::string_view tag);
// The value of the first field with this tag.
[[nodiscard]] std::optional<std::string_view> find_field(const Fields& fields,
                                                         std::string_view tag);

// Adds 8 and 9 before the fields and 10 after them; with the values of the fields, if they have
// them.
[[nodiscard]] std::string frame(const Fields& fields, const Meaning& meaning);

// The whole message: 35, then the header fields by ascending tag, with those of 34, 49, 52, 56 and
// of the writer that the line does not have, then the other fields in the order of the line. "-49"
// omits a field.
[[nodiscard]] std::expected<Fields, std::string> complete(const Fields& fields,
                                                          const Writer& writer,
                                                          const Meaning& meaning);

// "30s", "1500ms", "2m" or "2h".
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

// 20240115-10:30:00 or, with milliseconds, 20240115-10:30:00.125; UTC.
[[nodiscard]] std::string utc_timestamp(WallTime time, bool with_milliseconds);

// "10=ddd" and SOH for these bytes.
[[nodiscard]] std::string check_sum_field(std::string_view bytes);
// SOH becomes |, and other bytes that are not printable become \xff.
[[nodiscard]] std::string with_bars(std::string_view bytes);

}  // namespace nexusfix::tester
