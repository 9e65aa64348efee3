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

inline constexpr std::size_t kArrayHeaderBytes = 20;
inline constexpr std::size_t kArrayTypeAt = 8;
inline constexpr std::size_t kArrayCountAt = 12;
inline constexpr std::size_t kArrayLengthBytes = 4;

class ArrayColumn {
 public:
  explicit ArrayColumn(ElementType type) : type_{type} { clear(); }

  // Keeps the memory.
  void clear() {
    bytes_.resize(kArrayHeaderBytes);
    count_ = 0;
    store_big_endian(bytes_.data(), std::uint32_t{1});
    store_big_endian(bytes_.data() + 4, std::uint32_t{0});
    store_big_endian(bytes_.data() + kArrayTypeAt, static_cast<std::uint32_t>(type_));
    store_big_endian(bytes_.data() + kArrayCountAt, std::uint32_t{0});
    store_big_endian(bytes_.data() + 16, std::uint32_t{1});
  }

  // So that this number of rows more, with this number of bytes in all, needs no memory.
  void reserve(std::size_t rows, std::size_t size_bytes) {
    const std::size_t needed = bytes_.size() + rows * kArrayLengthBytes + size_bytes;
    if (needed > bytes_.capacity()) bytes_.reserve(std::max(needed, 2 * bytes_.capacity()));
  }
  void add(std::uint32_t number) { store_big_endian(add_room(sizeof number), number); }
  void add(std::uint64_t number) { store_big_endian(add_room(sizeof number), number); }
  void add_flag(bool flag) { *add_room(1) = flag ? '\1' : '\0'; }
  void add(std::string_view bytes) {
    char* const room = add_room(bytes.size());
    if (!bytes.empty()) std::memcpy(room, bytes.data(), bytes.size());
  }

  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] std::string_view encoded() const noexcept { return {bytes_.data(), bytes_.size()}; }

 private:
  char* add_room(std::size_t size_bytes) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + kArrayLengthBytes + size_bytes);
    store_big_endian(bytes_.data() + at, static_cast<std::uint32_t>(size_bytes));
    store_big_endian(bytes_.data() + kArrayCountAt, ++count_);
    return bytes_.data() + at + kArrayLengthBytes;
  }

  ElementType type_;
  std::uint32_t count_ = 0;
  std::vector<char> bytes_;
};

// Takes the elements of an array without nulls, each of this size, one after the other. The bytes
// come from the server, whose rows somebody may have changed.
template <class Number>
class ArrayReader {
 public:
  explicit ArrayReader(std::string_view encoded) noexcept {
    if (encoded.size() < kArrayHeaderBytes) return;
    count_ = load_big_endian<std::uint32_t>(encoded.data() + kArrayCountAt);
    rest_ = encoded.substr(kArrayHeaderBytes);
    const bool is_one = load_big_endian<std::uint32_t>(encoded.data()) == 1;
    if (!is_one || rest_.size() != count_ * kElementBytes) count_ = 0;
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  // Before it, index < count().
  [[nodiscard]] Number at(std::size_t index) const noexcept {
    return load_big_endian<Number>(rest_.data() + index * kElementBytes + kArrayLengthBytes);
  }

 private:
  static constexpr std::size_t kElementBytes = kArrayLengthBytes + sizeof(Number);
  std::size_t count_ = 0;
  std::string_view rest_;
};

}  // namespace nexusfix::store::postgres
