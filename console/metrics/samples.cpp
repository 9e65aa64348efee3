#include "console/metrics/samples.hpp"

#include <charconv>
#include <cstddef>
#include <iterator>
#include <limits>

#include "base/api/utf8.hpp"

namespace nexusfix::metrics {
namespace {

using std::chrono::nanoseconds;

// The ends of the buckets: powers of two, where the engine's own buckets end, too. From 256 ns to
// 34 s a factor of 2 apart, so that a quantile that Prometheus interpolates is within that.
constexpr unsigned kFirstPower = 8;
constexpr unsigned kLastPower = 35;

// The exposition format escapes these three.
void append_escaped(std::string& text, std::string_view value) {
  while (!value.empty()) {
    const std::size_t size = printable_utf8_size(value);
    if (value.front() == '\\' || value.front() == '"') text += '\\';
    if (size == 0) {
      text += value.front() == '\n' ? "\\n" : "?";
    } else {
      text += value.substr(0, size);
    }
    value.remove_prefix(size == 0 ? 1 : size);
  }
}

void append_number(std::string& text, std::uint64_t value) {
  char digits[std::numeric_limits<std::uint64_t>::digits10 + 1];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value);
  text.append(std::begin(digits), end.ptr);
}

// All digits, without the rounding of a floating-point number.
void append_seconds(std::string& text, nanoseconds value) {
  constexpr std::uint64_t kPerSecond = 1'000'000'000;
  constexpr std::size_t kFractionDigits = 9;
  if (value < nanoseconds{0}) text += '-';
  const auto all = static_cast<std::uint64_t>(std::chrono::abs(value).count());
  append_number(text, all / kPerSecond);
  std::string fraction = std::to_string(all % kPerSecond);
  if (fraction == "0") return;
  fraction.insert(0, kFractionDigits - fraction.size(), '0');
  fraction.resize(fraction.find_last_not_of('0') + 1);
  (text += '.') += fraction;
}

}  // namespace

void Samples::begin_line(std::string_view suffix, Labels labels, Label last) {
  if (!has_head_) {
    (((text_ += "# HELP ") += metric_->name) += ' ') += metric_->help;
    (((text_ += "\n# TYPE ") += metric_->name) += ' ') += to_string(metric_->type);
    text_ += '\n';
    has_head_ = true;
  }
  (text_ += metric_->name) += suffix;
  if (labels.size() != 0 || !last.name.empty()) {
    text_ += '{';
    for (const Label& label : labels) append_label(label);
    if (!last.name.empty()) append_label(last);
    text_.back() = '}';  // in place of the last comma
  }
  text_ += ' ';
}

void Samples::append_label(const Label& label) {
  (text_ += label.name) += "=\"";
  append_escaped(text_, label.value);
  text_ += "\",";
}

void Samples::add(Labels labels, std::uint64_t value) {
  begin_line({}, labels);
  append_number(text_, value);
  text_ += '\n';
}

void Samples::add(Labels labels, nanoseconds value) {
  begin_line({}, labels);
  append_seconds(text_, value);
  text_ += '\n';
}

void Samples::add(Labels labels, const engine::LatencyHistogram& value) {
  for (unsigned power = kFirstPower; power <= kLastPower; ++power) {
    const nanoseconds end{std::int64_t{1} << power};
    std::string limit;
    append_seconds(limit, end);
    begin_line("_bucket", labels, {"le", limit});
    append_number(text_, value.count_below(end));
    text_ += '\n';
  }
  begin_line("_bucket", labels, {"le", "+Inf"});
  append_number(text_, value.count());
  text_ += '\n';
  begin_line("_sum", labels);
  append_seconds(text_, value.sum());
  text_ += '\n';
  begin_line("_count", labels);
  append_number(text_, value.count());
  text_ += '\n';
}

}  // namespace nexusfix::metrics
