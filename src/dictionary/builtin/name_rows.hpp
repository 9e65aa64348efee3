// Makes the rows of name tables. Private to the layer and to the tool that compiles dictionaries
// into the program.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {

// Keeps each text once. Several tables may share a pool, because the versions of FIX share most
// names.
class TextPool {
 public:
  [[nodiscard]] detail::TextPlace place(const std::string& text);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::unordered_map<std::string, detail::TextPlace> places_;
};

struct NameRows {
  std::vector<detail::FieldRow> fields;
  std::vector<detail::ValueRow> values;
  std::vector<detail::ValueRow> messages;
};

[[nodiscard]] NameRows make_name_rows(const Dictionary& dictionary, TextPool& pool);

}  // namespace nexusfix::dictionary
