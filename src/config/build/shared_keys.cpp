#include "config/build/shared_keys.hpp"

#include <string>

#include "config/text/settings_values.hpp"

namespace nexusfix::config {

void SharedKeys::take(const MergedSection& session) {
  session.for_each_given([&](Key key, const Given& given) {
    const Shared sharing = key.row().sets.sharing;
    if (sharing == Shared::No) return;
    // A wrong FileStorePath is one as well: the folder is not missing in addition.
    if (sharing != Shared::Folder && !given.right) return;
    const Given& first = first_.try_emplace(key, given).first->second;
    const bool is_same = sharing == Shared::Folder ? first.value == given.value
                                                   : equals_ignoring_case(first.value, given.value);
    if (!is_same) report_other(key, first, given);
  });
}

void SharedKeys::report_other(Key key, const Given& first, const Given& given) {
  const std::string name{key.name()};
  const std::string line = std::to_string(first.line);
  switch (key.row().sets.sharing) {
    case Shared::No:
      return;
    case Shared::Folder:
      return report_.warning(given.line, name + ": not used; one journal holds all sessions, in " +
                                             shown(first.value));
    case Shared::Logs:
      return report_.warning(given.line,
                             name + ": not used; all sessions share what line " + line + " says");
    case Shared::Store:
      return report_.error(
          given.line, name + ": differs from line " + line + ", but all sessions share one store");
    case Shared::Threads:
      return report_.error(given.line, name + ": differs from line " + line +
                                           ", but all sessions share the engine's threads");
    case Shared::Web:
      return report_.error(given.line, name + ": differs from line " + line +
                                           ", but all sessions share one console");
  }
}

const Given* SharedKeys::find(Key key) const {
  const auto found = first_.find(key);
  return found == first_.end() ? nullptr : &found->second;
}

std::size_t SharedKeys::line_of(Key key) const {
  const Given* const given = find(key);
  return given == nullptr ? 0 : given->line;
}
bool SharedKeys::says_no(Key key) const {
  const Given* const given = find(key);
  return given != nullptr && !is_yes(given->value);
}

void SharedKeys::set_all(Settings& settings) {
  // Store stands before the keys of the database.
  for (const auto& [key, given] : first_) {
    const bool has_database = settings.store == StoreKind::PostgreSQL;
    if (key.name().starts_with("PostgreSQLStore") && !has_database) {
      report_.warning(given.line, std::string{key.name()} + ": not used without Store=postgresql");
      continue;
    }
    if (const auto setter = key.row().sets.into<Settings>()) {
      setter(settings, given.value, key.row().rule);
    }
  }
}

}  // namespace nexusfix::config
