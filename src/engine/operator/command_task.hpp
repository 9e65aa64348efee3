// The task that carries out an operator's command on a loop.
#pragma once

#include <memory>

#include "engine/operator/control_tasks.hpp"

namespace nexusfix::engine {

// order: its request is an OperatorCommand or a RecordRequest. engine must outlive the loops.
[[nodiscard]] std::unique_ptr<LoopTask> make_command_task(std::shared_ptr<ControlOrder> order,
                                                          const WholeEngine& engine);

}  // namespace nexusfix::engine
