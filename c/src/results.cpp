#include "c/src/results.hpp"

#include <array>

namespace nexusfix::c {

void copy_text(char (&to)[NXF_TEXT_BYTES], std::string_view text) noexcept {
  std::size_t size = std::min(text.size(), std::size_t{NXF_TEXT_BYTES - 1});
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
  };
  while (size < text.size() && size > 0 && continues(size)) --size;
  if (size != 0) std::memcpy(to, text.data(), size);
  to[size] = '\0';
}

nxf_status report(nxf_error* error, nxf_status status, const Problem& problem) noexcept {
  if (error == nullptr) return status;
  nxf_error made{};
  made.status = status;
  made.tag = problem.tag;
  made.offset = problem.offset;
  made.code = problem.code;
  copy_text(made.text, problem.text);
  write_result(error, made);
  // A caller with a shorter text gets a shorter one, which still ends.
  const std::size_t size =
      std::min(error->struct_size, offsetof(nxf_error, text) + sizeof made.text);
  if (size > offsetof(nxf_error, text)) reinterpret_cast<char*>(error)[size - 1] = '\0';
  return status;
}

nxf_status refuse_argument(nxf_error* error, std::string_view text) noexcept {
  return report(error, NXF_INVALID_ARGUMENT, {.text = text});
}

}  // namespace nexusfix::c

const char* nxf_version(void) { return NEXUSFIX_C_VERSION; }

const char* nxf_status_name(nxf_status status) {
  static constexpr std::array kNames{"NXF_OK",
                                     "NXF_END",
                                     "NXF_NEED_MORE",
                                     "NXF_MISSING",
                                     "NXF_EMPTY",
                                     "NXF_MALFORMED",
                                     "NXF_OUT_OF_RANGE",
                                     "NXF_VIOLATION",
                                     "NXF_GARBLED",
                                     "NXF_BUFFER_TOO_SMALL",
                                     "NXF_NOT_ENCODED",
                                     "NXF_NOT_SENT",
                                     "NXF_FULL",
                                     "NXF_CLOSED",
                                     "NXF_INVALID_ARGUMENT",
                                     "NXF_DICTIONARY",
                                     "NXF_CONFIGURATION",
                                     "NXF_IO",
                                     "NXF_NO_MEMORY",
                                     "NXF_INTERNAL",
                                     "NXF_TIMEOUT",
                                     "NXF_REFUSED"};
  static_assert(kNames.size() == NXF_REFUSED + 1);
  const auto index = static_cast<std::size_t>(status);
  return status >= 0 && index < kNames.size() ? kNames[index] : "NXF_UNKNOWN";
}
