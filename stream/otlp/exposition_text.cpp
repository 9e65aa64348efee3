#include "stream/otlp/exposition_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "base/api/printable_text.hpp"

namespace nexusfix::stream {
namespace {

constexpr std::size_t kShownBytesMax = 200;  // of a line, in an error

std::string_view take_word(std::string_view& rest, std::string_view ends) {
  const std::string_view word = rest.substr(0, rest.find_first_of(ends));
  rest.remove_prefix(word.size());
  return word;
}

// A value in quotes, of which rest has the bytes after the first one. Removes it with its end.
std::optional<std::string> take_quoted(std::string_view& rest) {
  std::string value;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      rest.remove_prefix(i + 1);
      return value;
    }
    if (rest[i] != '\\') {
      value += rest[i];
      continue;
    }
    if (++i == rest.size()) break;
    value += rest[i] == 'n' ? '\n' : rest[i];
  }
  return std::nullopt;
}

// {name="value",...}; rest begins after the brace.
bool take_labels(std::string_view& rest, ExposedSample& sample) {
  while (!rest.starts_with('}')) {
    const std::string_view name = take_word(rest, "=}");
    if (name.empty() || !rest.starts_with("=\"")) return false;
    rest.remove_prefix(2);
    auto value = take_quoted(rest);
    if (!value) return false;
    sample.labels.emplace_back(name, std::move(*value));
    if (rest.starts_with(',')) rest.remove_prefix(1);
  }
  rest.remove_prefix(1);
  return true;
}

// Absent: no number. A time after the value is left out.
std::optional<double> read_value(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  text = text.substr(0, text.find(' '));
  if (text == "+Inf") text.remove_prefix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

class Reader {
 public:
  [[nodiscard]] bool read(std::string_view line) {
    if (line.starts_with("# HELP ")) return read_head(line.substr(7), &ExposedMetric::help);
    if (line.starts_with("# TYPE ")) return read_head(line.substr(7), &ExposedMetric::type);
    return line.empty() || line.starts_with('#') || read_sample(line);
  }
  [[nodiscard]] std::vector<ExposedMetric> release() {
    std::erase_if(metrics_, [](const ExposedMetric& one) {
      const bool is_known = one.type == "gauge" || one.type == "counter" || one.type == "histogram";
      return !is_known || one.samples.empty();
    });
    return std::move(metrics_);
  }

 private:
  bool read_head(std::string_view rest, std::string ExposedMetric::* member) {
    const std::string_view name = take_word(rest, " ");
    if (name.empty()) return false;
    if (metrics_.empty() || metrics_.back().name != name) {
      metrics_.push_back({.name = std::string{name}});
    }
    if (!rest.empty()) rest.remove_prefix(1);
    metrics_.back().*member = rest;
    return true;
  }

  bool read_sample(std::string_view line) {
    const std::string_view name = take_word(line, "{ ");
    ExposedSample sample;
    if (name.empty() || line.empty()) return false;
    if (line.starts_with('{')) {
      line.remove_prefix(1);
      if (!take_labels(line, sample)) return false;
    }
    const auto value = read_value(line);
    if (!value) return false;
    // A sample without a head has no type.
    if (metrics_.empty() || !name.starts_with(metrics_.back().name)) return true;
    sample.suffix = name.substr(metrics_.back().name.size());
    sample.value = *value;
    if (std::isfinite(*value)) metrics_.back().samples.push_back(std::move(sample));
    return true;
  }

  std::vector<ExposedMetric> metrics_;
};

}  // namespace

std::expected<std::vector<ExposedMetric>, std::string> read_exposition(std::string_view text) {
  Reader reader;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!reader.read(line)) {
      return std::unexpected{fmt::format("line {} is none of Prometheus: {}", number,
                                         printable(line.substr(0, kShownBytesMax)))};
    }
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return reader.release();
}

}  // namespace nexusfix::stream
