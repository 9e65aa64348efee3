// What every function of the C interface does at its edge: errors without exceptions, and structs
// of callers that were compiled with another version of the header.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include "nexusfix.h"

namespace nexusfix::c {

// What an nxf_error says besides its status.
struct Problem {
  std::string_view text;
  std::uint32_t tag = 0;
  std::size_t offset = 0;
  std::uint32_t code = 0;
};

// Copies a text that ends with a zero byte, cut at the end of a character if it is too long.
void copy_text(char (&to)[NXF_TEXT_BYTES], std::string_view text) noexcept;

// Writes the part of a result that the caller's struct has. from.struct_size: any value.
template <class Struct>
void write_result(Struct* to, const Struct& from) noexcept {
  const std::size_t size = std::min(to->struct_size, sizeof(Struct));
  if (size <= sizeof to->struct_size) return;
  std::memcpy(reinterpret_cast<char*>(to) + sizeof to->struct_size,
              reinterpret_cast<const char*>(&from) + sizeof to->struct_size,
              size - sizeof to->struct_size);
}

// The options of a caller, with 0 for the members that the caller's struct lacks. bytes_min: the
// size of the struct in the first version that had it. False: the struct is NULL or too small.
template <class Struct>
[[nodiscard]] bool read_options(const Struct* from, std::size_t bytes_min, Struct& to) noexcept {
  if (from == nullptr || from->struct_size < bytes_min) return false;
  std::memcpy(&to, from, std::min(from->struct_size, sizeof(Struct)));
  return true;
}

// Describes an error to a caller who wants to know. Returns the status.
nxf_status report(nxf_error* error, nxf_status status, const Problem& problem) noexcept;
nxf_status refuse_argument(nxf_error* error, std::string_view text) noexcept;

// Calls the body of a function of the interface, and makes statuses of exceptions.
template <class Body>
nxf_status guarded(nxf_error* error, Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return report(error, NXF_NO_MEMORY, {.text = "there is no memory left"});
  } catch (const std::exception& failure) {
    return report(error, NXF_INTERNAL, {.text = failure.what()});
  } catch (...) {
    return report(error, NXF_INTERNAL, {.text = "an error without a description"});
  }
}

// A text argument of a caller. data: not NULL, except for an empty text.
[[nodiscard]] inline std::string_view text_of(const char* data, std::size_t size) noexcept {
  if (data == nullptr) return {};
  return {data, size == NXF_ZERO_TERMINATED ? std::strlen(data) : size};
}
[[nodiscard]] inline nxf_text to_text(std::string_view text) noexcept {
  return {text.data(), text.size()};
}

}  // namespace nexusfix::c
