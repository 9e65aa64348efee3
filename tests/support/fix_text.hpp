// FIX messages as tests write them, with | for SOH. Independent of the encoder under test.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace nexusfix::testing {

// | becomes SOH.
inline std::string soh(std::string_view text) {
  std::string bytes{text};
  for (char& c : bytes) {
    if (c == '|') c = '\x01';
  }
  return bytes;
}

// SOH becomes |.
inline std::string bar(std::string_view bytes) {
  std::string text{bytes};
  for (char& c : text) {
    if (c == '\x01') c = '|';
  }
  return text;
}

inline std::string with_checksum(std::string bytes) {
  unsigned sum = 0;
  for (const char c : bytes) sum += static_cast<unsigned char>(c);
  char trailer[8];
  std::snprintf(trailer, sizeof trailer, "10=%03u\x01", sum % 256U);
  return bytes + trailer;
}

// A whole message from its body ("35=0|49=A|..."): BeginString, BodyLength and CheckSum are added.
inline std::string fix(std::string_view begin_string, std::string_view body) {
  const std::string bytes = soh(body);
  return with_checksum(
      soh("8=" + std::string{begin_string} + "|9=" + std::to_string(bytes.size()) + "|") + bytes);
}

}  // namespace nexusfix::testing
