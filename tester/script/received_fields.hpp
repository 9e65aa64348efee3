// Splits received bytes into fields. Independent of the parser of the core, which may be under
// test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace nexusfix::tester {

inline constexpr char kSoh = '\x01';

// A field as it was received. Views of the message's bytes.
struct ReceivedField {
  std::string_view tag;
  std::string_view value;
};

// The fields of received bytes, in order; bytes without "=" are a tag without a value. FIX TagValue
// Encoding, "Data fields": the value of a data field, such as RawData (96), has as many bytes as
// the length field before it says, SOH among them. A length after which no SOH comes is not used.
[[nodiscard]] std::vector<ReceivedField> fields_of(std::string_view bytes);
// The value of the n-th field with this tag, from 1 on.
[[nodiscard]] std::optional<std::string_view> value_of(const std::vector<ReceivedField>& fields,
                                                       std::string_view tag,
                                                       std::uint64_t occurrence = 1);

// The size of the first message of the bytes: up to the end of its CheckSum (10) field, which is
// not one inside of a data field. Nothing: more bytes must come.
[[nodiscard]] std::optional<std::size_t> message_size(std::string_view bytes);

}  // namespace nexusfix::tester
