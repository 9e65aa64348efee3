#include "dictionary/builtin/compressed.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "dictionary/builtin/numbers.hpp"

// The result is a sequence of steps, each of some new bytes and a repetition. A step begins with a
// byte for two sizes: four bits for the new bytes, four for the repetition above its minimum. A
// size of 15 or more goes on in a number. The new bytes follow the first size, the distance of the
// repetition follows the second. The last step has no repetition.
namespace nexusfix::dictionary {
namespace {

static_assert(std::endian::native == std::endian::little, "the words are bytes in this order");
constexpr std::size_t kRepetitionMin = 4;  // a shorter one is not worth its distance
constexpr std::size_t kShortBits = 4;
constexpr std::size_t kShortMax = (1U << kShortBits) - 1;
constexpr std::size_t kCandidatesMax = 256;  // earlier places that are compared; more find little

class Compressor {
 public:
  explicit Compressor(std::string_view bytes) : bytes_{bytes} {}

  std::vector<std::uint64_t> run() {
    std::size_t written = 0;
    for (std::size_t at = 0; at < bytes_.size();) {
      Repetition found = longest(at);
      // Worth it if it is longer than its numbers, and if none that begins later is longer.
      if (found.size < kRepetitionMin + 1 || longest(at + 1).size > found.size + 1) found = {};
      const std::size_t end = at + (found.size == 0 ? 1 : found.size);
      if (found.size != 0) {
        put_step(written, at, found);
        written = end;
      }
      for (; at < end; ++at) note(at);
    }
    put_step(written, bytes_.size(), {});
    std::vector<std::uint64_t> words((steps_.size() + sizeof(std::uint64_t) - 1) /
                                     sizeof(std::uint64_t));
    std::memcpy(words.data(), steps_.data(), steps_.size());
    return words;
  }

 private:
  struct Repetition {
    std::size_t size = 0;  // 0: none
    std::size_t distance = 0;
  };

  Repetition longest(std::size_t at) const {
    Repetition best;
    if (at >= bytes_.size()) return best;
    const auto places = places_.find(bytes_.substr(at, kRepetitionMin));
    if (places == places_.end()) return best;
    std::size_t left = kCandidatesMax;
    for (auto place = places->second.rbegin(); place != places->second.rend() && left != 0;
         ++place, --left) {
      std::size_t size = kRepetitionMin;
      while (at + size < bytes_.size() && bytes_[*place + size] == bytes_[at + size]) ++size;
      if (size > best.size) best = {.size = size, .distance = at - *place};
    }
    return best;
  }
  void note(std::size_t at) {
    if (at + kRepetitionMin > bytes_.size()) return;
    places_[bytes_.substr(at, kRepetitionMin)].push_back(at);
  }
  void put_step(std::size_t from, std::size_t to, const Repetition& repetition) {
    const std::size_t more = repetition.size == 0 ? 0 : repetition.size - kRepetitionMin;
    steps_.push_back(static_cast<char>(std::min(to - from, kShortMax) << kShortBits |
                                       std::min(more, kShortMax)));
    put_rest(to - from);
    steps_.append(bytes_.substr(from, to - from));
    if (repetition.size == 0) return;
    put_rest(more);
    append_number(steps_, repetition.distance);
  }
  void put_rest(std::size_t size) {
    if (size >= kShortMax) append_number(steps_, size - kShortMax);
  }

  std::string_view bytes_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> places_;  // of each four bytes
  std::string steps_;
};

class Reader {
 public:
  // Bytes of any object may be read as char.
  explicit Reader(std::span<const std::uint64_t> words)
      : at_{reinterpret_cast<const char*>(words.data())} {}

  char byte() { return *at_++; }
  const char* bytes(std::size_t count) { return std::exchange(at_, at_ + count); }
  std::size_t number() {
    return read_number([this] { return byte(); });
  }
  // The rest of a size whose first four bits are known.
  std::size_t size(std::size_t first) { return first < kShortMax ? first : first + number(); }

 private:
  const char* at_;
};

}  // namespace

std::vector<std::uint64_t> compress(std::string_view bytes) { return Compressor{bytes}.run(); }

std::string decompress(std::span<const std::uint64_t> words, std::size_t size) {
  std::string bytes(size, '\0');
  Reader reader{words};
  char* at = bytes.data();
  char* const end = at + size;
  const auto left = [&] { return static_cast<std::size_t>(end - at); };
  while (at != end) {
    const auto sizes = static_cast<unsigned char>(reader.byte());
    const std::size_t new_bytes = std::min(reader.size(sizes >> kShortBits), left());
    std::memcpy(at, reader.bytes(new_bytes), new_bytes);
    at += new_bytes;
    if (at == end) break;
    const std::size_t repeated = std::min(kRepetitionMin + reader.size(sizes & kShortMax), left());
    const char* from = at - reader.number();
    char* const to = at + repeated;
    constexpr std::ptrdiff_t kAtOnce = 8;
    if (at - from >= kAtOnce) {
      for (; to - at >= kAtOnce; at += kAtOnce, from += kAtOnce) std::memcpy(at, from, kAtOnce);
    }
    // One by one: a repetition may reach into itself.
    for (; at != to; ++at, ++from) *at = *from;
  }
  return bytes;
}

}  // namespace nexusfix::dictionary
