// The ladder: the history of a fast parser as seven small ones, each of which has one idea more
// than the one before. All of them answer the same to the same bytes and check the same: the first
// three tags, BodyLength, CheckSum, that every tag is a number without a leading zero and no value
// is empty. Only the last one knows data fields, whose values may hold SOH; the others did not,
// either.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nexusfix::bench::ladder {

using Tag = std::uint32_t;
inline constexpr char kSoh = '\x01';

// Static dispatch: what is measured is the parser, not a virtual call. parse() takes one whole
// message; false: it is none. Views live as long as its bytes, or until the next parse().
template <class T>
concept Rung = requires(T& rung, const T& parsed, std::string_view message, Tag tag) {
  { rung.parse(message) } -> std::same_as<bool>;
  { parsed.field_count() } -> std::same_as<std::size_t>;
  // The first field with this tag.
  { parsed.find(tag) } -> std::same_as<std::optional<std::string_view>>;
};

}  // namespace nexusfix::bench::ladder
