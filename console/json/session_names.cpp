#include "console/json/session_names.hpp"

#include <iterator>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::web {
namespace {

using Names = std::shared_ptr<const dictionary::LoadedNames>;

// Null: the file cannot be read, or has no dictionary.
Names read_names(Disk& disk, const std::string& file) {
  const auto text = read_regular_file(disk, file, dictionary::kDictionaryBytesMax);
  if (!text) return nullptr;
  const auto read = dictionary::load_dictionary(*text, file, dictionary::DictionaryFaults::Warn);
  return read ? std::make_shared<const dictionary::LoadedNames>(*read) : nullptr;
}

}  // namespace

SessionNames::SessionNames(Disk& disk, const config::Settings& settings) {
  std::map<std::string, Names> files;
  const auto add = [&](const std::string& file, Tables& tables) {
    if (file.empty()) return;
    const auto [place, is_new] = files.try_emplace(file);
    if (is_new) place->second = read_names(disk, file);
    if (place->second) tables.push_back(place->second);
  };
  for (const config::SessionSettings& session : settings.sessions) {
    Tables tables;
    add(session.dictionary.file, tables);
    for (const auto& [version, file] : session.dictionary.applications) add(file.path, tables);
    const session::SessionId& id = session.session.id;
    if (session.is_template) templates_.try_emplace(id.begin_string, tables);
    sessions_.try_emplace(id.to_string(), std::move(tables));
  }
}

std::vector<dictionary::NameTable> SessionNames::of(std::string_view session) const {
  const auto known = sessions_.find(session);
  const auto made = templates_.find(session.substr(0, session.find(':')));
  std::vector<dictionary::NameTable> tables;
  const Tables none;
  const Tables& found = known != sessions_.end()   ? known->second
                        : made != templates_.end() ? made->second
                                                   : none;
  tables.reserve(found.size());
  for (const Names& names : found) tables.push_back(names->table());
  return tables;
}

}  // namespace nexusfix::web
