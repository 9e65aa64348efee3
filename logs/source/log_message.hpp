// A message of a log, as it is passed to a command.
#pragma once

#include <cstdint>

#include "logs/messages/message_scanner.hpp"

namespace nexusfix::logs {

// The reader of a log writes it once, and passes it on without a copy. The offset is that in the
// unpacked bytes of its file, and the file a position in LogReport::files.
using LogMessage = printing::ScannedMessage;

enum class AfterMessage : std::uint8_t { Continue, Stop };

}  // namespace nexusfix::logs
