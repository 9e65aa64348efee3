// The lines that a destination has not acknowledged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "stream/sinks/json_line.hpp"

namespace nexusfix::stream {

struct Line {
  std::uint64_t record = 0;  // Outgoing::id
  std::string id;            // id_of()
  std::string text;          // with its line break
};

// One thread. In the order of send().
class LineWindow {
 public:
  // A stream reads no further when so much waits.
  static constexpr std::size_t kLinesMax = 20'000;
  static constexpr std::size_t kBytesMax = 16U << 20U;

  // Appends the text of a record; nothing: the destination does not get it.
  using Write = std::function<void(std::string& to, const Outgoing& record)>;

  explicit LineWindow(bool is_object)
      : write_{[is_object](std::string& to, const Outgoing& record) {
          append_line(to, record, is_object);
        }} {}
  explicit LineWindow(Write write) : write_{std::move(write)} {}

  // False: nothing was added, as the window is full. A single line is always accepted.
  [[nodiscard]] bool add(const Outgoing& record) {
    if (!lines_.empty() && (lines_.size() >= kLinesMax || bytes_ >= kBytesMax)) return false;
    Line line{.record = record.id, .id = id_of(record), .text = {}};
    write_(line.text, record);
    bytes_ += line.text.size();
    lines_.push_back(std::move(line));
    return true;
  }
  [[nodiscard]] bool empty() const noexcept { return lines_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return lines_.size(); }
  [[nodiscard]] const Line& operator[](std::size_t index) const { return lines_[index]; }
  // The first line is acknowledged. Returns its record.
  std::uint64_t pop() {
    const std::uint64_t record = lines_.front().record;
    bytes_ -= lines_.front().text.size();
    lines_.pop_front();
    return record;
  }

 private:
  Write write_;
  std::deque<Line> lines_;
  std::size_t bytes_ = 0;
};

}  // namespace nexusfix::stream
