// The task that carries out an operator's command on a loop.
#pragma once

#include <memory>
#include <string>

#include "engine/service/operator/control_tasks.hpp"

namespace nexusfix::engine {

// What the event log and the store have of a command.
[[nodiscard]] std::string text_of(const OperatorCommand& command);
// order: its request is an OperatorCommand or a RecordRequest. engine must outlive the loops.
[[nodiscard]] std::unique_ptr<LoopTask> make_command_task(std::shared_ptr<ControlOrder> order,
                                                          const WholeEngine& engine);

}  // namespace nexusfix::engine
