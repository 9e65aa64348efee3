// Finds the parts that a configuration needs and the program does not have.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nexusfix/engine.hpp>

#include "engine/ground/settings/settings_names.hpp"

namespace nexusfix::engine {

struct MissingPart {
  std::size_t line = 0;  // of the key, or of the session
  std::string text;      // names the key, the target to link, and the line to write
};

// Empty: the program has every part that the session needs.
[[nodiscard]] std::vector<MissingPart> missing_parts(const SessionSettings& settings,
                                                     const Parts& parts);
// The ports that need nexusfix::web. HttpAcceptPort alone is none of them: see Parts::web.
[[nodiscard]] std::vector<MissingPart> missing_web_part(const config::WebSettings& web);
// The text for Store=postgresql, which is a key of the engine.
[[nodiscard]] std::string missing_postgres_text();
// For ClusterShard.
[[nodiscard]] std::string missing_cluster_text();

}  // namespace nexusfix::engine
