// Raises the exceptions of nexusfix/errors.py.
#pragma once

#include <cstdint>
#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/parser.hpp>

namespace nexusfix::python {

namespace nb = nanobind;

// What an exception says: its text and its attributes.
struct Problem {
  const char* type = "FieldError";  // the class in nexusfix/errors.py
  std::string text;
  std::optional<wire::Tag> tag;
  std::optional<std::size_t> offset;
  std::string_view rule;
};

// The exception, not raised. problem: its attributes.
[[nodiscard]] nb::object make_error(const Problem& problem);
[[noreturn]] void raise(const Problem& problem);
[[noreturn]] void raise_dictionary_error(const dictionary::DictionaryError& error);

// The error of a frame that is no message. The text has no secrets.
[[nodiscard]] nb::object parse_error(const wire::ParseError& error, std::string_view frame);

// A name of the module `nexusfix.MODULE`, kept until the process ends.
[[nodiscard]] PyObject* imported(const char* module, const char* name);

// Runs a slot of a type: a C++ exception becomes that of Python, and the result failed.
template <class Result, class Body>
Result guarded(Result failed, Body body) noexcept {
  try {
    return body();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return failed;
}

}  // namespace nexusfix::python
