// The names that the dictionaries of a configuration give to fields, values and messages.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/dictionary.hpp>

#include "config/api/settings.hpp"

namespace nexusfix::web {

// Names by session. Any thread, after the constructor.
class SessionNames {
 public:
  // No session has a dictionary of its own.
  SessionNames() = default;
  // Reads each dictionary file once. The engine reports the faults of a file; here it has no names.
  SessionNames(Disk& disk, const config::Settings& settings);

  // The tables of a session: transport, then applications. Empty: it has the built-in dictionary.
  // A session that was created from a template has the tables of the first template with its
  // BeginString. The tables live as long as this object.
  [[nodiscard]] std::vector<dictionary::NameTable> of(std::string_view session) const;

 private:
  using Tables = std::vector<std::shared_ptr<const dictionary::LoadedNames>>;

  std::map<std::string, Tables, std::less<>> sessions_;
  std::map<std::string, Tables, std::less<>> templates_;  // by BeginString
};

}  // namespace nexusfix::web
