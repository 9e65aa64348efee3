// Messages of a standard dictionary that the project does not have: the installed one.
#include <nexusfix/fix40/new_order_single.hpp>

static_assert(nexusfix::fix40::NewOrderSingle::kBeginString == "FIX.4.0");
