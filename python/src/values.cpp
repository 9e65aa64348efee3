#include "python/src/values.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/api/printable_text.hpp"
#include "logs/columns/column_values.hpp"

namespace nexusfix::python {
namespace {

using dictionary::FieldType;

constexpr char kSoh = '\x01';
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::int64_t kNanosecondsPerMicrosecond = 1'000;

PyObject* checked(PyObject* object) {
  if (object == nullptr) throw nb::python_error{};
  return object;
}

// As PyUnicode_AsUTF8AndSize().
const char* utf8_of(PyObject* text, Py_ssize_t& size) {
#ifndef Py_LIMITED_API
  if (PyUnicode_IS_COMPACT_ASCII(text)) {
    size = PyUnicode_GET_LENGTH(text);
    return static_cast<const char*>(PyUnicode_DATA(text));
  }
#endif
  return PyUnicode_AsUTF8AndSize(text, &size);
}

PyObject* text_object(std::string_view value) {
#ifndef Py_LIMITED_API
  // CPython keeps the texts of one character, and the empty one.
  if (value.size() > 1 && value.size() <= TextWords::kBytesMax && TextWords{value}.is_ascii()) {
    constexpr Py_UCS4 kAsciiMax = 127;
    PyObject* const made = checked(PyUnicode_New(static_cast<Py_ssize_t>(value.size()), kAsciiMax));
    std::memcpy(PyUnicode_1BYTE_DATA(made), value.data(), value.size());
    return made;
  }
#endif
  return checked(
      PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), "surrogateescape"));
}

bool has_soh(std::string_view value) noexcept {
  if (value.size() > TextWords::kBytesMax) return value.contains(kSoh);
  return TextWords{value}.has_soh();
}

std::string shown(const Field& field, std::string_view value) {
  if (field.is_secret) return "its value";
  constexpr std::size_t kShownMax = 60;
  const bool is_long = value.size() > kShownMax;
  return "'" + printable(std::string{value.substr(0, kShownMax)}) + (is_long ? "...'" : "'");
}

[[noreturn]] void raise_type(const Field& field, std::string_view value,
                             std::optional<std::size_t> offset) {
  raise({.type = "FieldError",
         .text = named(field) + ": " + shown(field, value) + " is not of type " +
                 std::string{dictionary::to_string(field.type)},
         .tag = field.tag,
         .offset = offset,
         .rule = "TypeWrong"});
}

bool is_decimal(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  std::size_t digits = 0;
  std::size_t points = 0;
  for (const char c : text) {
    if (c == '.') {
      ++points;
    } else if (c >= '0' && c <= '9') {
      ++digits;
    } else {
      return false;
    }
  }
  return digits > 0 && points <= 1;
}

bool is_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

PyObject* make_decimal(std::string_view value) {
  static PyObject* const type = imported("decimal", "Decimal");
  const nb::object text = nb::steal(text_object(value));
  return checked(PyObject_CallFunctionObjArgs(type, text.ptr(), nullptr));
}

// A Decimal of the last ones: prices and quantities come again and again, and a Decimal does not
// change.
class DecimalCache {
 public:
  // A borrowed reference; null: the Decimal of this text is not here. value: at most kBytesMax.
  [[nodiscard]] PyObject* find(std::string_view value, const TextWords& words) const noexcept {
    const Place& place = places_[place_of(words)];
    return place.words == words && place.size == value.size() ? place.decimal : nullptr;
  }
  void put(std::string_view value, const TextWords& words, PyObject* decimal) {
    Place& place = places_[place_of(words)];
    place.words = words;
    place.size = value.size();
    Py_XDECREF(std::exchange(place.decimal, Py_NewRef(decimal)));
  }

 private:
  static constexpr unsigned kPlaceBits = 10;
  struct Place {
    TextWords words;
    std::size_t size = 0;
    PyObject* decimal = nullptr;
  };
  static std::size_t place_of(const TextWords& words) noexcept {
    constexpr std::uint64_t kMultiplier = 0x9e37'79b9'7f4a'7c15;
    return (words.first ^ words.last * kMultiplier) * kMultiplier >> (64 - kPlaceBits);
  }
  std::array<Place, 1U << kPlaceBits> places_{};
};

DecimalCache& decimals = *new DecimalCache;

// A borrowed reference; null: the enumeration does not have the value.
PyObject* member_of(const Field& field, std::string_view value) {
  if (!field.has_values) return nullptr;
  if (field.enumeration == nullptr) static_cast<void>(enumeration_of(field));
  if (value.size() == 1 && static_cast<unsigned char>(value[0]) < field.letters.size()) {
    return field.letters[static_cast<unsigned char>(value[0])];
  }
  const auto found = field.values.find(std::string{value});
  return found == field.values.end() ? nullptr : found->second;
}

PyObject* decimal_object(const Field& field, std::string_view value, std::size_t offset) {
  const bool is_short = value.size() <= TextWords::kBytesMax;
  const TextWords words = is_short ? TextWords{value} : TextWords{};
  if (is_short) {
    if (PyObject* const found = decimals.find(value, words)) return Py_NewRef(found);
  }
  if (!is_decimal(value)) {
    if (PyObject* const member = member_of(field, value)) return Py_NewRef(member);
    raise_type(field, value, offset);
  }
  PyObject* const made = make_decimal(value);
  if (is_short) decimals.put(value, words, made);
  return made;
}

PyObject* integer_object(std::string_view value) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc{} && end == value.data() + value.size()) {
    return checked(PyLong_FromLongLong(number));
  }
  return checked(PyLong_FromString(std::string{value}.c_str(), nullptr, 10));
}

struct TimeParts {
  int hour;
  int minute;
  int second;
  int nanosecond;
};

TimeParts time_parts(std::int64_t nanoseconds) {
  const auto seconds = static_cast<int>(nanoseconds / kNanosecondsPerSecond);
  return {seconds / 3600, seconds / 60 % 60, seconds % 60,
          static_cast<int>(nanoseconds % kNanosecondsPerSecond)};
}

int number_at(std::string_view text, std::size_t at, std::size_t size) {
  int number = 0;
  for (const char c : text.substr(at, size)) number = 10 * number + (c - '0');
  return number;
}

// datetime has no second 60: a leap second becomes the last nanosecond before it.
PyObject* timestamp_object(const Field& field, std::string_view value, std::size_t offset) {
  static PyObject* const make = imported("nexusfix.values", "timestamp_of_parts");
  constexpr std::size_t kDateBytes = 8;
  if (value.size() < kDateBytes + 1 || value[kDateBytes] != '-' ||
      !logs::date_value(value.substr(0, kDateBytes)) || value.starts_with("0000")) {
    raise_type(field, value, offset);
  }
  const auto time = logs::time_of_day_value(value.substr(kDateBytes + 1));
  if (!time) raise_type(field, value, offset);
  TimeParts parts = time_parts(*time);
  if (value.substr(kDateBytes + 1).size() >= 8 && number_at(value, kDateBytes + 7, 2) == 60) {
    parts = {number_at(value, kDateBytes + 1, 2), number_at(value, kDateBytes + 4, 2), 59,
             static_cast<int>(kNanosecondsPerSecond - 1)};
  }
  return checked(PyObject_CallFunction(make, "iiiiiii", number_at(value, 0, 4),
                                       number_at(value, 4, 2), number_at(value, 6, 2), parts.hour,
                                       parts.minute, parts.second, parts.nanosecond));
}

PyObject* date_object(const Field& field, std::string_view value, std::size_t offset) {
  static PyObject* const type = imported("datetime", "date");
  if (!logs::date_value(value) || value.starts_with("0000")) raise_type(field, value, offset);
  return checked(PyObject_CallFunction(type, "iii", number_at(value, 0, 4), number_at(value, 4, 2),
                                       number_at(value, 6, 2)));
}

PyObject* time_object(const Field& field, std::string_view value, std::size_t offset) {
  static PyObject* const type = imported("datetime", "time");
  const auto time = logs::time_of_day_value(value);
  if (!time) raise_type(field, value, offset);
  const TimeParts parts = time_parts(*time);
  if (parts.hour > 23) raise_type(field, value, offset);
  return checked(
      PyObject_CallFunction(type, "iiii", parts.hour, parts.minute, parts.second,
                            static_cast<int>(parts.nanosecond / kNanosecondsPerMicrosecond)));
}

PyObject* one_text(const Field& field, std::string_view value) {
  if (field.has_values) {
    if (PyObject* const member = member_of(field, value)) return Py_NewRef(member);
  }
  return text_object(value);
}

PyObject* tuple_object(const Field& field, std::string_view value) {
  nb::list items;
  while (!value.empty()) {
    const std::size_t space = std::min(value.find(' '), value.size());
    items.append(nb::steal(one_text(field, value.substr(0, space))));
    value.remove_prefix(std::min(space + 1, value.size()));
  }
  return nb::tuple(items).release().ptr();
}

bool is_instance(PyObject* value, PyObject* type) {
  const int is = PyObject_IsInstance(value, type);
  if (is < 0) throw nb::python_error{};
  return is == 1;
}

int attribute(PyObject* object, const char* name) {
  const nb::object value = nb::steal(checked(PyObject_GetAttrString(object, name)));
  const long number = PyLong_AsLong(value.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error{};
  return static_cast<int>(number);
}

void append_digits(FieldText& to, int number, int digits) {
  std::array<char, 10> text{};
  for (int i = digits; i-- > 0; number /= 10)
    text[static_cast<std::size_t>(i)] = static_cast<char>('0' + number % 10);
  to.append(text.data(), static_cast<std::size_t>(digits));
}

void append_date(FieldText& to, PyObject* date) {
  append_digits(to, attribute(date, "year"), 4);
  append_digits(to, attribute(date, "month"), 2);
  append_digits(to, attribute(date, "day"), 2);
}

// With milliseconds, or as many more digits as the time has.
void append_time(FieldText& to, PyObject* time, int nanoseconds) {
  append_digits(to, attribute(time, "hour"), 2);
  to += ':';
  append_digits(to, attribute(time, "minute"), 2);
  to += ':';
  append_digits(to, attribute(time, "second"), 2);
  to += '.';
  if (nanoseconds % 1'000 != 0) {
    append_digits(to, nanoseconds, 9);
  } else if (nanoseconds % 1'000'000 != 0) {
    append_digits(to, nanoseconds / 1'000, 6);
  } else {
    append_digits(to, nanoseconds / 1'000'000, 3);
  }
}

[[noreturn]] void raise_value(const Field& field, const std::string& text, std::string_view rule) {
  raise({.type = "FieldError",
         .text = named(field) + ": " + text,
         .tag = field.tag,
         .offset = std::nullopt,
         .rule = rule});
}

std::string type_name(PyObject* value) {
  const nb::object name = nb::steal(
      checked(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(value)), "__name__")));
  return std::string{text_of(name.ptr())};
}

[[noreturn]] void raise_python_type(const Field& field, PyObject* value, std::string_view wanted) {
  raise_value(field, "needs " + std::string{wanted} + ", not " + type_name(value), "TypeWrong");
}

void append_datetime(FieldText& to, const Field& field, PyObject* value) {
  static PyObject* const to_utc = imported("nexusfix.values", "utc_of");
  if (field.kind == ValueKind::Date) return append_date(to, value);
  if (field.kind != ValueKind::Timestamp && field.kind != ValueKind::TimeOfDay) {
    raise_python_type(field, value, "a text");
  }
  const nb::object utc = nb::steal(checked(PyObject_CallFunctionObjArgs(to_utc, value, nullptr)));
  if (utc.is_none()) {
    raise_value(field, "the time has no time zone: add tzinfo=timezone.utc", "TimeZoneMissing");
  }
  const nb::object nanoseconds = nb::steal(PyObject_GetAttrString(value, "nanoseconds"));
  if (!nanoseconds.is_valid()) PyErr_Clear();
  const int count = nanoseconds.is_valid() ? attribute(value, "nanoseconds")
                                           : attribute(utc.ptr(), "microsecond") * 1'000;
  if (field.kind == ValueKind::Timestamp) {
    append_date(to, utc.ptr());
    to += '-';
  }
  append_time(to, utc.ptr(), count);
}

// Decimal('1E+2') is 100 in a message.
void append_decimal(FieldText& to, const Field& field, PyObject* value) {
  nb::object text = nb::steal(checked(PyObject_Str(value)));
  if (text_of(text.ptr()).find('E') != std::string_view::npos) {
    text = nb::handle(value).attr("__format__")("f");
  }
  const std::string_view digits = text_of(text.ptr());
  if (!is_decimal(digits)) raise_type(field, digits, std::nullopt);
  to += digits;
}

void append_items(FieldText& to, const Field& field, PyObject* items) {
  bool is_first = true;
  for (const nb::handle item : nb::borrow(items)) {
    if (!is_first) to += ' ';
    is_first = false;
    if (PyUnicode_Check(item.ptr()) == 0) raise_python_type(field, item.ptr(), "texts");
    to += text_of(item.ptr());
  }
}

void append_text(FieldText& to, const Field& field, PyObject* value) {
  Py_ssize_t size = 0;
  const char* data = utf8_of(value, size);
  nb::object escaped;
  if (data == nullptr) {
    PyErr_Clear();
    escaped = nb::steal(checked(PyUnicode_AsEncodedString(value, "utf-8", "surrogateescape")));
    char* bytes = nullptr;
    if (PyBytes_AsStringAndSize(escaped.ptr(), &bytes, &size) != 0) throw nb::python_error{};
    data = bytes;
  }
  const std::string_view text{data, static_cast<std::size_t>(size)};
  const bool fits = field.kind == ValueKind::Decimal   ? is_decimal(text)
                    : field.kind == ValueKind::Integer ? is_integer(text)
                    : field.kind == ValueKind::Boolean ? text == "Y" || text == "N"
                                                       : true;
  if (!fits) raise_type(field, text, std::nullopt);
  to += text;
}

void append_number(FieldText& to, const Field& field, PyObject* value) {
  if (field.kind == ValueKind::Boolean || field.kind == ValueKind::Date ||
      field.kind == ValueKind::Timestamp || field.kind == ValueKind::TimeOfDay) {
    raise_python_type(field, value, field.kind == ValueKind::Boolean ? "a bool" : "a date or time");
  }
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error{};
  if (overflow != 0) raise_value(field, "the number is too large", "ValueOutOfRange");
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  to.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

void append_bytes(FieldText& to, PyObject* value) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(value, &data, &size) != 0) throw nb::python_error{};
  to.append(data, static_cast<std::size_t>(size));
}

void append_other(FieldText& to, const Field& field, PyObject* value) {
  static PyObject* const decimal = imported("decimal", "Decimal");
  static PyObject* const datetime = imported("datetime", "datetime");
  static PyObject* const date = imported("datetime", "date");
  static PyObject* const time = imported("datetime", "time");
  if (Py_TYPE(value) == reinterpret_cast<PyTypeObject*>(decimal) || is_instance(value, decimal)) {
    append_decimal(to, field, value);
  } else if (is_instance(value, datetime)) {
    append_datetime(to, field, value);
  } else if (is_instance(value, date) && field.kind == ValueKind::Date) {
    append_date(to, value);
  } else if (is_instance(value, time) && field.kind == ValueKind::TimeOfDay) {
    append_time(to, value, attribute(value, "microsecond") * 1'000);
  } else if (PyFloat_Check(value)) {
    raise_value(field, "a float is not exact: pass a Decimal, an int or a text", "FloatNotExact");
  } else if (field.kind == ValueKind::Multiple &&
             (PyTuple_Check(value) != 0 || PyList_Check(value) != 0)) {
    append_items(to, field, value);
  } else {
    raise_python_type(field, value,
                      "a value of type " + std::string{dictionary::to_string(field.type)});
  }
}

}  // namespace

std::string named(const Field& field) {
  if (field.name.empty()) return "tag " + std::to_string(field.tag);
  return std::string{field.name} + " (" + std::to_string(field.tag) + ")";
}

std::string_view text_of(PyObject* text) {
  Py_ssize_t size = 0;
  const char* const data =
      PyUnicode_Check(text) != 0 ? utf8_of(text, size) : PyUnicode_AsUTF8AndSize(text, &size);
  if (data == nullptr) throw nb::python_error{};
  return {data, static_cast<std::size_t>(size)};
}

PyObject* enumeration_of(const Field& field) {
  if (field.enumeration != nullptr) return field.enumeration;
  if (!field.has_values) return nullptr;
  if (field.kind == ValueKind::Boolean) return nullptr;
  static PyObject* const make = imported("nexusfix.values", "make_enumeration");
  nb::list members;
  for (const dictionary::FieldDefinition::EnumValue& value : field.definition->values) {
    members.append(nb::make_tuple(nb::str(value.name.data(), value.name.size()),
                                  nb::str(value.value.data(), value.value.size())));
  }
  const nb::str name{field.name.data(), field.name.size()};
  const nb::object is_number = nb::bool_(field.kind == ValueKind::Integer);
  nb::object made = nb::steal(checked(
      PyObject_CallFunctionObjArgs(make, name.ptr(), members.ptr(), is_number.ptr(), nullptr)));
  const nb::dict by_value = nb::cast<nb::dict>(made[1]);
  for (const auto [value, member] : by_value) {
    const std::string_view text = text_of(value.ptr());
    if (text.size() == 1 && static_cast<unsigned char>(text[0]) < field.letters.size()) {
      field.letters[static_cast<unsigned char>(text[0])] = Py_NewRef(member.ptr());
    } else {
      field.values.emplace(text, Py_NewRef(member.ptr()));
    }
  }
  field.enumeration = nb::object{made[0]}.release().ptr();
  return field.enumeration;
}

PyObject* to_python(const Field& field, std::string_view value, std::size_t offset) {
  switch (field.kind) {
    case ValueKind::Text:
      return one_text(field, value);
    case ValueKind::Integer:
      if (PyObject* const member = member_of(field, value)) return Py_NewRef(member);
      if (!is_integer(value)) raise_type(field, value, offset);
      return integer_object(value);
    case ValueKind::Decimal:
      return decimal_object(field, value, offset);
    case ValueKind::Boolean:
      if (value != "Y" && value != "N") raise_type(field, value, offset);
      return Py_NewRef(value == "Y" ? Py_True : Py_False);
    case ValueKind::Timestamp:
      return timestamp_object(field, value, offset);
    case ValueKind::Date:
      return date_object(field, value, offset);
    case ValueKind::TimeOfDay:
      return time_object(field, value, offset);
    case ValueKind::Bytes:
      return checked(
          PyBytes_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size())));
    case ValueKind::Multiple:
      return tuple_object(field, value);
  }
  return text_object(value);
}

void append_value(FieldText& to, const Field& field, PyObject* value) {
  const std::size_t before = to.size();
  if (Py_IS_TYPE(value, &PyUnicode_Type) || PyUnicode_Check(value) != 0) {
    append_text(to, field, value);
  } else if (PyBool_Check(value)) {
    if (field.kind != ValueKind::Boolean) raise_python_type(field, value, "a text or a number");
    to += value == Py_True ? 'Y' : 'N';
  } else if (Py_IS_TYPE(value, &PyLong_Type) || PyLong_Check(value) != 0) {
    append_number(to, field, value);
  } else if (PyBytes_Check(value) != 0) {
    append_bytes(to, value);
  } else {
    append_other(to, field, value);
  }
  if (to.size() == before) raise_value(field, "the value is empty", "ValueEmpty");
  if (field.kind != ValueKind::Bytes && has_soh(to.view().substr(before))) {
    raise_value(field, "the value has a SOH, which ends a field", "SohInValue");
  }
}

}  // namespace nexusfix::python
