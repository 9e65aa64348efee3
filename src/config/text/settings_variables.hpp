// Replaces variables of the environment in values, if the file has ExpandVariables=Y: ${NAME},
// $(NAME) and $NAME. $$ is a $.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "config/text/settings_text.hpp"

namespace nexusfix::config {

// Values with variables become views of new texts, which must live as long as the sections. A
// variable that is not set is an error, and its entry is marked invalid.
void expand_variables(std::vector<SettingsSection>& sections, std::deque<std::string>& texts,
                      SettingsReport& report);

// What to write instead of ${user.home} and other properties that QuickFIX/J replaces. Empty: the
// value has none.
[[nodiscard]] std::string hint_for_property(std::string_view value);

}  // namespace nexusfix::config
