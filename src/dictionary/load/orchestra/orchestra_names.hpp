// Converts the names and versions of Orchestra to those of our dictionaries.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nexusfix::dictionary {

// "PartialFill" is PARTIAL_FILL, "GTDOrder" is GTD_ORDER, "Rule144A" is RULE_144A.
[[nodiscard]] std::string upper_snake(std::string_view name);

struct RepositoryVersion {
  std::string begin_string;  // "FIX.4.4", "FIX.5.0", "FIXT.1.1"
  unsigned service_pack = 0;
};

// FIX Latest is FIX 5.0 SP2 and its extension packs.
[[nodiscard]] RepositoryVersion latest_version();
// "FIX.4.4", "FIX.5.0SP2_EP254", "FIX.Latest_EP269". Nothing: the text begins with no known
// version.
[[nodiscard]] std::optional<RepositoryVersion> version_in(std::string_view text);

}  // namespace nexusfix::dictionary
