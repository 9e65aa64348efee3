#include <algorithm>
#include <array>
#include <cinttypes>

#include <nexusfix/simulator/trace.hpp>

namespace nexusfix::simulator {

void Trace::line(std::string_view who, std::string_view text) {
  if (!is_on()) return;
  std::array<char, 64> front{};
  const std::int64_t micros = now_.count() / 1'000;
  std::snprintf(front.data(), front.size(), "%6" PRId64 ".%06" PRId64 " %-10.*s ",
                micros / 1'000'000, micros % 1'000'000, static_cast<int>(who.size()), who.data());
  std::string line{front.data()};
  line += text;
  std::ranges::replace(line, '\x01', '|');
  if (stream_ != nullptr) std::fprintf(stream_, "%s\n", line.c_str());
  if (lines_max_ == 0) return;
  if (lines_.size() == lines_max_) {
    lines_.pop_front();
    ++dropped_;
  }
  lines_.push_back(std::move(line));
}

std::string Trace::text() const {
  std::string text;
  if (dropped_ > 0) text = "(" + std::to_string(dropped_) + " lines before)\n";
  for (const std::string& line : lines_) (text += line) += '\n';
  return text;
}

}  // namespace nexusfix::simulator
