#include "dictionary/load/xml_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>

#include "base/api/printable_text.hpp"
#include "dictionary/api/nearest_name.hpp"

namespace nexusfix::dictionary {
namespace {

constexpr std::size_t kQuotedBytesMax = 100;

}  // namespace

// A text in a hostile file can be as long as the file.
std::string quote(std::string_view text) {
  if (text.size() <= kQuotedBytesMax) return '"' + std::string{text} + '"';
  return '"' + std::string{text.substr(0, kQuotedBytesMax)} + "...\"";
}

std::string element(const pugi::xml_node& node) {
  return '<' + std::string{std::string_view{node.name()}.substr(0, kQuotedBytesMax)} + '>';
}

bool is_element(const pugi::xml_node& node) { return node.type() == pugi::node_element; }

std::string_view local_name(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  const std::size_t colon = name.find(':');
  return colon == name.npos ? name : name.substr(colon + 1);
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates) {
  const auto nearest = nearest_name(name, candidates);
  return nearest ? "; did you mean " + quote(*nearest) + '?' : std::string{};
}

std::size_t XmlFile::line_at(std::ptrdiff_t offset) {
  if (offset < 0) return 0;
  if (line_ends_.empty()) {
    for (std::size_t at = 0; (at = text_.text.find('\n', at)) != text_.text.npos; ++at) {
      line_ends_.push_back(at);
    }
  }
  const auto before = std::ranges::lower_bound(line_ends_, static_cast<std::size_t>(offset));
  return 1 + static_cast<std::size_t>(before - line_ends_.begin());
}

// Messages quote names of the file, with and without quotes, so the whole message is made
// printable.
void XmlFile::add(Messages& messages, std::size_t line, std::string_view text) {
  if (messages.count++ < kDictionaryFaultsNamed) messages.named.push_back({line, printable(text)});
}

bool XmlFile::fail_at_line(std::size_t line, std::string_view text) {
  has_failed_ = true;
  add(errors_, line, text);
  return false;
}

bool XmlFile::fail(const pugi::xml_node& node, std::string_view text) {
  return fail_at_line(line_at(node.offset_debug()), text);
}

void XmlFile::fault(const pugi::xml_node& node, std::string_view text, std::string_view reading) {
  const std::size_t line = line_at(node.offset_debug());
  if (!faults_are_warnings_) return add(errors_, line, text);
  add(warnings_, line, std::string{text}.append("; ").append(reading));
}

void XmlFile::warn(const pugi::xml_node& node, std::string_view text) {
  add(warnings_, line_at(node.offset_debug()), text);
}

bool XmlFile::is_usable() const { return !has_failed_ && errors_.count == 0; }

std::vector<DictionaryError> XmlFile::by_lines(Messages messages, std::string_view kind) {
  std::multimap<std::size_t, std::string> by_line;  // of one line in the order in which they came
  for (Message& message : messages.named) by_line.emplace(message.line, std::move(message.text));
  std::vector<DictionaryError> sorted;
  for (auto& [line, text] : by_line) {
    sorted.push_back({file_name_, line, std::move(text), {}});
  }
  if (const std::size_t more = messages.count - messages.named.size(); more != 0) {
    sorted.push_back(
        {file_name_, 0, "and " + std::to_string(more) + " more " + std::string{kind}, {}});
  }
  return sorted;
}

DictionaryError XmlFile::consume_error() {
  std::vector<DictionaryError> all = by_lines(std::move(errors_), "faults");
  DictionaryError error = std::move(all.front());
  std::ranges::move(all.begin() + 1, all.end(), std::back_inserter(error.others));
  return error;
}

std::vector<std::string> XmlFile::consume_warnings() {
  std::vector<std::string> lines;
  for (const DictionaryError& warning : by_lines(std::move(warnings_), "warnings")) {
    lines.push_back(warning.what());
  }
  return lines;
}

bool XmlFile::check_size(std::string_view bytes) {
  if (bytes.size() <= kDictionaryBytesMax) return true;
  return fail_at_line(0, "larger than " + std::to_string(kDictionaryBytesMax) + " bytes");
}

// Each element has at least one '<' and each attribute a '=', so these counts bound the tree before
// it is built.
bool XmlFile::check_counts() {
  const auto opening = static_cast<std::size_t>(std::ranges::count(text_.text, '<'));
  if (opening > 2 * kElementsMax) {
    return fail_at_line(0, "more than " + std::to_string(kElementsMax) + " elements");
  }
  const auto equals = static_cast<std::size_t>(std::ranges::count(text_.text, '='));
  if (equals <= kAttributesMax) return true;
  return fail_at_line(0, "more than " + std::to_string(kAttributesMax) + " attributes");
}

// Entities are never expanded. A file that needs them would be read wrongly, so it is refused.
bool XmlFile::check_entities() {
  for (const pugi::xml_node& node : document_.children()) {
    if (node.type() != pugi::node_doctype) continue;
    if (std::strstr(node.value(), "<!ENTITY") == nullptr) continue;
    return fail_at_line(1, "the document type defines entities, which are not supported");
  }
  return true;
}

bool XmlFile::parse(std::string_view bytes) {
  if (!check_size(bytes)) return false;
  if (const auto converted = to_utf8(bytes, text_); !converted) {
    return fail_at_line(converted.error().line, converted.error().text);
  }
  if (!text_.warning.empty()) add(warnings_, text_.warning_line, text_.warning);
  if (!check_counts()) return false;
  const pugi::xml_parse_result result =
      document_.load_buffer(text_.text.data(), text_.text.size(),
                            pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (!result) {
    return fail_at_line(line_at(result.offset), std::string{"not XML: "} + result.description());
  }
  if (!check_entities()) return false;
  const auto children = document_.children();
  const auto second =
      std::find_if(children.begin(), children.end(),
                   [&](const pugi::xml_node& node) { return is_element(node) && node != root(); });
  return second == children.end() || fail(*second, "a second root element: " + element(*second));
}

std::string_view XmlFile::attribute(const pugi::xml_node& node, const char* name,
                                    std::string_view reading) {
  const std::string_view value = node.attribute(name).value();
  if (value.empty()) fault(node, element(node) + " lacks the attribute " + quote(name), reading);
  return value;
}

// QuickFIX reads numbers with atoi().
std::optional<unsigned> XmlFile::number(const pugi::xml_node& node, const char* name,
                                        std::string_view reading) {
  const std::string_view text = attribute(node, name, reading);
  if (text.empty()) return std::nullopt;
  const std::size_t begin = std::min(text.find_first_not_of(" \t+"), text.size());
  unsigned value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + begin, last, value);
  const bool is_number = error == std::errc{};
  if (is_number && begin == 0 && end == last) return value;
  fault(node, std::string{name} + " is " + quote(text) + ", expected a number",
        is_number ? "read as " + std::to_string(value) : std::string{reading});
  return is_number ? std::optional{value} : std::nullopt;
}

std::optional<wire::Tag> XmlFile::tag(const pugi::xml_node& node, const char* name) {
  const std::optional<unsigned> value = number(node, name);
  if (!value || (*value >= 1 && *value <= wire::kTagMax)) return value;
  fault(node,
        std::string{name} + " is " + std::to_string(*value) + ", expected 1 to " +
            std::to_string(wire::kTagMax),
        kLeftOut);
  return std::nullopt;
}

}  // namespace nexusfix::dictionary
