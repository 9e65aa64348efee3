#include "logs/anonymise/pseudonyms.hpp"

#include <algorithm>
#include <numeric>
#include <sodium.h>
#include <stdexcept>
#include <tuple>

#include "base/api/ascii.hpp"

namespace nexusfix::logs {
namespace {

static_assert(crypto_shorthash_KEYBYTES == std::tuple_size_v<PseudonymKey>);

constexpr unsigned kDigits = 10;
constexpr unsigned kLetters = 26;
constexpr std::size_t kTableMax = 4096;     // values of a shape that has a table
constexpr std::size_t kKnownMax = 50'000;   // pseudonyms that are kept
constexpr std::size_t kKnownBytesMax = 64;  // of their values
constexpr unsigned kRounds = 10;            // even

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// The number of values with these radixes, at most kTableMax + 1.
std::size_t size_of(const std::vector<unsigned char>& radixes) {
  std::size_t size = 1;
  for (const unsigned char radix : radixes) {
    size *= radix;
    if (size > kTableMax) return kTableMax + 1;
  }
  return size;
}

char outside_of_shape(char c) {
  constexpr unsigned char kAsciiEnd = 0x80;
  constexpr unsigned char kDelete = 0x7f;
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= kAsciiEnd) return 'x';
  return byte < ' ' || byte == kDelete ? '?' : c;
}

}  // namespace

PseudonymKey random_key() {
  PseudonymKey key;
  if (sodium_init() < 0) throw std::runtime_error{"libsodium cannot be used on this machine"};
  randombytes_buf(key.data(), key.size());
  return key;
}

PseudonymKey key_of(std::string_view text) {
  PseudonymKey key;
  // Valid: the bytes of a text.
  crypto_generichash(key.data(), key.size(), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size(), nullptr, 0);
  return key;
}

std::uint64_t Pseudonyms::hash(std::string_view bytes) const {
  std::array<unsigned char, crypto_shorthash_BYTES> result;
  // Valid: the bytes of a text.
  crypto_shorthash(result.data(), reinterpret_cast<const unsigned char*>(bytes.data()),
                   bytes.size(), key_.data());
  std::uint64_t number = 0;
  for (const unsigned char byte : result) number = number << 8U | byte;
  return number;
}

std::uint64_t Pseudonyms::number(std::string_view word, std::uint64_t end) const {
  return hash(std::string{"number "}.append(word)) % end;
}

// One round: a half of the numeral is changed by the hash of the other half.
void Pseudonyms::add_round(Numeral& numeral, unsigned round, bool is_inverse) const {
  constexpr std::size_t kDigitsOfHash = 12;  // 26 to this power fits into 64 bits
  const std::size_t size = numeral.digits.size();
  const std::size_t middle = size / 2;
  const bool is_left = round % 2 == 0;
  const std::size_t begin = is_left ? 0 : middle;
  const std::size_t end = is_left ? middle : size;
  std::string input{"round", 5};
  input += static_cast<char>(round);
  input.append(numeral.radixes.begin(), numeral.radixes.end());
  input += '\0';
  for (std::size_t i = 0; i < size; ++i) {
    if (i < begin || i >= end) input += static_cast<char>(numeral.digits[i]);
  }
  input += '\0';
  // The hash is made of the other half once, and then of this and the place: the time grows with
  // the size.
  std::uint64_t bits = hash(input);
  std::string block = "block " + std::to_string(bits);
  const std::size_t counter = block.size();
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t place = i - begin;
    if (place > 0 && place % kDigitsOfHash == 0) {
      block.resize(counter);
      bits = hash(block.append(1, ' ').append(std::to_string(place / kDigitsOfHash)));
    }
    const unsigned radix = numeral.radixes[i];
    const auto step = static_cast<unsigned>(bits % radix);
    bits /= radix;
    const unsigned digit = numeral.digits[i] + (is_inverse ? radix - step : step);
    numeral.digits[i] = static_cast<unsigned char>(digit % radix);
  }
}

void Pseudonyms::feistel(Numeral& numeral, bool is_inverse) const {
  for (unsigned i = 0; i < kRounds; ++i) {
    add_round(numeral, is_inverse ? kRounds - 1 - i : i, is_inverse);
  }
}

// Sattolo's algorithm: a random permutation with one cycle, so that no value stays.
void Pseudonyms::permute_by_table(Numeral& numeral, std::size_t size) {
  const std::string shape(numeral.radixes.begin(), numeral.radixes.end());
  std::vector<std::uint16_t>& table = tables_[shape];
  if (table.empty()) {
    table.resize(size);
    std::iota(table.begin(), table.end(), std::uint16_t{0});
    for (std::size_t i = size - 1; i > 0; --i) {
      std::swap(table[i], table[hash("table " + shape + std::to_string(i)) % i]);
    }
  }
  std::size_t value = 0;
  for (std::size_t i = 0; i < numeral.digits.size(); ++i) {
    value = value * numeral.radixes[i] + numeral.digits[i];
  }
  value = table[value];
  for (std::size_t i = numeral.digits.size(); i > 0; --i) {
    numeral.digits[i - 1] = static_cast<unsigned char>(value % numeral.radixes[i - 1]);
    value /= numeral.radixes[i - 1];
  }
}

// A permutation of all values of the shape. It conjugates the successor, which has no value that
// stays, with a keyed permutation.
void Pseudonyms::permute(Numeral& numeral) {
  const std::size_t size = size_of(numeral.radixes);
  if (size <= kTableMax) {
    permute_by_table(numeral, size);
    return;
  }
  feistel(numeral, false);
  for (std::size_t i = numeral.digits.size(); i > 0; --i) {
    if (++numeral.digits[i - 1] < numeral.radixes[i - 1]) break;
    numeral.digits[i - 1] = 0;
  }
  feistel(numeral, true);
}

std::string_view Pseudonyms::of(std::string_view value) {
  if (known_.size() >= kKnownMax) known_.clear();
  const auto [found, is_new] = known_.try_emplace(std::string{value});
  std::string& result = found->second;
  if (!is_new) return result;
  Numeral numeral;
  for (const char c : value) {
    if (is_digit(c)) {
      numeral.digits.push_back(static_cast<unsigned char>(c - '0'));
      numeral.radixes.push_back(kDigits);
    } else if (is_letter(c)) {
      numeral.digits.push_back(static_cast<unsigned char>(c - (is_upper(c) ? 'A' : 'a')));
      numeral.radixes.push_back(kLetters);
    }
  }
  if (!numeral.digits.empty()) permute(numeral);
  std::size_t at = 0;
  for (const char c : value) {
    if (is_digit(c)) {
      result += static_cast<char>('0' + numeral.digits[at++]);
    } else if (is_upper(c) || is_lower(c)) {
      result += static_cast<char>((is_upper(c) ? 'A' : 'a') + numeral.digits[at++]);
    } else {
      result += outside_of_shape(c);
    }
  }
  if (value.size() <= kKnownBytesMax) return result;
  // A long text hardly comes again.
  last_ = std::move(result);
  known_.erase(found);
  return last_;
}

}  // namespace nexusfix::logs
