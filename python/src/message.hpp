// The Python classes Message and Entry: mappings over an indexed message.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/wire/group_view.hpp>
#include <nexusfix/wire/parser.hpp>

#include "python/src/catalog.hpp"

namespace nexusfix::python {

// Fields of a message that are read as one mapping: those of the message itself, or of one entry of
// a group. Fields of groups within it are not among them.
struct Scope {
  wire::MessageView view;
  std::uint32_t begin = 0;  // indexes of the view's fields
  std::uint32_t end = 0;
  const Message* message = nullptr;  // of a whole message; null: the dictionary lacks it
  const Group* group = nullptr;      // of an entry

  // The group with this count field directly in the scope; null: there is none.
  [[nodiscard]] const Group* group_of(wire::Tag count) const;
  // The index of the first field with this tag outside of groups; end: there is none.
  [[nodiscard, gnu::always_inline]] std::uint32_t find(wire::Tag tag) const {
    const bool is_plain =
        group == nullptr && (message == nullptr || !message->may_be_in_group(tag));
    if (!is_plain) return find_outside_groups(tag);
    return static_cast<std::uint32_t>(view.find_index(tag).value_or(end));
  }
  // The index of the field after the one at index, and after its group.
  [[nodiscard]] std::uint32_t next(std::uint32_t index) const;
  // The entries of the group whose count field is at index: the indexes of their fields.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> entries(
      const Group& group, std::uint32_t index) const;
  [[nodiscard]] wire::Tag tag_at(std::uint32_t index) const { return view.field(index).tag; }
  // find(), one field after the other.
  [[nodiscard]] std::uint32_t find_outside_groups(wire::Tag tag) const;
};

// A message of Python: it owns its bytes and their index.
struct MessageObject {
  MessageObject(wire::OwnedMessage&& message, std::shared_ptr<Catalog>&& structure)
      : owned{std::move(message)}, catalog{std::move(structure)} {
    scope.view = owned.view();
    scope.end = static_cast<std::uint32_t>(scope.view.field_count());
    scope.message = catalog->message(scope.view.msg_type());
  }

  wire::OwnedMessage owned;
  std::shared_ptr<Catalog> catalog;
  Scope scope;
};

// An entry of a repeating group; its message lives as long.
struct EntryObject {
  nb::object message;
  std::shared_ptr<Catalog> catalog;
  Scope scope;
};

// A new Message of these bytes. Raises ParseError. catalog: null: that of the message's version.
[[nodiscard]] PyObject* make_message(std::string_view bytes, std::shared_ptr<Catalog> catalog);

// The tag of a key that is no int. Raises FieldNameError.
[[nodiscard]] wire::Tag tag_of_name(Catalog& catalog, PyObject* key);

// The tag of a key: an int, or the name of a field. 0: no field can have it. Raises FieldNameError.
[[nodiscard]] inline wire::Tag tag_of(Catalog& catalog, PyObject* key) {
  // By the stable ABI, PyLong_Check() is a call.
  if (!Py_IS_TYPE(key, &PyLong_Type) && PyLong_Check(key) == 0) return tag_of_name(catalog, key);
#if !defined(Py_LIMITED_API) && PY_VERSION_HEX < 0x030C0000
  if (Py_SIZE(key) == 1) return reinterpret_cast<PyLongObject*>(key)->ob_digit[0];
#endif
  int overflow = 0;
  const long long tag = PyLong_AsLongLongAndOverflow(key, &overflow);
  return overflow == 0 && tag > 0 && tag <= INT32_MAX ? static_cast<wire::Tag>(tag) : 0;
}

// Adds the classes to the module. Returns Message, with what a mapping has.
nb::class_<MessageObject> add_message_classes(nb::module_& module);

}  // namespace nexusfix::python
