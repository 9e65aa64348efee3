#include <nexusfix/dictionary.hpp>

#include "dictionary/load/file_loaders.hpp"
#include "dictionary/load/xml_file.hpp"

namespace nexusfix::dictionary {
namespace {

constexpr std::string_view kQuickfixRoot = "fix";
constexpr std::string_view kOrchestraRoot = "repository";

std::unexpected<DictionaryError> wrong_root(XmlFile& file, const std::string& expected) {
  file.fail(file.root(), "the root element is " + element(file.root()) + ", expected " + expected);
  return std::unexpected{file.consume_error()};
}

}  // namespace

std::string DictionaryError::what() const {
  return file + ':' + (line == 0 ? std::string{} : std::to_string(line) + ':') + ' ' + text;
}

std::vector<std::string> DictionaryError::all() const {
  std::vector<std::string> lines{what()};
  for (const DictionaryError& other : others) lines.push_back(other.what());
  return lines;
}

std::expected<Dictionary, DictionaryError> load_dictionary(std::string_view text,
                                                           std::string_view file_name,
                                                           DictionaryFaults faults) {
  XmlFile file{file_name, faults};
  if (!file.parse(text)) return std::unexpected{file.consume_error()};
  const std::string_view root = local_name(file.root());
  if (root == kQuickfixRoot) return load_quickfix_xml(file);
  if (root == kOrchestraRoot) return load_orchestra(file, "base");
  return wrong_root(file, "<fix> of QuickFIX or <repository> of FIX Orchestra");
}

std::expected<Dictionary, DictionaryError> load_quickfix_xml(std::string_view text,
                                                             std::string_view file_name,
                                                             DictionaryFaults faults) {
  XmlFile file{file_name, faults};
  if (!file.parse(text)) return std::unexpected{file.consume_error()};
  if (local_name(file.root()) != kQuickfixRoot) return wrong_root(file, "<fix>");
  return load_quickfix_xml(file);
}

std::expected<Dictionary, DictionaryError> load_orchestra(std::string_view text,
                                                          std::string_view file_name,
                                                          std::string_view scenario,
                                                          DictionaryFaults faults) {
  XmlFile file{file_name, faults};
  if (!file.parse(text)) return std::unexpected{file.consume_error()};
  if (local_name(file.root()) != kOrchestraRoot) return wrong_root(file, "<repository>");
  return load_orchestra(file, scenario);
}

}  // namespace nexusfix::dictionary
