#include "python/src/message.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <string>
#include <unordered_set>

#include "python/src/recycled_blocks.hpp"
#include "python/src/values.hpp"

namespace nexusfix::python {

const Group* Scope::group_of(wire::Tag count) const {
  const Members::Member* member = nullptr;
  if (group != nullptr) member = group->members.find(count);
  if (message != nullptr && message->has_groups) member = message->find(count);
  return member == nullptr ? nullptr : member->group;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> Scope::entries(const Group& group,
                                                                    std::uint32_t index) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  wire::Tag first = group.shape->delimiter();
  if (group.any_field_begins && index + 1 < end) first = tag_at(index + 1);
  std::uint32_t at = index + 1;
  if (at >= end || tag_at(at) != first || !group.shape->has(first)) return found;
  std::uint32_t begin = at;
  for (++at; at < end && group.shape->has(tag_at(at)); ++at) {
    if (tag_at(at) != first) continue;
    found.emplace_back(begin, at);
    begin = at;
  }
  found.emplace_back(begin, at);
  return found;
}

std::uint32_t Scope::next(std::uint32_t index) const {
  const Group* const counted = group_of(tag_at(index));
  if (counted == nullptr) return index + 1;
  const auto found = entries(*counted, index);
  return found.empty() ? index + 1 : found.back().second;
}

std::uint32_t Scope::find_outside_groups(wire::Tag tag) const {
  for (std::uint32_t at = begin; at < end; at = next(at)) {
    if (tag_at(at) == tag) return at;
  }
  return end;
}

namespace {

PyTypeObject* message_type = nullptr;
PyTypeObject* entry_type = nullptr;
wire::Parser& usual = *new wire::Parser;       // of messages without a dictionary of the user
RecycledBlocks& memory = *new RecycledBlocks;  // lives as long as the last message

MessageObject& message_of(PyObject* self) { return *nb::inst_ptr<MessageObject>(self); }
EntryObject& entry_of(PyObject* self) { return *nb::inst_ptr<EntryObject>(self); }

// What Message and Entry have in common.
struct Parts {
  PyObject* message;
  const std::shared_ptr<Catalog>& catalog;
  const Scope& scope;
};

template <class Object>
Parts parts_of(PyObject* self);
template <>
Parts parts_of<MessageObject>(PyObject* self) {
  MessageObject& message = message_of(self);
  return {self, message.catalog, message.scope};
}
template <>
Parts parts_of<EntryObject>(PyObject* self) {
  EntryObject& entry = entry_of(self);
  return {entry.message.ptr(), entry.catalog, entry.scope};
}

PyObject* make_entry(const Parts& parts, const Group& group,
                     std::pair<std::uint32_t, std::uint32_t> place) {
  nb::object made = nb::inst_alloc(reinterpret_cast<PyObject*>(entry_type));
  Scope scope{parts.scope.view, place.first, place.second, nullptr, &group};
  new (nb::inst_ptr<EntryObject>(made))
      EntryObject{nb::borrow(parts.message), parts.catalog, scope};
  nb::inst_mark_ready(made);
  return made.release().ptr();
}

// The entries of the group whose count field is at index.
[[gnu::noinline]] PyObject* entries_at(const Parts& parts, const Group& group,
                                       std::uint32_t index) {
  nb::list entries;
  for (const auto& place : parts.scope.entries(group, index)) {
    entries.append(nb::steal(make_entry(parts, group, place)));
  }
  return nb::tuple(entries).release().ptr();
}

// The value of the field at index, which has this tag; a tuple of entries for a count field.
[[gnu::always_inline]] inline PyObject* value_at(const Parts& parts, wire::Tag tag,
                                                 std::uint32_t index) {
  const Field& field = parts.catalog->field(tag);
  if (field.is_count) [[unlikely]] {
    const Group* const group = parts.scope.group_of(tag);
    if (group != nullptr) return entries_at(parts, *group, index);
  }
  const wire::detail::FieldPlace place = parts.scope.view.index().place(index);
  return to_python(field, parts.scope.view.bytes().substr(place.begin, place.end - place.begin),
                   place.begin);
}

// The count field of the group of the message that has this tag; null: none has.
const Field* group_with(const Members& members, wire::Tag tag) {
  for (const Members::Member& member : members.all) {
    if (member.group == nullptr) continue;
    if (member.group->members.find(tag) != nullptr) return member.field;
    if (const Field* const inner = group_with(member.group->members, tag)) return inner;
  }
  return nullptr;
}

[[noreturn]] void raise_absent(const Parts& parts, wire::Tag tag) {
  std::string text = named(parts.catalog->field(tag)) + " is not in the message";
  const Message* const message = parts.scope.message;
  if (message != nullptr && message->may_be_in_group(tag)) {
    if (const Field* const count = group_with(message->body, tag)) {
      text += "; entries of " + named(*count) + " have it";
    }
  }
  raise({.type = "FieldMissingError", .text = text, .tag = tag, .offset = {}, .rule = "Missing"});
}

template <class Object>
PyObject* subscript(PyObject* self, PyObject* key) noexcept {
  return guarded<PyObject*>(nullptr, [&] {
    const Parts parts = parts_of<Object>(self);
    const wire::Tag tag = tag_of(*parts.catalog, key);
    const std::uint32_t index = parts.scope.find(tag);
    if (index >= parts.scope.end) raise_absent(parts, tag);
    return value_at(parts, tag, index);
  });
}

// -1: the dictionary has no such name; then no message has the field.
template <class Object>
int contains(PyObject* self, PyObject* key) noexcept {
  return guarded<int>(-1, [&] {
    const Parts parts = parts_of<Object>(self);
    wire::Tag tag = 0;
    if (PyUnicode_Check(key) != 0) {
      const Field* const field = parts.catalog->field(text_of(key));
      if (field == nullptr) return 0;
      tag = field->tag;
    } else if (PyLong_Check(key) != 0) {
      tag = tag_of(*parts.catalog, key);
    } else {
      return 0;
    }
    return parts.scope.find(tag) < parts.scope.end ? 1 : 0;
  });
}

// Each tag once, in the order of the message.
std::vector<wire::Tag> tags_of(const Scope& scope) {
  std::vector<wire::Tag> tags;
  std::unordered_set<wire::Tag> seen;
  for (std::uint32_t at = scope.begin; at < scope.end; at = scope.next(at)) {
    const wire::Tag tag = scope.tag_at(at);
    if (seen.insert(tag).second) tags.push_back(tag);
  }
  return tags;
}

template <class Object>
Py_ssize_t length(PyObject* self) noexcept {
  return guarded<Py_ssize_t>(
      -1, [&] { return static_cast<Py_ssize_t>(tags_of(parts_of<Object>(self).scope).size()); });
}

template <class Object>
PyObject* iterate(PyObject* self) noexcept {
  return guarded<PyObject*>(nullptr, [&] {
    nb::list tags;
    for (const wire::Tag tag : tags_of(parts_of<Object>(self).scope)) tags.append(tag);
    return PyObject_GetIter(tags.ptr());
  });
}

std::string_view bytes_of(const Scope& scope) {
  if (scope.message != nullptr || scope.group == nullptr) return scope.view.bytes();
  const std::string_view bytes = scope.view.bytes();
  // An entry begins after the SOH of the field before it.
  const wire::FieldView before = scope.view.field(scope.begin - 1);
  const wire::FieldView last = scope.view.field(scope.end - 1);
  const std::size_t from = before.offset + before.value.size() + 1;
  return bytes.substr(from, last.offset + last.value.size() + 1 - from);
}

template <class Object>
PyObject* compare(PyObject* self, PyObject* other, int operation) noexcept {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    PyTypeObject* const type = std::is_same_v<Object, MessageObject> ? message_type : entry_type;
    if ((operation != Py_EQ && operation != Py_NE) || Py_TYPE(other) != type) {
      return Py_NewRef(Py_NotImplemented);
    }
    const bool is_same =
        bytes_of(parts_of<Object>(self).scope) == bytes_of(parts_of<Object>(other).scope);
    return Py_NewRef(is_same == (operation == Py_EQ) ? Py_True : Py_False);
  });
}

template <class Object>
Py_hash_t hash(PyObject* self) noexcept {
  const auto value =
      static_cast<Py_hash_t>(std::hash<std::string_view>{}(bytes_of(parts_of<Object>(self).scope)));
  return value == -1 ? -2 : value;
}

PyObject* message_repr(PyObject* self) noexcept {
  return guarded<PyObject*>(nullptr, [&] {
    MessageObject& message = message_of(self);
    const std::string text = message.catalog->decoded(message.scope.view.bytes());
    return nb::str(text.data(), text.size()).release().ptr();
  });
}

// A value that is not of the type of its field, as its bytes: a repr raises nothing.
std::string repr_of_value(const Parts& parts, std::uint32_t at) {
  try {
    return nb::cast<std::string>(
        nb::str(nb::repr(nb::steal(value_at(parts, parts.scope.tag_at(at), at)))));
  } catch (nb::python_error&) {
    const std::string_view raw = parts.scope.view.field(at).value;
    return nb::cast<std::string>(nb::str(nb::repr(nb::bytes{raw.data(), raw.size()})));
  }
}

PyObject* entry_repr(PyObject* self) noexcept {
  return guarded<PyObject*>(nullptr, [&] {
    const Parts parts = parts_of<EntryObject>(self);
    std::string text = "{";
    for (std::uint32_t at = parts.scope.begin; at < parts.scope.end; at = parts.scope.next(at)) {
      const Field& field = parts.catalog->field(parts.scope.tag_at(at));
      if (text.size() > 1) text += ", ";
      text += field.name.empty() ? std::to_string(field.tag) : std::string{field.name};
      text += ": ";
      text += field.is_secret ? "***" : repr_of_value(parts, at);
    }
    text += "}";
    return nb::str(text.data(), text.size()).release().ptr();
  });
}

template <class Object>
PyObject* get(PyObject* self, PyObject* key, PyObject* other) {
  const Parts parts = parts_of<Object>(self);
  if (contains<Object>(self, key) != 1) {
    if (PyErr_Occurred() != nullptr) throw nb::python_error{};
    return Py_NewRef(other);
  }
  const wire::Tag tag = tag_of(*parts.catalog, key);
  return value_at(parts, tag, parts.scope.find(tag));
}

template <class Object>
nb::bytes raw(PyObject* self, PyObject* key) {
  const Parts parts = parts_of<Object>(self);
  const wire::Tag tag = tag_of(*parts.catalog, key);
  const std::uint32_t index = parts.scope.find(tag);
  if (index >= parts.scope.end) raise_absent(parts, tag);
  const std::string_view value = parts.scope.view.field(index).value;
  return nb::bytes{value.data(), value.size()};
}

template <class Object>
nb::list fields(PyObject* self) {
  const Parts parts = parts_of<Object>(self);
  nb::list all;
  for (std::uint32_t at = parts.scope.begin; at < parts.scope.end; ++at) {
    const wire::FieldView field = parts.scope.view.field(at);
    all.append(nb::make_tuple(field.tag, nb::bytes{field.value.data(), field.value.size()}));
  }
  return all;
}

template <class Object>
PyObject* as_bytes(PyObject* self, PyObject*) noexcept {
  return guarded<PyObject*>(nullptr, [&] {
    const std::string_view bytes = bytes_of(parts_of<Object>(self).scope);
    return PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size()));
  });
}

// Without the cost of a general call.
template <class Object>
PyMethodDef methods[] = {{"__bytes__", as_bytes<Object>, METH_NOARGS, "__bytes__($self)\n--\n\n"},
                         {}};

template <class Object>
PyType_Slot slots[] = {
    {Py_tp_methods, static_cast<void*>(methods<Object>)},
    {Py_mp_subscript, reinterpret_cast<void*>(subscript<Object>)},
    {Py_mp_length, reinterpret_cast<void*>(length<Object>)},
    {Py_sq_contains, reinterpret_cast<void*>(contains<Object>)},
    {Py_tp_iter, reinterpret_cast<void*>(iterate<Object>)},
    {Py_tp_richcompare, reinterpret_cast<void*>(compare<Object>)},
    {Py_tp_hash, reinterpret_cast<void*>(hash<Object>)},
    {Py_tp_repr,
     reinterpret_cast<void*>(std::is_same_v<Object, MessageObject> ? message_repr : entry_repr)},
    {0, nullptr}};

nb::object view_of(const char* type, nb::handle self) {
  return nb::module_::import_("collections.abc").attr(type)(self);
}

template <class Object, class Class>
void add_mapping(Class& type) {
  type.def(
      "get",
      [](nb::handle self, nb::handle key, nb::handle other) {
        return nb::steal(get<Object>(self.ptr(), key.ptr(), other.ptr()));
      },
      nb::arg("key"), nb::arg("default") = nb::none());
  type.def(
      "raw", [](nb::handle self, nb::handle key) { return raw<Object>(self.ptr(), key.ptr()); },
      nb::arg("key"));
  type.def("fields", [](nb::handle self) { return fields<Object>(self.ptr()); });
  type.def("keys", [](nb::handle self) { return view_of("KeysView", self); });
  type.def("values", [](nb::handle self) { return view_of("ValuesView", self); });
  type.def("items", [](nb::handle self) { return view_of("ItemsView", self); });
  type.def("__copy__", [](nb::handle self) { return nb::borrow(self); });
  type.def("__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); });
}

}  // namespace

wire::Tag tag_of_name(Catalog& catalog, PyObject* key) {
  if (PyUnicode_Check(key) == 0) {
    PyErr_SetString(PyExc_TypeError, "a key is a tag or the name of a field");
    throw nb::python_error{};
  }
  const std::string_view name = text_of(key);
  if (const Field* const field = catalog.field(name)) return field->tag;
  std::string text = catalog.label() + " has no field '" + std::string{name} + "'";
  if (const auto nearest = catalog.nearest_field(name)) text += "; nearest: '" + *nearest + "'";
  raise({.type = "FieldNameError", .text = text, .tag = {}, .offset = {}, .rule = "NameUnknown"});
}

PyObject* make_message(std::string_view bytes, std::shared_ptr<Catalog> catalog) {
  const auto view =
      catalog == nullptr || catalog->text().empty() ? usual.parse(bytes) : catalog->parse(bytes);
  if (!view) {
    const nb::object error = parse_error(view.error(), bytes);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
    throw nb::python_error{};
  }
  if (catalog == nullptr) catalog = Catalog::of_message(*view);
  auto owned = wire::to_owned(*view, memory);
  if (!owned) throw std::bad_alloc{};
  nb::object made = nb::inst_alloc(reinterpret_cast<PyObject*>(message_type));
  new (nb::inst_ptr<MessageObject>(made)) MessageObject{std::move(*owned), std::move(catalog)};
  nb::inst_mark_ready(made);
  return made.release().ptr();
}

nb::class_<MessageObject> add_message_classes(nb::module_& module) {
  nb::class_<MessageObject> message{module, "Message", nb::type_slots(slots<MessageObject>),
                                    nb::is_final()};
  message_type = reinterpret_cast<PyTypeObject*>(message.ptr());
  add_mapping<MessageObject>(message);
  message.def_prop_ro("msg_type", [](const MessageObject& self) {
    return std::string{self.scope.view.msg_type()};
  });
  message.def_prop_ro("name", [](const MessageObject& self) {
    return self.scope.message == nullptr ? std::string{} : self.scope.message->name;
  });
  message.def_prop_ro("begin_string", [](const MessageObject& self) {
    return std::string{self.scope.view.begin_string()};
  });
  nb::class_<EntryObject> entry{module, "Entry", nb::type_slots(slots<EntryObject>),
                                nb::is_final()};
  entry_type = reinterpret_cast<PyTypeObject*>(entry.ptr());
  add_mapping<EntryObject>(entry);
  return message;
}

}  // namespace nexusfix::python
