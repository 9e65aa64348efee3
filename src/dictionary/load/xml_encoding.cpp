#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/api/utf8.hpp"
#include "dictionary/load/xml_file.hpp"

namespace nexusfix::dictionary {
namespace {

constexpr std::size_t kDeclarationBytesMax = 256;

// windows-1252 from 0x80 to 0x9F. Undefined bytes keep their number, as in ISO-8859-1.
constexpr std::array<char16_t, 32> kWindows1252{
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

void append(std::string& out, char32_t code) {
  const auto byte = [&](char32_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6U));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12U));
    byte(0x80 | ((code >> 6U) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18U));
    byte(0x80 | ((code >> 12U) & 0x3F));
    byte(0x80 | ((code >> 6U) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

std::size_t line_at(std::string_view text, std::size_t offset) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, offset), '\n'));
}

// Where the text stops being UTF-8. Skips ASCII eight bytes at a time.
std::optional<std::size_t> not_utf8(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t eight = 0;
    if (text.size() - at >= sizeof eight) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & kHighBits) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    const std::size_t size = utf8_size(text.substr(at));
    if (size == 0) return at;
    at += size;
  }
  return std::nullopt;
}

std::string from_windows_1252(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    append(out, byte >= 0x80 && byte < 0xA0 ? char32_t{kWindows1252[byte - 0x80U]} : byte);
  }
  return out;
}

// Without the byte order mark. Nothing: an incomplete character or surrogate pair.
std::optional<std::string> from_utf16(std::string_view bytes, bool big_endian) {
  if (bytes.size() % 2 != 0) return std::nullopt;
  const auto unit = [&](std::size_t i) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const auto second = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<char32_t>(big_endian ? first << 8U | second : second << 8U | first);
  };
  std::string out;
  out.reserve(bytes.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    char32_t code = unit(i);
    if (code >= 0xDC00 && code <= 0xDFFF) return std::nullopt;
    if (code >= 0xD800 && code <= 0xDBFF) {
      i += 2;
      const char32_t low = i < bytes.size() ? unit(i) : 0;
      if (low < 0xDC00 || low > 0xDFFF) return std::nullopt;
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    }
    if (i == 0 && code == 0xFEFF) continue;
    append(out, code);
  }
  return out;
}

// Big- or little-endian UTF-16, by its mark, or because every second byte of "<?" is zero.
enum class Utf16 : std::uint8_t { No, BigEndian, LittleEndian };

Utf16 is_utf16(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\xFE\xFF"sv) || bytes.starts_with("\0<\0"sv)) return Utf16::BigEndian;
  if (bytes.starts_with("\xFF\xFE"sv) || bytes.starts_with("<\0"sv)) return Utf16::LittleEndian;
  return Utf16::No;
}

bool is_utf32(std::string_view bytes) {
  using namespace std::string_view_literals;
  return bytes.starts_with("\0\0\xFE\xFF"sv) || bytes.starts_with("\xFF\xFE\0\0"sv) ||
         bytes.starts_with("\0\0\0<"sv) || bytes.starts_with("<\0\0\0"sv);
}

std::string upper(std::string_view text) {
  std::string out{text};
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

// The encoding that <?xml encoding="..."?> names; empty if there is none.
std::string_view declared_encoding(std::string_view text) {
  if (!text.starts_with("<?xml")) return {};
  text = text.substr(0, std::min(text.find("?>"), kDeclarationBytesMax));
  const std::size_t key = text.find("encoding");
  if (key == text.npos) return {};
  const std::size_t open = text.find_first_of("\"'", key);
  if (open == text.npos) return {};
  const std::size_t close = text.find(text[open], open + 1);
  return close == text.npos ? std::string_view{} : text.substr(open + 1, close - open - 1);
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

std::expected<void, EncodingFault> from_bytes(std::string_view bytes, Utf8Text& result) {
  const std::string_view declared = declared_encoding(bytes);
  const std::string name = upper(declared);
  if (is_one_of(name,
                {"ISO-8859-1", "ISO_8859-1", "LATIN1", "LATIN-1", "WINDOWS-1252", "CP1252"})) {
    result.storage = from_windows_1252(bytes);
    result.text = result.storage;
    return {};
  }
  // A declaration of UTF-16 in a text of single bytes is invalid, but harmless.
  if (!is_one_of(name, {"", "UTF-8", "UTF8", "US-ASCII", "ASCII", "UTF-16"})) {
    return std::unexpected{EncodingFault{1, "the encoding is \"" + std::string{declared} +
                                                "\", expected UTF-8, UTF-16, ISO-8859-1 or "
                                                "windows-1252"}};
  }
  if (const auto fault = not_utf8(bytes)) {
    result.warning = "not UTF-8, read as windows-1252";
    result.warning_line = line_at(bytes, *fault);
    result.storage = from_windows_1252(bytes);
    result.text = result.storage;
    return {};
  }
  result.text = bytes;
  return {};
}

}  // namespace

std::expected<void, EncodingFault> to_utf8(std::string_view bytes, Utf8Text& result) {
  if (is_utf32(bytes)) {
    return std::unexpected{EncodingFault{1, "the encoding is UTF-32, expected UTF-8 or UTF-16"}};
  }
  if (const Utf16 utf16 = is_utf16(bytes); utf16 != Utf16::No) {
    auto text = from_utf16(bytes, utf16 == Utf16::BigEndian);
    if (!text)
      return std::unexpected{EncodingFault{0, "looks like UTF-16, but is not valid UTF-16"}};
    result.storage = std::move(*text);
    result.text = result.storage;
  } else {
    bytes = without_byte_order_mark(bytes);
    if (auto converted = from_bytes(bytes, result); !converted) return converted;
  }
  const std::size_t zero = result.text.find('\0');
  if (zero == std::string_view::npos) return {};
  return std::unexpected{
      EncodingFault{line_at(result.text, zero), "a zero byte, which XML does not allow"}};
}

}  // namespace nexusfix::dictionary
