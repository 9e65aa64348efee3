// The extension module nexusfix._core.
#include <algorithm>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <string_view>

#include "nexusfix/dictionary/named_dictionary.hpp"
#include "python/src/builder.hpp"
#include "python/src/catalog.hpp"
#include "python/src/errors.hpp"
#include "python/src/message.hpp"
#include "python/src/sessions/session_engine.hpp"
#include "python/src/sessions/simulated_world.hpp"
#include "python/src/stream.hpp"
#include "python/src/tables/log_query.hpp"
#include "python/src/values.hpp"

namespace nexusfix::python {
namespace {

using CatalogPointer = std::shared_ptr<Catalog>;

// The bytes of bytes, bytearray, memoryview, or of a str. The buffer is released at the end.
class Bytes {
 public:
  explicit Bytes(nb::handle data) {
    if (Py_IS_TYPE(data.ptr(), &PyBytes_Type) || PyBytes_Check(data.ptr()) != 0) {
      char* bytes = nullptr;
      Py_ssize_t size = 0;
      if (PyBytes_AsStringAndSize(data.ptr(), &bytes, &size) != 0) throw nb::python_error{};
      view_ = {bytes, static_cast<std::size_t>(size)};
      return;
    }
    kept_ = nb::steal(PyBytes_FromObject(data.ptr()));
    if (!kept_.is_valid()) throw nb::python_error{};
    *this = Bytes{kept_, nb::handle{kept_}};
  }
  [[nodiscard]] std::string_view view() const noexcept { return view_; }

 private:
  Bytes(nb::object kept, nb::handle data) : Bytes{data} { kept_ = std::move(kept); }
  nb::object kept_;
  std::string_view view_;
};

nb::object parse(nb::handle data, const CatalogPointer& dictionary) {
  return nb::steal(make_message(Bytes{data}.view(), dictionary));
}

// parse(data, dictionary=None), without the cost of a general call.
PyObject* parse_fast(PyObject*, PyObject* const* values, Py_ssize_t count,
                     PyObject* names) noexcept {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    const Py_ssize_t named = names == nullptr ? 0 : PyTuple_Size(names);
    const bool is_other =
        count + named == 2 &&
        (named == 0 || (named == 1 && text_of(PyTuple_GetItem(names, 0)) == "dictionary"));
    if (count == 1 && named == 0) return make_message(Bytes{values[0]}.view(), nullptr);
    if (count < 1 || !is_other) {
      PyErr_SetString(PyExc_TypeError, "parse(data, dictionary=None)");
      throw nb::python_error{};
    }
    CatalogPointer catalog;
    if (values[1] != Py_None) {
      if (!nb::isinstance<Catalog>(values[1])) {
        PyErr_SetString(PyExc_TypeError, "dictionary is a nexusfix.Dictionary or None");
        throw nb::python_error{};
      }
      catalog = nb::cast<CatalogPointer>(nb::handle{values[1]});
    }
    return make_message(Bytes{values[0]}.view(), std::move(catalog));
  });
}

dictionary::ValidationRules rules_of(const nb::kwargs& given) {
  dictionary::ValidationRules rules;
  for (const auto [key, value] : given) {
    const std::string_view name = text_of(key.ptr());
    const auto found = std::ranges::find(dictionary::kValidationRuleKeys, name,
                                         [](const auto& rule) { return rule.first; });
    if (found == dictionary::kValidationRuleKeys.end()) {
      std::string text = "no validation rule '" + std::string{name} + "'; the rules:";
      for (const auto& rule : dictionary::kValidationRuleKeys) {
        text.append(" ").append(rule.first);
      }
      PyErr_SetString(PyExc_TypeError, text.c_str());
      throw nb::python_error{};
    }
    rules.*found->second = nb::cast<bool>(value);
  }
  return rules;
}

std::string_view rule_name(dictionary::Violation::Rule rule) {
  static constexpr std::array<std::string_view, dictionary::kViolationRules> kNames{
      "TagMalformed",     "TagWithoutValue", "ValueEmpty",        "DataLengthWrong",
      "MsgTypeUnknown",   "TagUnknown",      "TagNotInMessage",   "TagOutOfSection",
      "TagRepeated",      "TypeWrong",       "ValueOutOfRange",   "ValueNotInEnumeration",
      "DelimiterMissing", "GroupOrderWrong", "GroupCountWrong",   "LengthMissing",
      "DataMissing",      "DataOutOfOrder",  "RequiredTagMissing"};
  return kNames[static_cast<std::size_t>(rule)];
}

nb::object problem_of(const MessageObject& message, const nb::kwargs& rules) {
  dictionary::Violation violation;
  const auto found = message.catalog->check(message.scope.view, rules_of(rules), violation);
  if (!found) return nb::none();
  return make_error({.type = "ValidationError",
                     .text = found->text(),
                     .tag = violation.tag == 0 ? std::nullopt : std::optional{violation.tag},
                     .offset = violation.offset,
                     .rule = rule_name(violation.rule)});
}

void validate(const MessageObject& message, const nb::kwargs& rules) {
  const nb::object problem = problem_of(message, rules);
  if (problem.is_none()) return;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(problem.ptr())), problem.ptr());
  throw nb::python_error{};
}

CatalogPointer builtin(const std::string& name) {
  const auto version = command::version_of_name(name);
  if (!version) {
    raise({.type = "DictionaryError",
           .text = "no version '" + name + "'; the versions: " + command::version_names(),
           .tag = {},
           .offset = {},
           .rule = {}});
  }
  return Catalog::builtin(*version);
}

// text: a str, or the bytes of a file, whose encoding the file names.
CatalogPointer from_text(nb::handle text, const std::string& name) {
  if (PyUnicode_Check(text.ptr()) != 0)
    return Catalog::load(std::string{text_of(text.ptr())}, name);
  return Catalog::load(std::string{Bytes{text}.view()}, name);
}

// The enumeration of a field, or what makes a message of this name; none: there is neither.
nb::object member(const CatalogPointer& catalog, const std::string& name) {
  if (catalog->message_of_name(name) != nullptr) return make_builder(catalog, name);
  const Field* const field = catalog->field(name);
  PyObject* const enumeration = field == nullptr ? nullptr : enumeration_of(*field);
  return enumeration == nullptr ? nb::none() : nb::borrow(enumeration);
}

nb::list member_names(const Catalog& catalog) {
  nb::list names;
  for (const std::string_view name : catalog.message_names()) names.append(name);
  for (const Field* const field : catalog.fields()) {
    if (field->definition->values.empty() || field->kind == ValueKind::Boolean) continue;
    names.append(field->name);
  }
  return names;
}

nb::object reduced(const MessageObject& message) {
  const std::string_view bytes = message.scope.view.bytes();
  return nb::make_tuple(nb::module_::import_("nexusfix._core").attr("parse"),
                        nb::make_tuple(nb::bytes{bytes.data(), bytes.size()}, message.catalog));
}

nb::object reduced_catalog(const Catalog& catalog) {
  const nb::module_ load = nb::module_::import_("nexusfix.load");
  if (catalog.text().empty()) {
    return nb::make_tuple(load.attr("builtin_dictionary"), nb::make_tuple(catalog.label()));
  }
  const nb::bytes text{catalog.text().data(), catalog.text().size()};
  return nb::make_tuple(load.attr("dictionary_of_text"), nb::make_tuple(text, catalog.label()));
}

void add_dictionary(nb::module_& module) {
  nb::class_<Catalog> type{module, "Dictionary"};
  type.def_static("builtin", builtin, nb::arg("version"));
  type.def_static("from_text", from_text, nb::arg("text"), nb::arg("name") = "dictionary");
  type.def_prop_ro("name", [](const Catalog& self) { return self.label(); });
  type.def_prop_ro("begin_string", &Catalog::begin_string);
  type.def_prop_ro("messages", [](const Catalog& self) {
    nb::list names;
    for (const std::string_view name : self.message_names()) names.append(name);
    return nb::tuple(names);
  });
  type.def(
      "tag", [](Catalog& self, nb::handle name) { return tag_of(self, name.ptr()); },
      nb::arg("name"));
  type.def(
      "field_name", [](Catalog& self, wire::Tag tag) { return self.field(tag).name; },
      nb::arg("tag"));
  type.def(
      "parse", [](const CatalogPointer& self, nb::handle data) { return parse(data, self); },
      nb::arg("data"));
  type.def("__getattr__", [](const CatalogPointer& self, const std::string& name) {
    nb::object found = name.starts_with("__") ? nb::none() : member(self, name);
    if (found.is_none()) {
      throw nb::attribute_error(
          (self->label() + " has no message or enumeration '" + name + "'").c_str());
    }
    return found;
  });
  type.def("__reduce__", reduced_catalog);
  type.def("__repr__",
           [](const Catalog& self) { return "nexusfix.Dictionary(" + self.label() + ")"; });
  type.def("__dir__", [](nb::handle self) {
    nb::list names = member_names(*nb::inst_ptr<Catalog>(self));
    names.extend(nb::module_::import_("builtins").attr("dir")(self.type()));
    return names;
  });
  module.def("member", member, nb::arg("dictionary"), nb::arg("name"));
  module.def("member_names", member_names, nb::arg("dictionary"));
}

void add_stream(nb::module_& module) {
  nb::class_<Stream> type{module, "Stream"};
  constexpr std::size_t kMessageBytesMax = 1U << 20U;
  type.def(nb::init<CatalogPointer, std::size_t>(), nb::arg("dictionary") = nb::none(),
           nb::arg("max_message_bytes") = kMessageBytesMax);
  type.def(
      "feed", [](Stream& self, nb::handle data) { return self.feed(Bytes{data}.view()); },
      nb::arg("data"));
  type.def_prop_ro("errors", [](const Stream& self) { return nb::list(self.errors()); });
  type.def_prop_ro("garbled", &Stream::garbled);
  type.def_prop_ro("pending", &Stream::pending);
}

// What a message does with its dictionary: message.cpp has only what a mapping needs.
void add_messages(nb::module_& module) {
  nb::class_<MessageObject> type = add_message_classes(module);
  type.def("validate", validate);
  type.def("problem", problem_of);
  type.def("replace", [](const MessageObject& self, const nb::kwargs& fields) {
    return nb::steal(replace_fields(self, fields));
  });
  type.def_prop_ro("dictionary", [](const MessageObject& self) { return self.catalog; });
  type.def("__reduce__", reduced);
  const nb::object mapping = nb::module_::import_("collections.abc").attr("Mapping");
  for (const char* const name : {"Message", "Entry"}) {
    mapping.attr("register")(module.attr(name));
  }
}

}  // namespace
}  // namespace nexusfix::python

NB_MODULE(_core, module) {
  using namespace nexusfix::python;
  nanobind::set_leak_warnings(false);  // built-in dictionaries live until the process ends
  add_dictionary(module);
  add_messages(module);
  add_stream(module);
  add_log_query(module);
  add_session_engine(module);
  add_simulated_world(module);
  static PyMethodDef parse_method{
      .ml_name = "parse",
      .ml_meth = reinterpret_cast<PyCFunction>(parse_fast),
      .ml_flags = METH_FASTCALL | METH_KEYWORDS,
      .ml_doc = "parse(data, dictionary=None)\n--\n\nThe message in these bytes."};
  const nanobind::str name{"nexusfix._core"};
  module.attr("parse") = nanobind::steal(PyCFunction_NewEx(&parse_method, nullptr, name.ptr()));
}
