#include "explanation/marked_text.hpp"

#include <algorithm>

#include <nexusfix/wire/field.hpp>

#include "base/api/printable_text.hpp"
#include "base/api/utf8.hpp"

namespace nexusfix::dictionary {
namespace {

// For a narrow terminal: the columns before the fault, and those of the whole line.
constexpr std::size_t kColumnsBefore = 40;
constexpr std::size_t kColumnsMax = 96;
constexpr std::string_view kLeftOut = "...";

// Where the line begins: with a field, if a field begins shortly before begin.
std::size_t first_shown(std::string_view bytes, std::size_t begin) {
  if (begin <= kColumnsBefore) return 0;
  std::size_t from = begin - kColumnsBefore;
  const std::size_t soh = bytes.substr(0, begin).find(wire::kSoh, from - 1);
  if (soh != bytes.npos) return soh + 1;
  constexpr unsigned kContinuationBits = 0xc0;
  constexpr unsigned kContinuation = 0x80;
  while (from < begin &&
         (static_cast<unsigned char>(bytes[from]) & kContinuationBits) == kContinuation) {
    ++from;
  }
  return from;
}

}  // namespace

MarkedText mark(std::string_view bytes, std::size_t begin, std::size_t end) {
  begin = std::min(begin, bytes.size());
  end = std::clamp(end, begin, bytes.size());
  const std::size_t from = bytes.size() <= kColumnsMax ? 0 : first_shown(bytes, begin);
  MarkedText marked;
  std::size_t columns = 0;
  const auto add = [&](std::string_view text, std::size_t width) {
    marked.line += text;
    columns += width;
  };
  if (from != 0) add(kLeftOut, kLeftOut.size());
  std::size_t first_column = columns;
  std::size_t end_column = columns;
  std::size_t at = from;
  while (at < bytes.size() && columns < kColumnsMax) {
    if (at <= begin) first_column = columns;
    const std::size_t size = printable_utf8_size(bytes.substr(at));
    if (bytes[at] == wire::kSoh) {
      add("|", 1);
    } else if (size == 0) {
      const std::string escaped = printable(bytes.substr(at, 1));
      add(escaped, escaped.size());
    } else {
      add(bytes.substr(at, size), 1);
    }
    at += std::max<std::size_t>(size, 1);
    if (at <= end) end_column = columns;
  }
  if (begin >= at) first_column = columns;
  if (end > at) end_column = columns;
  if (at < bytes.size()) marked.line += kLeftOut;
  marked.marks.assign(first_column, ' ');
  marked.marks += '^';
  if (end_column > first_column + 1) marked.marks.append(end_column - first_column - 1, '~');
  return marked;
}

}  // namespace nexusfix::dictionary
