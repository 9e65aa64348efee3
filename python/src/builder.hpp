// Makes messages of keyword arguments.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/src/catalog.hpp"
#include "python/src/message.hpp"

namespace nexusfix::python {

// A function of Python that makes messages of one type: fix44.NewOrderSingle(ClOrdID="A1", ...).
// Raises FieldNameError. name: of a message of the catalog.
[[nodiscard]] nb::object make_builder(const std::shared_ptr<Catalog>& catalog,
                                      std::string_view name);

// A message with some fields changed; None removes a field.
[[nodiscard]] PyObject* replace_fields(const MessageObject& message, nb::dict changes);

}  // namespace nexusfix::python
