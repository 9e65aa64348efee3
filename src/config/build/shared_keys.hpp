// The keys of the whole engine, which other engines give to each session: the store's, the logs'
// and the threads'. The first value counts.
#pragma once

#include <cstddef>
#include <map>

#include "config/api/settings.hpp"
#include "config/text/settings_section.hpp"

namespace nexusfix::config {

class SharedKeys {
 public:
  explicit SharedKeys(SettingsReport& report) : report_{report} {}

  // Reports a value that differs from an earlier session's, as Shared says.
  void take(const MergedSection& session);
  // Null: no session has it.
  [[nodiscard]] const Given* find(Key key) const;
  // The line of the key in the file; 0: no session has it.
  [[nodiscard]] std::size_t line_of(Key key) const;
  [[nodiscard]] bool says_no(Key key) const;
  // Sets the members of the keys. Keys of another store than Store's are reported as not used.
  void set_all(Settings& settings);

 private:
  void report_other(Key key, const Given& first, const Given& given);

  SettingsReport& report_;
  std::map<Key, Given> first_;
};

// After build_store(). An engine of a cluster waits as a standby.
void build_cluster(Settings& settings, const SharedKeys& keys, SettingsReport& report);

// Completes what the keys have set, and reports those that contradict each other.
void build_web(WebSettings& web, const SharedKeys& keys, SettingsReport& report);

}  // namespace nexusfix::config
