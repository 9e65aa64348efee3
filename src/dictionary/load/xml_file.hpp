// An XML file as a tree, its limits, and messages that name file and line. What the loaders share.
#pragma once

#include <cstddef>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/dictionary/load.hpp>

#include "dictionary/load/xml_encoding.hpp"

namespace nexusfix::dictionary {

// How a fault is read where that is the same of many: what has it counts as absent.
inline constexpr std::string_view kLeftOut = "it is left out";

class XmlFile {
 public:
  XmlFile(std::string_view file_name, DictionaryFaults faults)
      : file_name_{file_name}, faults_are_warnings_{faults == DictionaryFaults::Warn} {}

  // False: take_error() says why. bytes must outlive this object.
  bool parse(std::string_view bytes);
  [[nodiscard]] pugi::xml_node root() const { return document_.document_element(); }

  // All of them write out what in the text does not print: it may quote the file.
  //
  // What no file may have. Returns false, for those who stop with it.
  bool fail(const pugi::xml_node& node, std::string_view text);
  // What a file should not have, and how it is read all the same. The caller goes on with that, so
  // that all faults of a file are found, whether it is refused for them or not.
  void fault(const pugi::xml_node& node, std::string_view text, std::string_view reading);
  void warn(const pugi::xml_node& node, std::string_view text);

  // The attribute's text; empty if it is missing or empty: a fault.
  std::string_view attribute(const pugi::xml_node& node, const char* name,
                             std::string_view reading = kLeftOut);
  // Nothing: it is missing, or does not begin with a number. What follows a number is a fault, too.
  std::optional<unsigned> number(const pugi::xml_node& node, const char* name,
                                 std::string_view reading = kLeftOut);
  std::optional<wire::Tag> tag(const pugi::xml_node& node, const char* name);

  // Nothing that was found stops the file from being used.
  [[nodiscard]] bool is_usable() const;
  // Of a file that is not usable. All that stops it, by the lines.
  [[nodiscard]] DictionaryError take_error();
  // By the lines; with the faults, if they are warnings.
  [[nodiscard]] std::vector<std::string> take_warnings();

 private:
  struct Message {
    std::size_t line = 0;
    std::string text;
  };
  struct Messages {
    std::vector<Message> named;  // at most kDictionaryFaultsNamed
    std::size_t count = 0;
  };

  bool check_size(std::string_view bytes);
  bool check_counts();
  bool check_entities();
  bool fail_at_line(std::size_t line, std::string_view text);
  static void add(Messages& messages, std::size_t line, std::string_view text);
  [[nodiscard]] std::vector<DictionaryError> by_lines(Messages messages, std::string_view kind);
  [[nodiscard]] std::size_t line_at(std::ptrdiff_t offset);

  Utf8Text text_;
  pugi::xml_document document_;
  std::string file_name_;
  bool faults_are_warnings_;
  bool has_failed_ = false;
  Messages errors_;
  Messages warnings_;
  std::vector<std::size_t> line_ends_;  // of text_, when the first line has been asked for
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
