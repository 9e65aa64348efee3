// The store of an engine, after SharedKeys has set it. All sessions share one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "config/api/settings.hpp"
#include "config/build/shared_keys.hpp"

namespace nexusfix::config {

// Whether the file has a FileStorePath that cannot be read as one. Then the default folder is not
// taken: it would begin with other sequence numbers.
enum class FolderMeant : std::uint8_t { Any, Lost };

// An engine that takes a log over needs everything that was sent: strict, unless the file says
// otherwise.
void require_standby(Settings& settings, const SharedKeys& keys);

void build_store(Settings& settings, const SharedKeys& keys, std::size_t first_session_line,
                 FolderMeant meant, SettingsReport& report);

}  // namespace nexusfix::config
