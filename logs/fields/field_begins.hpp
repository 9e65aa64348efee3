// Finds the fields of a message that may have one of some tags, by their first three bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nexusfix/wire/field.hpp>

namespace nexusfix::logs {

// The low four bits of a digit and of `=` differ, and count. So fields with other tags may be
// found, too, but not many. bench/logs/log_speed.py measures what it serves: `stats` and `export`.
class FieldBegins {
 public:
  // Tags of one kind cause fewer fields with other tags to be found. Rare: with a set for each
  // first digit, of an object that has only such tags.
  enum class Kind : std::uint8_t { Value, Length, Rare };
  void add(wire::Tag tag, Kind kind);

  // A field in a message, without the SOH after it.
  struct Place {
    std::uint32_t begin;
    std::uint32_t end;
  };
  static constexpr std::size_t kPlacesMax = 64;
  struct Places {
    std::size_t count = 0;
    std::array<Place, kPlacesMax> all;
  };
  // bytes: one message of less than 4 GiB with SOH after each field. Looks at fields after each SOH
  // from this place on, and at the first field if from is 0. Returns where to go on; bytes.size():
  // nowhere.
  [[nodiscard]] std::size_t find(std::string_view bytes, std::size_t from, Places& to) const;
  // Where the first of these fields begins after a SOH at this place or later; npos: there is none.
  [[nodiscard]] std::size_t next(std::string_view bytes, std::size_t from) const;
  // find() without wide instructions.
  [[nodiscard]] std::size_t find_each(std::string_view bytes, std::size_t from, Places& to) const;

 private:
  static constexpr std::size_t kBeginBytes = 3;

  using Sets = std::array<std::array<std::uint8_t, 16>, kBeginBytes>;
  struct WideSets;

  [[nodiscard]] bool may_begin(std::string_view field) const noexcept;
  void add_first(std::string_view bytes, Places& to) const;
  [[nodiscard]] std::size_t find_wide(std::string_view bytes, std::size_t from, Places& to) const;
  [[nodiscard]] std::size_t next_wide(std::string_view bytes, std::size_t from) const;

  // For the low bits of the first, second and third byte: a bit for each set of similar tags.
  Sets sets_{};
};

}  // namespace nexusfix::logs
