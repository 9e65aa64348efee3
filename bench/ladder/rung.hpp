// The ladder: the history of a fast parser as seven small ones. Each has one more idea than the one
// before. All give the same answers for the same bytes and make the same checks: the first three
// tags, BodyLength, CheckSum, every tag is a number without a leading zero, no value is empty. Only
// the last one supports data fields, whose values may contain SOH.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nexusfix::bench::ladder {

using Tag = std::uint32_t;
inline constexpr char kSoh = '\x01';

// Static dispatch, so that no virtual call is measured. parse() reads one complete message; false:
// it is invalid. Views are valid as long as its bytes, and until the next parse().
template <class T>
concept Rung = requires(T& rung, const T& parsed, std::string_view message, Tag tag) {
  { rung.parse(message) } -> std::same_as<bool>;
  { parsed.field_count() } -> std::same_as<std::size_t>;
  // The first field with this tag.
  { parsed.find(tag) } -> std::same_as<std::optional<std::string_view>>;
};

}  // namespace nexusfix::bench::ladder
