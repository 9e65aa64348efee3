// Replaces values by others of the same shape, so that equal values stay equal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nexusfix::logs {

// 128 bits, for SipHash.
using PseudonymKey = std::array<unsigned char, 16>;

// A key that no one knows.
[[nodiscard]] PseudonymKey random_key();
// The key that a text stands for: a hash of all its bytes.
[[nodiscard]] PseudonymKey key_of(std::string_view text);

// A digit becomes another digit, and a letter another letter of its case, at the same place; other
// ASCII characters stay. A byte that is not ASCII becomes x, and a control character `?`. The same
// key gives the same pseudonym for the same value. Different values of one shape, without such
// bytes, have different pseudonyms, and no value with a letter or a digit is its own pseudonym.
// One thread at a time.
class Pseudonyms {
 public:
  explicit Pseudonyms(const PseudonymKey& key) : key_{key} {}

  // The pseudonym of a value; valid until the next call.
  [[nodiscard]] std::string_view of(std::string_view value);
  // A number from 0 to end - 1 that depends on the key and this word only. end > 0.
  [[nodiscard]] std::uint64_t number(std::string_view word, std::uint64_t end) const;

 private:
  // The letters and digits of a value, as numbers below their radix.
  struct Numeral {
    std::vector<unsigned char> digits;
    std::vector<unsigned char> radixes;
  };

  void permute(Numeral& numeral);
  void permute_by_table(Numeral& numeral, std::size_t size);
  void feistel(Numeral& numeral, bool is_inverse) const;
  void add_round(Numeral& numeral, unsigned round, bool is_inverse) const;
  [[nodiscard]] std::uint64_t hash(std::string_view bytes) const;

  PseudonymKey key_;
  std::unordered_map<std::string, std::string> known_;  // bounded
  std::string last_;                                    // of a long value
  // For few possible values: the successor of each, in a random cycle. By radixes.
  std::unordered_map<std::string, std::vector<std::uint16_t>> tables_;
};

}  // namespace nexusfix::logs
