// Texts of fields. Most have up to 16 bytes: two words hold them, without a call of memcpy, memchr
// or memcmp, which would take longer than the work.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace nexusfix::python {

// Two words with all bytes of a text of up to 16 bytes. With its size they are the text: of 4 to 16
// bytes they overlap.
struct TextWords {
  static constexpr std::size_t kBytesMax = 16;

  explicit TextWords(std::string_view text) noexcept {
    const char* const end = text.data() + text.size();
    if (text.size() >= sizeof(std::uint64_t)) {
      first = word<std::uint64_t>(text.data());
      last = word<std::uint64_t>(end - sizeof(std::uint64_t));
    } else if (text.size() >= sizeof(std::uint32_t)) {
      first = word<std::uint32_t>(text.data());
      last = word<std::uint32_t>(end - sizeof(std::uint32_t));
    } else {
      for (const char c : text) first = first << 8U | static_cast<unsigned char>(c);
    }
  }
  TextWords() noexcept = default;

  [[nodiscard]] bool has_soh() const noexcept { return has_one(first) || has_one(last); }
  [[nodiscard]] bool is_ascii() const noexcept {
    constexpr std::uint64_t kHighBits = 0x8080'8080'8080'8080;
    return ((first | last) & kHighBits) == 0;
  }
  friend bool operator==(const TextWords&, const TextWords&) = default;

  std::uint64_t first = 0;
  std::uint64_t last = 0;

 private:
  template <class Word>
  static std::uint64_t word(const char* at) noexcept {
    Word word{};
    std::memcpy(&word, at, sizeof word);
    return word;
  }
  // Whether a byte of the word is 1, the value of SOH. A byte above one that is 1 may be found by
  // mistake, which makes no difference.
  static bool has_one(std::uint64_t word) noexcept {
    constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
    const std::uint64_t zeros = word ^ kOnes;
    return ((zeros - kOnes) & ~zeros & (kOnes << 7U)) != 0;
  }
};

// one == other, which are short most often.
[[nodiscard]] inline bool is_same(std::string_view one, std::string_view other) noexcept {
  if (one.size() != other.size()) return false;
  if (one.size() > TextWords::kBytesMax) return one == other;
  return TextWords{one} == TextWords{other};
}

// The text of a message's fields, as it is built.
class FieldText {
 public:
  FieldText& operator+=(std::string_view text) {
    char* const to = extend(text.size());
    const char* const from = text.data();
    const char* const end = from + text.size();
    if (text.size() > TextWords::kBytesMax) {
      std::memcpy(to, from, text.size());
    } else if (text.size() >= sizeof(std::uint64_t)) {
      copy<std::uint64_t>(to, from, end);
    } else if (text.size() >= sizeof(std::uint32_t)) {
      copy<std::uint32_t>(to, from, end);
    } else {
      for (std::size_t i = 0; i < text.size(); ++i) to[i] = from[i];
    }
    return *this;
  }
  FieldText& operator+=(char c) {
    *extend(1) = c;
    return *this;
  }
  void append(const char* text, std::size_t size) { *this += std::string_view{text, size}; }
  // Bytes of any value.
  void append(std::size_t size) { static_cast<void>(extend(size)); }
  void clear() noexcept { size_ = 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }
  // Changes the bytes from this one on. at + text.size() is at most size().
  void overwrite(std::size_t at, std::string_view text) noexcept {
    std::memcpy(bytes_.data() + at, text.data(), text.size());
  }

 private:
  // Where the next bytes go.
  char* extend(std::size_t size) {
    if (bytes_.size() - size_ < size) bytes_.resize(2 * (size_ + size));
    char* const at = bytes_.data() + size_;
    size_ += size;
    return at;
  }
  // Two words, which overlap, are the whole text.
  template <class Word>
  static void copy(char* to, const char* from, const char* end) noexcept {
    Word first{};
    Word last{};
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&last, end - sizeof last, sizeof last);
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + (end - from) - sizeof last, &last, sizeof last);
  }

  std::string bytes_;  // of which size_ are used
  std::size_t size_ = 0;
};

}  // namespace nexusfix::python
