// Waits for bytes of a log; Ctrl-C ends the wait.
#pragma once

namespace nexusfix::logs {

// Waits a tenth of a second for more bytes of followed logs. False: interrupted.
[[nodiscard]] bool wait_for_more();
// Waits until standard input has bytes or its end. False: interrupted.
[[nodiscard]] bool wait_for_input();

}  // namespace nexusfix::logs
