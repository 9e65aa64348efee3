#include "gateway/rights/owner_fields.hpp"

namespace nexusfix::gateway {

OwnerFields owner_fields(const wire::MessageView& message) noexcept {
  const auto cl_ord_id = message[kClOrdId];
  return {.msg_type = message.msg_type(),
          .account = message[kAccount].value_or(""),
          .symbol = message[kSymbol].value_or(""),
          .cl_ord_id = cl_ord_id ? *cl_ord_id : message[kOrigClOrdId].value_or("")};
}

OwnerFields owner_fields(const MessageFields& message) noexcept {
  const std::string_view cl_ord_id = message.value(kClOrdId);
  return {.msg_type = message.msg_type(),
          .account = message.value(kAccount),
          .symbol = message.value(kSymbol),
          .cl_ord_id = cl_ord_id.empty() ? message.value(kOrigClOrdId) : cl_ord_id};
}

}  // namespace nexusfix::gateway
