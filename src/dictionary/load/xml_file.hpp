// An XML file as a tree, its limits, and messages with file and line. Shared by the loaders.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {

// From the bytes of an XML file to UTF-8.
struct Utf8Text {
  std::string_view text;  // a part of the given bytes if they were UTF-8, otherwise of storage
  std::string storage;
  std::string warning;           // empty: none
  std::size_t warning_line = 0;  // counts from 1
};

struct EncodingFault {
  std::size_t line = 0;  // counts from 1; 0: the whole text
  std::string text;
};

// Accepts UTF-8 and UTF-16 with or without a byte order mark, and the encodings that the XML
// declaration may name: UTF-8, US-ASCII, ISO-8859-1, windows-1252. If bytes are not UTF-8, as in
// the descriptions of old files, reads the whole text as windows-1252 with a warning. storage moves
// with the object, but text still points into the old one.
[[nodiscard]] std::expected<void, EncodingFault> to_utf8(std::string_view bytes, Utf8Text& result);

// The common reading of faults: the element counts as absent.
inline constexpr std::string_view kLeftOut = "it is left out";

class XmlFile {
 public:
  XmlFile(std::string_view file_name, DictionaryFaults faults)
      : file_name_{file_name}, faults_are_warnings_{faults == DictionaryFaults::Warn} {}

  // False: consume_error() returns the reason. bytes must outlive this object.
  bool parse(std::string_view bytes);
  [[nodiscard]] pugi::xml_node root() const { return document_.document_element(); }

  // All of these functions escape unprintable bytes of the text, because it may quote the file.
  //
  // Reports an error that makes the file unusable. Returns false, so that the caller can return it.
  bool fail(const pugi::xml_node& node, std::string_view text);
  // Reports a fault and how the file is read despite it. The caller continues with that reading, so
  // that all faults of a file are found, even if the file is then refused.
  void fault(const pugi::xml_node& node, std::string_view text, std::string_view reading);
  void warn(const pugi::xml_node& node, std::string_view text);

  // The attribute's text. Empty if it is missing or empty, which is a fault.
  std::string_view attribute(const pugi::xml_node& node, const char* name,
                             std::string_view reading = kLeftOut);
  // Nothing: it is missing, or does not begin with a number. Text after the number is a fault, too.
  std::optional<unsigned> number(const pugi::xml_node& node, const char* name,
                                 std::string_view reading = kLeftOut);
  std::optional<wire::Tag> tag(const pugi::xml_node& node, const char* name);

  // Whether no message makes the file unusable.
  [[nodiscard]] bool is_usable() const;
  // Only for a file that is not usable. All errors, by line.
  [[nodiscard]] DictionaryError consume_error();
  // By line. Includes the faults if faults are warnings.
  [[nodiscard]] std::vector<std::string> consume_warnings();

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
  std::vector<std::size_t> line_ends_;  // of text_; filled by the first call that needs a line
};

[[nodiscard]] std::string quote(std::string_view text);
// "<field>"
[[nodiscard]] std::string element(const pugi::xml_node& node);
// True for elements, false for comments and the text between elements.
[[nodiscard]] bool is_element(const pugi::xml_node& node);
// The element's name without its namespace's prefix.
[[nodiscard]] std::string_view local_name(const pugi::xml_node& node);
// `; did you mean "Symbol"?`, or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       const std::vector<std::string_view>& candidates);

}  // namespace nexusfix::dictionary
