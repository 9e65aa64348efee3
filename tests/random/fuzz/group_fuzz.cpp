// Groups in hostile messages: the entries are those that a simple walk finds, for any fields and
// any shape. The input's first bytes choose the members of the shape, the others the fields.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/wire/group_view.hpp>
#include <nexusfix/wire/parser.hpp>

#include "random/fuzz/harness/target.hpp"
#include "random/property/wire/group_tables.hpp"
#include "unit/wire/message_text.hpp"

namespace {

using namespace nexusfix;
using namespace nexusfix::wire;

void require(bool condition) {
  if (!condition) std::abort();
}

// Tags of the envelope, consecutive, distant, and without a key of their own.
constexpr Tag kTags[] = {8,   9,    10,   34,     35,     268,    269,    270,     271,
                         272, 1268, 1269, 65'534, 65'535, 65'536, 70'000, 131'071, 2'147'483'647};
constexpr std::size_t kTagCount = std::size(kTags);
constexpr std::size_t kShapeBytes = 8;

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Shape {
  Tag count_tag = 0;
  std::vector<Tag> members;
  [[nodiscard]] bool has(Tag tag) const { return std::ranges::count(members, tag) != 0; }
};

// A second, slow implementation of groups.
std::vector<Range> entries_of(const MessageView& message, const Shape& shape, Range within) {
  std::vector<Range> entries;
  std::size_t at = within.begin;
  while (at < within.end && message.field(at).tag != shape.count_tag) ++at;
  if (at >= within.end) return entries;
  ++at;
  while (at < within.end && message.field(at).tag == shape.members.front()) {
    const std::size_t begin = at++;
    while (at < within.end && message.field(at).tag != shape.members.front() &&
           shape.has(message.field(at).tag)) {
      ++at;
    }
    entries.push_back({begin, at});
  }
  return entries;
}

void compare(const MessageView& message, const GroupView& group, const Shape& shape, Range within,
             const Shape* inner) {
  const std::vector<Range> wanted = entries_of(message, shape, within);
  require(group.size() == wanted.size() && group.empty() == wanted.empty());
  static_cast<void>(group.count_is_valid());
  require(group.end_index() <= message.field_count());
  if (!wanted.empty()) require(group.end_index() == wanted.back().end);
  std::size_t number = 0;
  for (const GroupEntry entry : group) {
    const auto [begin, end] = wanted[number++];
    require(entry.first_index() == begin && entry.field_count() == end - begin);
    const std::string_view bytes = entry.bytes();
    require(bytes.data() == message.bytes().data() + entry.offset() && bytes.back() == kSoh);
    require(bytes.starts_with(std::to_string(shape.members.front()) + "="));
    for (const Tag tag : kTags) {
      std::optional<std::size_t> first;
      for (std::size_t i = begin; i < end && !first; ++i) {
        if (message.field(i).tag == tag) first = i - begin;
      }
      require(entry.find_index(tag) == first && entry.has(tag) == first.has_value());
      if (first) require(entry[tag] == message.field(begin + *first).value);
      static_cast<void>(entry.get<std::uint64_t>(tag));
    }
    if (inner != nullptr) {
      const test::GroupTables tables{inner->count_tag, inner->members};
      compare(message, entry.group(tables.shape()), *inner, {begin, end}, nullptr);
    }
  }
  require(number == wanted.size());
}

// Two of a shape's bytes are its count field and its delimiter; the bits of the others are its
// members.
Shape shape_of(const std::uint8_t* data) {
  Shape shape{kTags[data[0] % kTagCount], {kTags[data[1] % kTagCount]}};
  const unsigned bits = data[2] | (static_cast<unsigned>(data[3]) << 8U);
  for (std::size_t i = 0; i < kTagCount; ++i) {
    if (((bits >> (i % 16)) & 1U) != 0) shape.members.push_back(kTags[i]);
  }
  return shape;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kShapeBytes) return 0;
  const Shape outer = shape_of(data);
  const Shape inner = shape_of(data + kShapeBytes / 2);
  std::string body = "35=W|";
  for (std::size_t i = kShapeBytes; i < size; ++i) {
    const Tag tag = kTags[data[i] % kTagCount];
    body += std::to_string(tag) + "=" + std::to_string(data[i] / kTagCount) + "|";
  }
  const std::string frame = test::message_of(body);
  // A copy of exact size, so that the sanitizer detects a read after its end.
  const std::vector<char> exact{frame.begin(), frame.end()};
  Parser parser;
  const auto message = parser.parse({exact.data(), exact.size()});
  if (!message) return 0;
  const test::GroupTables tables{outer.count_tag, outer.members};
  compare(*message, message->group(tables.shape()), outer, {0, message->field_count()}, &inner);
  return 0;
}
