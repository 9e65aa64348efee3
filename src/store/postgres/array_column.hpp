// One column of many rows, in PostgreSQL's binary form of an array: five numbers of four bytes
// (dimensions, whether there are nulls, the type of the elements, their number, the first index),
// then each element after its length. Numbers are big-endian. (PostgreSQL, "array_recv".)
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace nexusfix::store::postgres {

// Type numbers that never change (PostgreSQL, pg_type.dat).
enum class ElementType : std::uint32_t { Bool = 16, Bytes = 17, Int8 = 20, Int4 = 23 };

template <class Number>
void store_big_endian(char* out, Number number) noexcept {
  if constexpr (std::endian::native == std::endian::little) number = std::byteswap(number);
  std::memcpy(out, &number, sizeof number);
}

template <class Number>
[[nodiscard]] Number load_big_endian(const char* in) noexcept {
  Number number;
  std::memcpy(&number, in, sizeof number);
  return std::endian::native == std::endian::little ? std::byteswap(number) : number;
}

class ArrayColumn {
 public:
  explicit ArrayColumn(ElementType type) : type_{type} { clear(); }

  // Keeps the memory.
  void clear() {
    bytes_.resize(kHeaderBytes);
    count_ = 0;
    store_big_endian(bytes_.data(), std::uint32_t{1});
    store_big_endian(bytes_.data() + 4, std::uint32_t{0});
    store_big_endian(bytes_.data() + 8, static_cast<std::uint32_t>(type_));
    store_big_endian(bytes_.data() + kCountAt, std::uint32_t{0});
    store_big_endian(bytes_.data() + 16, std::uint32_t{1});
  }

  // So that this number of rows more, with this number of bytes in all, needs no memory.
  void reserve(std::size_t rows, std::size_t size_bytes) {
    const std::size_t needed = bytes_.size() + rows * kLengthBytes + size_bytes;
    if (needed > bytes_.capacity()) bytes_.reserve(std::max(needed, 2 * bytes_.capacity()));
  }
  void add(std::uint32_t number) { store_big_endian(add_room(sizeof number), number); }
  void add(std::uint64_t number) { store_big_endian(add_room(sizeof number), number); }
  void add_flag(bool flag) { *add_room(1) = flag ? '\1' : '\0'; }
  // Returns where the element's bytes begin.
  std::size_t add(std::string_view bytes) {
    char* const room = add_room(bytes.size());
    if (!bytes.empty()) std::memcpy(room, bytes.data(), bytes.size());
    return bytes_.size() - bytes.size();
  }

  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] std::string_view encoded() const noexcept { return {bytes_.data(), bytes_.size()}; }

 private:
  static constexpr std::size_t kHeaderBytes = 20;
  static constexpr std::size_t kCountAt = 12;
  static constexpr std::size_t kLengthBytes = 4;

  char* add_room(std::size_t size_bytes) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + kLengthBytes + size_bytes);
    store_big_endian(bytes_.data() + at, static_cast<std::uint32_t>(size_bytes));
    store_big_endian(bytes_.data() + kCountAt, ++count_);
    return bytes_.data() + at + kLengthBytes;
  }

  ElementType type_;
  std::uint32_t count_ = 0;
  std::vector<char> bytes_;
};

}  // namespace nexusfix::store::postgres
