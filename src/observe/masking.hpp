// Removes passwords from logged messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "observe/api/session_logs.hpp"

namespace nexusfix::observe {

// One thread.
class Masking {
 public:
  // `more`: besides the fields that are always masked.
  explicit Masking(std::span<const MaskedField> more);

  // Whether the bytes contain a value that must not be logged.
  [[nodiscard]] bool finds(std::string_view bytes);
  // After finds(): appends the bytes with *** in place of each value that must not be logged.
  // BodyLength, CheckSum and the Length field before a data field, which would reveal the size of
  // the value, are those of the appended bytes.
  void append_masked(std::string& to) const;

  // For bytes that are no whole message, and may continue earlier ones: a value without an
  // end is masked further. BodyLength and CheckSum become ***, too. is_cut: more bytes follow that
  // are not logged.
  [[nodiscard]] bool finds_in_garbled(std::string_view bytes, bool is_cut);

 private:
  struct Place {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string_view instead;
  };
  struct Field {
    std::uint32_t tag = 0;
    std::size_t begin = 0;  // of the value
    std::size_t end = 0;
  };

  void find_all(std::string_view bytes, std::size_t from);
  [[nodiscard]] std::size_t mask_rest_of_value(std::string_view bytes);
  void take(const Field& field, const std::optional<Field>& before);
  void begin(std::string_view bytes);
  void record_cut_tag(std::string_view digits);
  [[nodiscard]] bool masks(std::uint32_t tag) const;
  [[nodiscard]] std::size_t announced_size(std::uint32_t tag,
                                           const std::optional<Field>& before) const;
  [[nodiscard]] std::uint32_t length_tag_of(std::uint32_t tag) const;
  [[nodiscard]] std::size_t end_of_value(std::uint32_t tag, std::size_t begin,
                                         const std::optional<Field>& before) const;
  void append_range(std::string& to, std::size_t begin, std::size_t end) const;

  std::vector<MaskedField> fields_;
  bool masks_all_raw_data_ = false;
  // What is known of the present bytes.
  std::string_view bytes_;
  bool is_whole_ = false;
  std::string_view msg_type_;
  std::optional<Field> body_length_;
  std::optional<Field> checksum_;
  std::vector<Place> places_;
  // The last bytes ended within a masked value or a tag; and how many bytes of the value are
  // missing.
  bool continues_ = false;
  std::size_t continued_bytes_ = 0;
};

}  // namespace nexusfix::observe
