// Only nexusfix-arrow has it.
#include "logs/columns/arrow_command.hpp"

namespace nexusfix::command {
namespace {

// Before main(): a static object of this program alone.
[[maybe_unused]] const logs::OpenColumns kLinked = linked_columns = logs::open_arrow_columns;

}  // namespace
}  // namespace nexusfix::command
