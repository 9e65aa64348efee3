#include "python/src/errors.hpp"

#include <nanobind/stl/string.h>

#include <nexusfix/explanation.hpp>
#include <nexusfix/wire/frame.hpp>

#include "logs/fields/password_mask.hpp"

namespace nexusfix::python {

PyObject* imported(const char* module, const char* name) {
  nb::object found = nb::module_::import_(module).attr(name);
  return found.release().ptr();
}

nb::object make_error(const Problem& problem) {
  nb::object type = nb::module_::import_("nexusfix.errors").attr(problem.type);
  const auto or_none = [](const auto& value) {
    return value ? nb::object{nb::int_(static_cast<std::size_t>(*value))} : nb::none();
  };
  nb::object rule = problem.rule.empty()
                        ? nb::none()
                        : nb::object{nb::str(problem.rule.data(), problem.rule.size())};
  const nb::str text{problem.text.data(), problem.text.size()};
  return type(text, nb::arg("tag") = or_none(problem.tag),
              nb::arg("offset") = or_none(problem.offset), nb::arg("rule") = rule);
}

namespace {

[[noreturn]] void raise_object(const nb::object& error) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error{};
}

std::string_view rule_name(wire::GarbledReason reason) {
  using enum wire::GarbledReason;
  switch (reason) {
    case NoBeginString:
      return "NoBeginString";
    case BodyLengthMalformed:
      return "BodyLengthMalformed";
    case BodyLengthTooLarge:
      return "BodyLengthTooLarge";
    case TooLong:
      return "TooLong";
    case BodyLengthWrong:
      return "BodyLengthWrong";
    case CheckSumMalformed:
      return "CheckSumMalformed";
    case CheckSumWrong:
      return "CheckSumWrong";
    case FirstFieldsOutOfOrder:
      return "FirstFieldsOutOfOrder";
  }
  return "Garbled";
}

}  // namespace

void raise(const Problem& problem) { raise_object(make_error(problem)); }

void raise_dictionary_error(const dictionary::DictionaryError& error) {
  std::string text;
  for (const std::string& line : error.all()) {
    if (!text.empty()) text += '\n';
    text += line;
  }
  raise({.type = "DictionaryError", .text = text, .tag = {}, .offset = {}, .rule = {}});
}

nb::object parse_error(const wire::ParseError& error, std::string_view frame) {
  dictionary::Explanation explanation = dictionary::explain(error, frame);
  logs::PasswordMask mask;
  if (mask.masked(frame).data() != frame.data()) {
    explanation.message_line.clear();
    explanation.marks_line.clear();
  }
  return make_error({.type = "ParseError",
                     .text = explanation.text(),
                     .tag = explanation.tag == 0 ? std::nullopt : std::optional{explanation.tag},
                     .offset = error.offset,
                     .rule = rule_name(error.reason)});
}

}  // namespace nexusfix::python
