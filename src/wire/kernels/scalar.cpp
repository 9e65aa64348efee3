// The kernel for any machine.
#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::wire::kernels::scalar {

namespace {

#include "wire/kernels/generic/unusual.inl.hpp"

inline std::uint32_t sum_bytes(const char* bytes, std::uint32_t size) noexcept {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < size; ++i) sum += static_cast<unsigned char>(bytes[i]);
  return sum;
}

template <unsigned Policy>
std::uint32_t index_frame(const char* frame, std::size_t frame_bytes, IndexWork& work) noexcept {
  if (frame_bytes < kFrameBytesMin || frame_bytes > kFrameBytesMax) return 0;
  const auto size = static_cast<std::uint32_t>(frame_bytes);
  const Trailer trailer = read_trailer(frame, size);
  if (!trailer.good) return 0;
  work.first.rule = kNoFault;
  work.first_but_empty.rule = kNoFault;
  Place place{0, 0};
  while (place.byte < size) {
    // A field may bring its data field with it.
    if (place.entry + 2 > work.arrays.capacity) {
      work.more_capacity = 1;
      return 0;
    }
    place = index_field(frame, size, place, work);
  }
  return verdict<Policy>(frame, size, trailer, place.entry, sum_bytes(frame, size), work);
}

bool supported() noexcept { return true; }

}  // namespace

extern const KernelTable kTable;
const KernelTable kTable{
    "scalar", supported, {index_frame<0>, index_frame<1>, index_frame<2>, index_frame<3>}};

}  // namespace nexusfix::wire::kernels::scalar
