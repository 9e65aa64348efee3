// The part of x86_avx512.cpp for messages that are longer than a window or that its short path
// cannot index. Included there, inside its namespace and target region.

// The first SOH at or after from. There is one before size.
inline std::uint32_t find_soh(const char* frame, std::uint32_t from, std::uint32_t size) noexcept {
  for (;; from += kBlockBytes) {
    const std::uint32_t rest = size - from;
    const __mmask64 keep = _bzhi_u64(~0ULL, rest < kBlockBytes ? rest : kBlockBytes);
    const __m512i block = _mm512_maskz_loadu_epi8(keep, frame + from);
    const std::uint64_t soh = _cvtmask64_u64(_mm512_cmpeq_epi8_mask(block, load(kLanes.soh)));
    if (soh != 0) return from + static_cast<std::uint32_t>(_tzcnt_u64(soh));
  }
}

// Indexes the field at place on the slow path.
[[gnu::noinline]] static Place index_one_field(const char* frame, std::uint32_t size,
                                               const Place& place, IndexWork& work) noexcept {
  const std::uint32_t end = find_soh(frame, place.byte, size);
  return index_bounded_field(frame, size, place.byte, end, place.entry, work);
}

// Examines the slow-path fields of a window again. Returns where to continue: after the window's
// last field, or earlier if the entries after a field are invalid.
[[gnu::noinline]] static Place settle(const char* frame, std::uint32_t size, const Place& window,
                                      std::uint32_t fields, std::uint32_t slow,
                                      IndexWork& work) noexcept {
  const FieldArrays& arrays = work.arrays;
  const std::uint32_t end_entry = window.entry + fields;
  for (; slow != 0; slow &= slow - 1) {
    const std::uint32_t entry = window.entry + _tzcnt_u32(slow);
    const std::uint32_t begin =
        entry == window.entry ? window.byte : arrays.places[entry - 1].end + 1;
    const FieldBytes field{begin, arrays.places[entry].begin - 1, arrays.places[entry].end};
    const std::uint32_t tag_bytes = field.equals - begin;
    const std::uint32_t tag = field.equals < 8 ? read_tag(frame + begin, tag_bytes)
                                               : read_tag_at(frame + field.equals, tag_bytes);
    if (tag == 0) {
      record_fault(work, kTagMalformed, begin, tag_bytes);
      return {field.end + 1, entry};
    }
    arrays.keys[entry] = key_of(tag);
    if (field.equals + 1 == field.end) record_fault(work, kValueEmpty, begin, tag_bytes);
    const FieldPlace data = announced_data(frame, size, field, tag, work);
    if (data.begin == 0) continue;
    // The entry of a value without SOH is valid. Whatever its tag is, it is not a Length field.
    const bool is_in_step = entry + 1 < end_entry && arrays.places[entry + 1].end == data.end;
    const Place next = index_data(frame, {field.end + 1, entry + 1}, data, work);
    if (!is_in_step) return next;
    slow &= ~static_cast<std::uint32_t>(2ULL << (entry - window.entry));
  }
  return {arrays.places[end_entry - 1].end + 1, end_entry};
}

// A window with a slow-path field. If the window gives no field, because one has no `=` or is
// longer than the window, the slow path indexes one field.
template <std::uint32_t Blocks>
[[gnu::noinline]] static Place index_slow_path_window(const char* frame, std::uint32_t size,
                                                      const Place& place, std::uint32_t bytes,
                                                      IndexWork& work) noexcept {
  const Window<Blocks> window = load_window<Blocks>(frame + place.byte, bytes);
  Delimiters found = find_delimiters(window);
  remove_text(found);
  const std::uint32_t fields = found.lanes / 2;
  if (fields == 0) return index_one_field(frame, size, place, work);
  const Tags tags = read_tags<TagDigits::Five>(window, found, work.data);
  store_entries(work.arrays, place, fields, tags.keys, found.positions);
  return settle(frame, size, place, fields, slow_path_fields(tags.slow, fields), work);
}

// Indexes one window, from place on, of a message that is longer than a window.
template <std::uint32_t Blocks>
[[gnu::always_inline]] inline Place next_window(const char* frame, std::uint32_t size,
                                                const Place& place, std::uint32_t bytes,
                                                IndexWork& work) noexcept {
  const Window<Blocks> window = load_window<Blocks>(frame + place.byte, bytes);
  const Delimiters found = find_delimiters(window);
  if (found.lanes > kWindowLanesMax) [[unlikely]] {
    // If the fields have only a few bytes, one block less cannot hold that many, or the next one
    // cannot.
    if constexpr (Blocks > 1) {
      return next_window<Blocks - 1>(frame, size, place, (Blocks - 1) * kBlockBytes, work);
    } else {
      return index_one_field(frame, size, place, work);
    }
  }
  const std::uint32_t fields = found.lanes / 2;
  if (fields == 0) [[unlikely]]
    return index_one_field(frame, size, place, work);
  const Tags tags = read_tags(window, found, work.data);
  store_entries(work.arrays, place, fields, tags.keys, found.positions);
  if (const std::uint64_t slow = _bzhi_u64(tags.slow, found.lanes); slow != 0) [[unlikely]] {
    // The fields before the first lane out of turn can be settled: that lane usually lies in a data
    // field, and its Length field is settled first.
    const std::uint64_t out_of_turn = lanes_out_of_turn(found);
    const std::uint32_t in_turn =
        out_of_turn == 0 ? fields : static_cast<std::uint32_t>(_tzcnt_u64(out_of_turn)) / 2;
    const std::uint32_t settled = slow_path_fields(slow, in_turn);
    if (in_turn != fields && settled == 0) {
      return index_slow_path_window<Blocks>(frame, size, place, bytes, work);
    }
    return settle(frame, size, place, in_turn, settled, work);
  }
  // The next window is loaded from after the last SOH. Its position is known from the bits long
  // before the entries are stored. An odd last bit is the `=` of an incomplete field.
  const std::uint32_t end_entry = place.entry + fields;
  const std::uint64_t ends =
      found.lanes % 2 == 0
          ? found.last_bits
          : found.last_bits & ~(0x8000'0000'0000'0000 >> (_lzcnt_u64(found.last_bits) & 63));
  if (ends == 0) return {work.arrays.places[end_entry - 1].end + 1, end_entry};
  const auto after_last = static_cast<std::uint32_t>(_lzcnt_u64(ends));
  return {place.byte + Blocks * kBlockBytes - after_last, end_entry};
}

// Long values and data fields that contain SOH are indexed by windows.inl.hpp: a register for a
// window of 255 bytes would hold few fields of such a message, and a data field ends it.
namespace sparse {

#include "wire/kernels/generic/x86_groups.inl.hpp"

// Lanes of bytes. They may wrap.
using ByteSum = __m512i;

inline std::uint64_t soh_bits(__m512i block, ByteSum& sum) noexcept {
  sum = _mm512_add_epi8(sum, block);
  return _cvtmask64_u64(_mm512_cmpeq_epi8_mask(block, load(kLanes.soh)));
}

inline std::uint64_t soh_bits(const char* block, ByteSum& sum) noexcept {
  return soh_bits(_mm512_loadu_si512(block), sum);
}

inline std::uint64_t soh_bits(const char* block, const unsigned char* keep, ByteSum& sum) noexcept {
  return soh_bits(_mm512_and_si512(_mm512_loadu_si512(block), _mm512_loadu_si512(keep)), sum);
}

[[gnu::always_inline]] inline std::uint32_t* write_starts(std::uint32_t* out, std::uint32_t base,
                                                          std::uint64_t bits) noexcept {
  constexpr std::uint32_t kAtOnce = 16;
  const auto count = static_cast<std::uint32_t>(_mm_popcnt_u64(bits));
  const __m512i bases = _mm512_set1_epi32(static_cast<int>(base));
  const __m512i positions = _mm512_maskz_compress_epi8(_cvtu64_mask64(bits), load(kLanes.iota));
  const auto write = [=](std::uint32_t i, __m128i some) noexcept {
    _mm512_storeu_si512(out + i * kAtOnce, _mm512_add_epi32(bases, _mm512_cvtepu8_epi32(some)));
  };
  write(0, _mm512_castsi512_si128(positions));
  if (count > kAtOnce) [[unlikely]] {
    write(1, _mm512_extracti32x4_epi32(positions, 1));
    write(2, _mm512_extracti32x4_epi32(positions, 2));
    write(3, _mm512_extracti32x4_epi32(positions, 3));
  }
  return out + count;
}

#include "wire/kernels/generic/windows.inl.hpp"

}  // namespace sparse

// How far a message is indexed and summed: all bytes before `summed`.
struct LongIndex {
  Place place;
  std::uint32_t summed;
  __m512i sum;  // lanes of bytes, which may wrap
};

// Adds frame[index.summed, end) to the sum.
[[gnu::always_inline]] inline void sum_up_to(const char* frame, std::uint32_t end,
                                             LongIndex& index) noexcept {
  __m512i other = _mm512_setzero_si512();
  std::uint32_t at = index.summed;
  for (; at + 2 * kBlockBytes <= end; at += 2 * kBlockBytes) {
    index.sum = _mm512_add_epi8(index.sum, _mm512_loadu_si512(frame + at));
    other = _mm512_add_epi8(other, _mm512_loadu_si512(frame + at + kBlockBytes));
  }
  for (; at < end; at += kBlockBytes) {
    const __mmask64 keep = _bzhi_u64(~0ULL, end - at < kBlockBytes ? end - at : kBlockBytes);
    other = _mm512_add_epi8(other, _mm512_maskz_loadu_epi8(keep, frame + at));
  }
  index.sum = _mm512_add_epi8(index.sum, other);
  index.summed = end;
}

// Continues from index.place until a window has many fields again, all without SOH in their values.
// False, with more_capacity set: the arrays are too short.
[[gnu::noinline]] static bool index_sparse(const char* frame, std::uint32_t size, LongIndex& index,
                                           IndexWork& work) noexcept {
  constexpr std::uint32_t kManyFields = sparse::kWindowBytes / 32;
  const std::uint32_t body_end = size - kTrailerBytes;
  sum_up_to(frame, index.place.byte, index);
  std::uint32_t from = index.place.byte;
  std::uint32_t entry = index.place.entry;
  sparse::ByteSum sum = index.sum;
  sparse::Starts starts;
  starts.at[0] = from;
  for (bool many = false; from < body_end && !many;) {
    const std::uint32_t rest = body_end - from;
    const std::uint32_t end = from + (rest < sparse::kWindowBytes ? rest : sparse::kWindowBytes);
    const std::uint32_t fields = sparse::find_fields(frame, from, end, starts, sum);
    const std::uint32_t first = entry;
    entry = sparse::index_fields(frame, size, starts, fields, entry, work);
    if (entry > work.arrays.capacity) {
      work.more_capacity = 1;
      return false;
    }
    many = fields >= kManyFields && entry - first == fields;
    starts.at[0] = starts.at[fields];
    from = end;
  }
  index = {{starts.at[0], entry}, from, sum};
  return true;
}

// What is known about the fields so far.
enum class FirstPart { Dense, Sparse };

// Indexes the fields of a message, window after window. Returns the number of entries, or 0 with
// more_capacity set if the arrays are too short.
[[gnu::noinline]] static std::uint32_t index_rest(const char* frame, std::uint32_t size,
                                                  FirstPart part, std::uint32_t& byte_sum,
                                                  IndexWork& work) noexcept {
  // A window with fewer fields is part of a sparse region, or a data field has cut it short.
  constexpr std::uint32_t kFewFields = 6;
  const std::uint32_t body_end = size - kTrailerBytes;
  LongIndex index{{0, 0}, 0, _mm512_setzero_si512()};
  if (part == FirstPart::Sparse && !index_sparse(frame, size, index, work)) return 0;
  while (index.place.byte < body_end) {
    const Place place = index.place;
    // A window's fields, one more data field, the trailer.
    if (place.entry + kWindowFieldsMax + 2 > work.arrays.capacity) {
      work.more_capacity = 1;
      return 0;
    }
    const std::uint32_t rest = body_end - place.byte;
    if (rest > 3 * kBlockBytes) {
      index.place =
          next_window<4>(frame, size, place, rest < kWindowBytesMax ? rest : kWindowBytesMax, work);
    } else if (rest > 2 * kBlockBytes) {
      index.place = next_window<3>(frame, size, place, rest, work);
    } else if (rest > kBlockBytes) {
      index.place = next_window<2>(frame, size, place, rest, work);
    } else {
      index.place = next_window<1>(frame, size, place, rest, work);
    }
    if (index.place.entry - place.entry < kFewFields && index.place.byte < body_end) [[unlikely]] {
      if (!index_sparse(frame, size, index, work)) return 0;
    }
  }
  sum_up_to(frame, size, index);
  byte_sum = sum_bytes(Window<1>{{index.sum}}, 0);
  put_trailer(work.arrays, index.place.entry, size);
  return index.place.entry + 1;
}

// A message that is longer than a window or that the short path cannot index.
template <unsigned Policy>
[[gnu::noinline]] std::uint32_t index_long(const char* frame, std::uint32_t size, IndexWork& work,
                                           FirstPart part = FirstPart::Dense) noexcept {
  const Trailer trailer = read_trailer(frame, size);
  if (!trailer.good) return 0;
  work.first.rule = kNoFault;
  work.first_but_empty.rule = kNoFault;
  std::uint32_t byte_sum = 0;
  const std::uint32_t count = index_rest(frame, size, part, byte_sum, work);
  if (count == 0) return 0;
  return verdict<Policy>(frame, size, trailer, count, byte_sum, work);
}
