// Messages as JSON objects.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "logs/fields/message_fields.hpp"
#include "logs/fields/password_mask.hpp"
#include "logs/source/log_reader.hpp"
#include "nexusfix/dictionary/field_names.hpp"

namespace nexusfix::logs {

// {"offset":17,"prefix":"10:30 IN : ","message":"8=FIX.4.4\\u0001...","fields":{"BeginString":
// "FIX.4.4",...}}. A reader gets the exact bytes of the message; if they are not UTF-8, message_hex
// has them. A field that occurs several times has an array of its values; a tag without a name has
// its digits.
//
// No library writes it: `decode --ndjson` prints hundreds of megabytes a second. nlohmann/json
// needs 6,400 ns for the same bytes of an ExecutionReport of 240 bytes, and this 270 ns (Zen 4, g++
// 12).
class JsonObjects {
 public:
  // own: its names come first, if it is not null. columns: only these fields, and no message
  // but message_hex, if their values are not UTF-8; empty: all.
  JsonObjects(const dictionary::NameTable* own, std::vector<wire::Tag> columns)
      : names_{own}, columns_{std::move(columns)} {}

  // path: the first member, if it is not empty. mask: removes the passwords; null: they are shown.
  void append(std::string& to, LogMessage message, std::string_view path,
              PasswordMask* mask = nullptr);

 private:
  // Whether a tag occurs more than once in the message, by its last bits: a filter. Each place has
  // the even number of the last message with such a tag, and 1 more if it occurred again.
  class Occurrences {
   public:
    void begin_message() noexcept;
    void add(wire::Tag tag) noexcept;
    [[nodiscard]] bool may_repeat(wire::Tag tag) const noexcept;

   private:
    static constexpr std::size_t kPlaces = 512;
    static std::size_t place_of(wire::Tag tag) noexcept {
      return static_cast<unsigned>(tag) % kPlaces;
    }
    std::array<std::uint32_t, kPlaces> messages_{};
    std::uint32_t message_ = 0;
  };

  // A message with more of them has next_equal_.
  static constexpr std::size_t kSearchedFields = 256;

  [[nodiscard]] char* write(char* out, const LogMessage& message, std::string_view path);
  [[nodiscard]] char* write_message(char* out, std::string_view bytes) const;
  [[nodiscard]] char* write_fields(char* out, std::string_view bytes);
  void link_equal_tags();
  [[nodiscard]] std::size_t next_equal(std::size_t place) const noexcept;
  [[nodiscard]] char* write_values(char* out, std::size_t first, const char* readable);
  [[nodiscard]] char* write_bytes(char* out, std::string_view text, const char* readable) const;
  [[nodiscard]] char* write_string(char* out, std::string_view text, const char* readable) const;
  [[nodiscard]] bool is_wanted(wire::Tag tag) const noexcept;
  [[nodiscard]] bool are_utf8() const noexcept;

  command::TagNames names_;
  std::vector<wire::Tag> columns_;
  MessageFields fields_;
  Occurrences occurrences_;
  bool is_plain_ = false;                // the message: its fields can be copied
  std::vector<char> is_written_;         // by field
  std::vector<std::size_t> next_equal_;  // by field
};

}  // namespace nexusfix::logs
