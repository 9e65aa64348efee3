// An XML file as a tree, its limits, and messages that name file and line. What the loaders share.
#pragma once

#include <cstddef>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/dictionary/load.hpp>

#include "dictionary/xml_encoding.hpp"

namespace nexusfix::dictionary {

class XmlFile {
 public:
  explicit XmlFile(std::string_view file_name) { error_.file = file_name; }

  // False: error() says why. bytes must outlive this object.
  bool parse(std::string_view bytes);
  [[nodiscard]] pugi::xml_node root() const { return document_.document_element(); }

  // Both write out what in the text does not print: it may quote the file.
  // Returns false, for those who stop with it.
  bool fail(const pugi::xml_node& node, std::string_view text);
  // The first hundred are kept.
  void warn(const pugi::xml_node& node, std::string_view text);

  // The attribute's text; empty if it is missing or empty, and then an error is set.
  std::string_view attribute(const pugi::xml_node& node, const char* name);
  bool number(const pugi::xml_node& node, const char* name, unsigned& value);
  bool tag(const pugi::xml_node& node, const char* name, wire::Tag& tag);

  [[nodiscard]] const DictionaryError& error() const { return error_; }
  std::vector<std::string> take_warnings() { return std::move(warnings_); }

 private:
  bool check_size(std::string_view bytes);
  bool check_counts();
  bool check_entities();
  bool fail_at_line(std::size_t line, std::string_view text);
  void warn_at_line(std::size_t line, std::string_view text);
  [[nodiscard]] std::size_t line_at(std::ptrdiff_t offset) const;

  Utf8Text text_;
  pugi::xml_document document_;
  DictionaryError error_;
  std::vector<std::string> warnings_;
};

[[nodiscard]] std::string quoted(std::string_view text);
// "<field>"
[[nodiscard]] std::string element(const pugi::xml_node& node);
// Elements have it, comments and text between them do not.
[[nodiscard]] bool is_element(const pugi::xml_node& node);
// The element's name without its namespace's prefix.
[[nodiscard]] std::string_view local_name(const pugi::xml_node& node);
// `; did you mean "Symbol"?`, or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       const std::vector<std::string_view>& candidates);

}  // namespace nexusfix::dictionary
