// The <fields> of a QuickFIX XML file.
#pragma once

#include <pugixml.hpp>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nexusfix/dictionary.hpp>

#include "dictionary/load/xml_file.hpp"

namespace nexusfix::dictionary {

// Calls read() for each child element.
template <class Read>
void for_each_element(const pugi::xml_node& parent, Read read) {
  for (const pugi::xml_node& child : parent.children()) {
    if (is_element(child)) read(child);
  }
}

// "Y" or "y"
[[nodiscard]] inline bool is_yes(std::string_view text) { return text == "Y" || text == "y"; }

// Reads the fields into a dictionary, by ascending tag. Fields that share a tag become one, as in
// QuickFIX: it has the last name and type and the values of all, and every name means it. Fields
// that share a name keep their tags, and the name means the last one, as in QuickFIX/n.
class QuickfixFields {
 public:
  QuickfixFields(XmlFile& file, Dictionary& dictionary) : file_{file}, dictionary_{dictionary} {}

  void read(const pugi::xml_node& section);

  // Keys are the file's own text.
  using Names = std::unordered_map<std::string_view, Index>;
  [[nodiscard]] const Names& names() const { return names_; }
  // Whether the file has an unreadable field with this name. Its fault has been reported.
  [[nodiscard]] bool is_left_out(std::string_view name) const { return left_out_.contains(name); }

 private:
  struct Definition {
    FieldDefinition field;
    pugi::xml_node node;
  };
  using Values = std::set<std::string_view>;

  void read_field(const pugi::xml_node& node);
  void read_type(const pugi::xml_node& node, FieldDefinition& field);
  void read_values(const pugi::xml_node& node, FieldDefinition& field);
  void read_value(const pugi::xml_node& node, FieldDefinition& field, Values& seen);
  void join_tags();
  void name_fields();
  void rename_namesakes();

  XmlFile& file_;
  Dictionary& dictionary_;
  std::vector<Definition> definitions_;  // in the file's order
  Names names_;
  std::set<std::string_view> left_out_;
};

}  // namespace nexusfix::dictionary
