// The tags of fields by their names, for messages that a client writes as an object.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/wire/field.hpp>

#include "config/api/settings.hpp"

namespace nexusfix::gateway {

// Any thread, after it is filled.
class FieldNames {
 public:
  // The names of the built-in versions of FIX, and before them those of the configuration's own
  // dictionaries. A file that cannot be read has no names: the engine reports its fault. Blocks.
  [[nodiscard]] static FieldNames of(const config::Settings& settings, Disk& disk);
  // The names of the built-in versions alone.
  [[nodiscard]] static FieldNames builtin();

  // The tag of "Side" or "54". The error is one line: there is no such field, or two dictionaries
  // give the name to two tags.
  [[nodiscard]] std::expected<wire::Tag, std::string> tag_of(std::string_view name) const;

 private:
  std::map<std::string, wire::Tag, std::less<>> tags_;  // 0: several
};

}  // namespace nexusfix::gateway
