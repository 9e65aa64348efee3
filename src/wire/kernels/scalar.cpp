// The kernel for any machine: eight bytes at a time in an ordinary register.
#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::wire::kernels::scalar {

namespace {

constexpr std::uint32_t kScanCapacityExceeded = 0xffff'ffff;

inline std::uint64_t load_word(const char* bytes) noexcept;

// Adds up the bytes of words in 16-bit lanes, which hold 128 words' worth without overflow.
class ByteSum {
 public:
  void add(std::uint64_t word) noexcept {
    lanes_ += (word & kEvenBytes) + ((word >> 8) & kEvenBytes);
    if (++words_ == kWordsMax) fold();
  }
  std::uint32_t total() noexcept {
    fold();
    return total_;
  }

 private:
  static constexpr std::uint64_t kEvenBytes = 0x00ff'00ff'00ff'00ff;
  static constexpr std::uint32_t kWordsMax = 128;
  static_assert(kWordsMax * 2 * 255 <= 0xffff);

  void fold() noexcept {
    for (std::uint32_t shift = 0; shift < 64; shift += 16) {
      total_ += static_cast<std::uint32_t>(lanes_ >> shift) & 0xffff;
    }
    lanes_ = 0;
    words_ = 0;
  }

  std::uint64_t lanes_ = 0;
  std::uint32_t words_ = 0;
  std::uint32_t total_ = 0;
};

// The top bit of each byte that is SOH, exactly: no borrow reaches a neighbour.
inline std::uint64_t soh_bytes(std::uint64_t word) noexcept {
  constexpr std::uint64_t kLowSeven = 0x7f7f'7f7f'7f7f'7f7f;
  const std::uint64_t difference = word ^ 0x0101'0101'0101'0101;
  return ~(((difference & kLowSeven) + kLowSeven) | difference | kLowSeven);
}

inline std::uint32_t soh_index(std::uint64_t found) noexcept {
  return static_cast<std::uint32_t>(__builtin_ctzll(found)) / 8;
}

inline std::uint32_t scan_soh(const char* body, std::uint32_t size, const FieldArrays& arrays,
                              std::uint32_t& byte_sum) noexcept {
  constexpr std::uint64_t kTopByte = std::uint64_t{1} << 63;
  std::uint32_t count = 0;
  std::uint32_t at = 0;
  ByteSum sum;
  for (; at + 8 <= size; at += 8) {
    if (count + 8 > arrays.capacity) return kScanCapacityExceeded;
    const std::uint64_t word = load_word(body + at);
    sum.add(word);
    // Two without a branch, because whether a word has none, one or two is what no branch predictor
    // knows; more than two are rare. The top byte stands in where there is none.
    std::uint64_t found = soh_bytes(word);
    arrays.ends[count] = at + soh_index(found | kTopByte);
    count += found != 0 ? 1 : 0;
    found &= found - 1;
    arrays.ends[count] = at + soh_index(found | kTopByte);
    count += found != 0 ? 1 : 0;
    for (found &= found - 1; found != 0; found &= found - 1) {
      arrays.ends[count++] = at + soh_index(found);
    }
  }
  if (count + 8 > arrays.capacity) return kScanCapacityExceeded;
  std::uint32_t rest_sum = 0;
  for (; at < size; ++at) {
    rest_sum += static_cast<unsigned char>(body[at]);
    if (body[at] == '\x01') arrays.ends[count++] = at;
  }
  byte_sum = sum.total() + rest_sum;
  return count;
}

// An ordinary register holds one tag at a time.
constexpr std::uint32_t kFieldsAtOnce = 1;
[[maybe_unused]] inline bool index_ordinary_fields(const char*, const DataTags&, const FieldArrays&,
                                                   std::uint32_t, std::uint32_t) noexcept {
  return false;
}

#include "wire/kernels/generic/index.inl.hpp"

bool supported() noexcept { return true; }

}  // namespace

extern const KernelTable kTable;
const KernelTable kTable{"scalar", supported, index_fields};

}  // namespace nexusfix::wire::kernels::scalar
