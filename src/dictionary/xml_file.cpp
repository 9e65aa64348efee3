#include "dictionary/xml_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <nexusfix/dictionary/nearest_name.hpp>
#include <nexusfix/dictionary/printable.hpp>

namespace nexusfix::dictionary {
namespace {

constexpr std::size_t kWarningsMax = 100;
constexpr std::size_t kQuotedBytesMax = 100;

}  // namespace

// What stands in a hostile file is as long as the file.
std::string quoted(std::string_view text) {
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
  return nearest ? "; did you mean " + quoted(*nearest) + '?' : std::string{};
}

std::size_t XmlFile::line_at(std::ptrdiff_t offset) const {
  if (offset < 0) return 0;
  const auto before = text_.text.substr(0, static_cast<std::size_t>(offset));
  return 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
}

// Names of the file stand in what is said with and without quotes, so all of it is made printable.
bool XmlFile::fail_at_line(std::size_t line, std::string_view text) {
  error_.line = line;
  error_.text = printable(text);
  return false;
}

void XmlFile::warn_at_line(std::size_t line, std::string_view text) {
  if (warnings_.size() >= kWarningsMax) return;
  warnings_.push_back(DictionaryError{error_.file, line, printable(text)}.what());
}

bool XmlFile::fail(const pugi::xml_node& node, std::string_view text) {
  return fail_at_line(line_at(node.offset_debug()), text);
}

void XmlFile::warn(const pugi::xml_node& node, std::string_view text) {
  if (warnings_.size() >= kWarningsMax) return;
  warn_at_line(line_at(node.offset_debug()), text);
}

bool XmlFile::check_size(std::string_view bytes) {
  if (bytes.size() <= kDictionaryBytesMax) return true;
  return fail_at_line(0, "larger than " + std::to_string(kDictionaryBytesMax) + " bytes");
}

// Each element has at least one '<' and each attribute a '=': they bound the tree before it is
// made.
bool XmlFile::check_counts() {
  const auto opening = static_cast<std::size_t>(std::ranges::count(text_.text, '<'));
  if (opening > 2 * kElementsMax) {
    return fail_at_line(0, "more than " + std::to_string(kElementsMax) + " elements");
  }
  const auto equals = static_cast<std::size_t>(std::ranges::count(text_.text, '='));
  if (equals <= kAttributesMax) return true;
  return fail_at_line(0, "more than " + std::to_string(kAttributesMax) + " attributes");
}

// They are never expanded; a file that needs them would be read wrongly, so it is refused.
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
  if (!text_.warning.empty()) warn_at_line(text_.warning_line, text_.warning);
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

std::string_view XmlFile::attribute(const pugi::xml_node& node, const char* name) {
  const std::string_view value = node.attribute(name).value();
  if (value.empty()) fail(node, element(node) + " lacks the attribute " + quoted(name));
  return value;
}

bool XmlFile::number(const pugi::xml_node& node, const char* name, unsigned& value) {
  const std::string_view text = attribute(node, name);
  if (text.empty()) return false;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault == std::errc{} && end == text.data() + text.size()) return true;
  return fail(node, std::string{name} + " is " + quoted(text) + ", expected a number");
}

bool XmlFile::tag(const pugi::xml_node& node, const char* name, wire::Tag& tag) {
  unsigned value = 0;
  if (!number(node, name, value)) return false;
  tag = value;
  if (value >= 1 && value <= wire::kTagMax) return true;
  return fail(node, std::string{name} + " is " + std::to_string(value) + ", expected 1 to " +
                        std::to_string(wire::kTagMax));
}

}  // namespace nexusfix::dictionary
