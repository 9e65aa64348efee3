// Variables in the values of a configuration, out of the environment: ${NAME}, $(NAME) and $NAME,
// where the file says ExpandVariables=Y. $$ is a $.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "config/text/settings_text.hpp"

namespace nexusfix::config {

// Values with variables become views of new texts, which must live as long as the sections. A
// variable that is not set is a mistake, and its entry is marked wrong.
void expand_variables(std::vector<SettingsSection>& sections, std::deque<std::string>& texts,
                      SettingsReport& report);

// Of a ${user.home} or the like, which QuickFIX/J replaces: what to write instead. Empty: there is
// none.
[[nodiscard]] std::string hint_for_property(std::string_view value);

}  // namespace nexusfix::config
