// A parsed message: an index over bytes that the caller owns.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>

#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/field.hpp>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// The arrays that a parser fills and a message reads.

namespace nexusfix::wire {

// A lookup reads this many keys at a time, so this many keys after `count` are readable.
inline constexpr std::uint32_t kKeysReadable = 32;
// The alignment of keys, in bytes.
inline constexpr std::size_t kKeysAlignment = 64;
// The keys of a message without fields.
alignas(kKeysAlignment) inline constexpr std::uint16_t kNoKeys[kKeysReadable] = {};

// The key of all tags that do not fit into a key. The tags below it are their own keys.
inline constexpr std::uint16_t kLargeTagKey = 0xffff;

namespace detail {

// Where a value lies, as offsets from the start of the message. Both are in one word, because every
// reader needs both.
struct FieldPlace {
  std::uint32_t begin;  // of the value's first byte
  std::uint32_t end;    // of the SOH after the value
};

// A place in a message of up to 255 bytes, as its kernel finds it. Widening all places would take
// a fifth of the parser's time, and readers need only some of them.
struct NarrowPlace {
  std::uint8_t begin;  // offset of the value's first byte
  std::uint8_t size;   // bytes of the value
};

// One entry for each field, in wire order. A key is the field's tag, or kLargeTagKey for every tag
// that is not below that; such a tag is read from its text again. With 16 bits for a tag, a lookup
// compares eight tags by one SSE2 instruction, and a cache line holds 32 of them.
struct FieldIndex {
  const std::uint16_t* keys = kNoKeys;         // kKeysReadable more than count are readable
  const FieldPlace* places = nullptr;          // used if narrow_count is 0
  const NarrowPlace* narrow_places = nullptr;  // used if narrow_count is not 0
  std::uint32_t count = 0;                     // the number of fields
  std::uint32_t narrow_count = 0;              // 0, or count if the message has narrow places

  // The place of the value of field index, which is below count.
  [[nodiscard]] FieldPlace place(std::size_t index) const noexcept {
    if (index >= narrow_count) return places[index];
    const NarrowPlace narrow = narrow_places[index];
    return {narrow.begin, std::uint32_t{narrow.begin} + narrow.size};
  }
};

// Frames that are like an earlier one: the same fields in the same places.

// What each byte of a frame may be: byte i is within its range if byte - lowest[i], which may wrap,
// is at most width[i]. After the frame, any byte is.
struct ByteRanges {
  // More than the longest frame that has a shape.
  static constexpr std::size_t kBytes = 256;

  // The least value of each byte.
  alignas(64) std::uint8_t lowest[kBytes];
  // How much more than that each byte may be.
  alignas(64) std::uint8_t width[kBytes];
};

// What a validator has found out about all messages of a shape. Only validators set and read it.
struct ShapeProof {
  std::uint64_t number = ~std::uint64_t{0};  // of a sequence of tags; nothing is known: of none
  std::size_t place = 0;                     // of that sequence in its memory
};

// The shape of the frames of one size that a parser has seen before. Most messages of a
// counterparty differ by a few digits. A kernel compares such a frame with the ranges of its shape,
// instead of indexing it again: if each byte is within its range, the frame has the fields of the
// one that the shape was learned from. The bytes of tags, `=` and SOH must be the same, and the
// values of BeginString, BodyLength and MsgType. A byte of another value may be any but SOH and 0,
// until a validator narrows its range to bytes that need no further check.
//
// The parser owns it. Only the parser's thread uses it.
class FrameShape {
 public:
  // The shortest frame that has a shape: kernels load whole vectors.
  static constexpr std::size_t kBytesMin = 64;
  // The longest one: its places are narrow.
  static constexpr std::size_t kBytesMax = 255;
  // The fields of one frame.
  static constexpr std::size_t kFieldsMax = 32;
  static_assert(kBytesMax < ByteRanges::kBytes);

  // Whether it is the shape of frames of this size.
  [[nodiscard]] bool is_of(std::size_t bytes) const noexcept { return bytes_ == bytes; }
  // What a kernel compares a frame with.
  [[nodiscard]] const ByteRanges& ranges() const noexcept { return ranges_; }
  // The index of a frame that fits.
  [[nodiscard]] FieldIndex index() const noexcept {
    return {keys_, kNoPlaces, places_, count_, count_};
  }
  // A frame fits.
  void record_fit() noexcept { ++fits_; }
  // A frame of this size does not fit.
  void forget() noexcept;
  // A frame was indexed. Whether a shape should be learned from it: the frame before it had this
  // size, too.
  [[nodiscard]] bool awaits(std::size_t bytes) noexcept {
    return --wait_ == 0 && is_repeated(bytes);
  }
  // From a frame without a fault that has no Length field. False: it cannot be learned.
  [[nodiscard]] bool learn(std::string_view frame, const FieldIndex& index) noexcept;
  // Limits the byte at this place. Another byte is then left to those who index and check messages.
  void narrow(std::size_t at, std::uint8_t lowest, std::uint8_t highest) noexcept {
    ranges_.lowest[at] = lowest;
    ranges_.width[at] = static_cast<std::uint8_t>(highest - lowest);
  }
  // What the last set_proof() has set; at first, and after learn(), nothing is known.
  [[nodiscard]] const ShapeProof& proof() const noexcept { return proof_; }
  // For the validator that has narrowed the ranges.
  void set_proof(const ShapeProof& proof) noexcept { proof_ = proof; }
  // It cannot be learned from frames of this size: the next attempt comes late.
  void put_off() noexcept { wait_ = kWaitMax; }

 private:
  // Nothing reads them, as the narrow ones are read. An entry of a group adds to their address.
  static constexpr FieldPlace kNoPlaces[kFieldsMax] = {};
  static constexpr std::size_t kNone = ~std::size_t{0};
  static constexpr std::uint16_t kWaitMax = 1'024;
  // Fewer do not pay for learning it.
  static constexpr std::uint64_t kFitsLeast = 16;
  [[nodiscard]] bool is_repeated(std::size_t bytes) noexcept;

  std::size_t bytes_ = kNone;      // of the frame; kNone: there is no shape
  std::size_t candidate_ = kNone;  // the size of the first one of two that are compared
  std::uint32_t count_ = 0;        // of the fields
  // So that frames that do not repeat cost little: how many are indexed before the next two are
  // compared, at first one, and each time twice as many if that was in vain.
  std::uint16_t wait_ = 1;
  std::uint16_t next_wait_ = 1;
  std::uint64_t fits_ = 0;       // since the shape was learned
  std::uint64_t fits_seen_ = 0;  // by is_repeated()
  ShapeProof proof_;
  alignas(kKeysAlignment) std::uint16_t keys_[kFieldsMax + kKeysReadable] = {};
  NarrowPlace places_[kFieldsMax] = {};
  ByteRanges ranges_{};
};

class FieldProof;
class ParserIndex;
class TagSequence;

}  // namespace detail

// A parsed message: an index over bytes that the caller owns.

class GroupEntry;
class GroupShape;
class GroupView;

// The first malformed field. For DataLengthWrong it is the Length field; its data field then ends
// at its first SOH, like an ordinary field.
struct Fault {
  // The rule that a field breaks. A message with a fault is still a message: it has a MsgSeqNum,
  // and the session answers it with a Reject.
  enum class Rule : std::uint8_t {
    TagMalformed,     // not a number, leading zero, zero, negative, above kTagMax
    TagWithoutValue,  // no `=` in the field
    ValueEmpty,       // the index contains the field nevertheless
    DataLengthWrong,  // the Length field of a data field does not lead to a SOH
  };
  Rule rule = Rule::TagMalformed;  // the rule that it breaks
  std::uint32_t offset = 0;        // of the field's first byte
  // The bytes before the `=` as received; without a `=`, the whole field.
  std::string_view tag_text;
};

// The first faults of a message.
struct Faults {
  std::optional<Fault> first;            // the first one
  std::optional<Fault> first_but_empty;  // the first one that is not ValueEmpty
};

namespace detail {

// A value of a message, and where it begins. Of plain numbers, so that compilers keep it in
// registers.
struct ValueAt {
  const char* data;
  std::size_t size;
  std::uint32_t begin;

  [[nodiscard]] std::string_view text() const noexcept { return {data, size}; }
};

struct TypedReads;

}  // namespace detail

// Reads the fields of a parsed message by tag or in wire order.
//
// Trivially copyable. Valid as long as the bytes and the Parser that made it are unchanged: until
// the callback that received it returns, or until the parser's next parse(). A default-constructed
// one has no fields. No function allocates; any number of threads may read.
class MessageView {
 public:
  class Iterator;

  // A message without fields.
  MessageView() = default;
  // For parsers: the message in bytes, with the index of its fields.
  MessageView(std::string_view bytes, const detail::FieldIndex& index) noexcept
      : bytes_{bytes}, index_{index} {}
  // For a message with a fault. faults must outlive the view.
  MessageView(std::string_view bytes, const detail::FieldIndex& index,
              const Faults& faults) noexcept
      : bytes_{bytes}, index_{index}, faults_{&faults} {}
  // For a frame that fits this shape, which must outlive the view.
  MessageView(std::string_view bytes, detail::FrameShape& shape) noexcept
      : bytes_{bytes}, index_{shape.index()}, shape_{&shape} {}
  // For a frame with these tags, which must outlive the view.
  MessageView(std::string_view bytes, detail::TagSequence& sequence) noexcept;

  // The whole message, from BeginString up to and including the SOH after CheckSum.
  [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }
  // BeginString (8); empty for a message without fields.
  [[nodiscard]] std::string_view begin_string() const noexcept;
  // MsgType (35); empty for a message without fields.
  [[nodiscard]] std::string_view msg_type() const noexcept;

  // The number of fields that have a tag and a `=`, with BeginString and CheckSum. Other fields are
  // not in the index; fault() describes the first of them.
  [[nodiscard]] std::size_t field_count() const noexcept { return index_.count; }
  // The field with this index in wire order. index must be below field_count().
  [[nodiscard]] FieldView field(std::size_t index) const noexcept;
  // The arrays themselves, for a walk over all fields. They live as long as the view is valid.
  [[nodiscard]] const detail::FieldIndex& index() const noexcept { return index_; }
  // The first malformed field; nothing if there is none. A session answers it with a Reject.
  [[nodiscard]] const std::optional<Fault>& fault() const noexcept { return faults_->first; }
  // The first fault for a session that allows empty values. Without this one, an empty value would
  // hide a malformed tag after it.
  [[nodiscard]] const std::optional<Fault>& fault_but_empty() const noexcept {
    return faults_->first_but_empty;
  }

  // for (const FieldView field : message). Iterators live as long as the view object itself.
  [[nodiscard]] Iterator begin() const noexcept;
  // The end of the fields.
  [[nodiscard]] Iterator end() const noexcept;

  // The value of the first field with this tag; nothing if absent. An empty value is a value of
  // size 0. Compares kKeysReadable tags in one step: O(fields / 32), a few steps for a hundred
  // fields.
  [[nodiscard]] std::optional<std::string_view> operator[](Tag tag) const noexcept;
  // The first field with this tag at or after the field with index from; nothing if absent.
  [[nodiscard]] std::optional<FieldView> find(Tag tag, std::size_t from = 0) const noexcept;
  // The index of the field that find() finds.
  [[nodiscard]] std::optional<std::size_t> find_index(Tag tag, std::size_t from = 0) const noexcept;
  // Whether the message has a field with this tag.
  [[nodiscard]] bool has(Tag tag) const noexcept { return index_of(tag, 0) < field_count(); }
  // has(one) || has(other), in one pass if both are absent. Both tags are below kLargeTagKey.
  [[nodiscard]] bool has_either(Tag one, Tag other) const noexcept;

  // Typed read of the first field with this tag. T: std::string_view, char, bool, std::int64_t,
  // std::uint64_t, Decimal, FixedPrice, WallTime and PicoTime (UTCTimestamp), Date (UTCDateOnly,
  // LocalMktDate), TimeOfDay (UTCTimeOnly). An empty value is FieldErrorCode::Empty for each of
  // them.
  template <class T>
  [[nodiscard]] OptionalField<T> get(Tag tag) const noexcept;

  // What a validator has found out about the message's sequence of tags; null: nothing is known.
  // The engine's callbacks get such views.
  [[nodiscard]] const detail::FieldProof* proof() const noexcept { return proof_; }
  // Notes this proof, which must outlive the view. For the code that has just validated the
  // message, before other threads read it. The message itself stays the same, and is not copied.
  void record_proof(detail::FieldProof* proof) const noexcept { proof_ = proof; }

  // The shape that the frame fits; null: none. For validators.
  [[nodiscard]] detail::FrameShape* shape() const noexcept { return shape_; }
  // The tags of an earlier frame that this one was found to have; null: none. For validators.
  [[nodiscard]] detail::TagSequence* sequence() const noexcept { return sequence_; }

  // The message as a typed message. M::from(*this) checks its type and its required fields.
  template <class M>
  [[nodiscard]] auto as() const noexcept {
    return M::from(*this);
  }

  // The repeating group whose count field is the first one with the shape's tag at or after the
  // field with index from. Needs group_view.hpp.
  [[nodiscard]] GroupView group(const GroupShape& shape, std::size_t from = 0) const noexcept;

 private:
  friend class GroupEntry;
  friend class GroupView;
  friend class detail::ParserIndex;
  friend struct detail::TypedReads;
  template <class Self>
  friend class TypedMessageView;

  static inline const Faults kNoFaults;
  // One vector of SSE2. Most entries of a group have fewer fields.
  static constexpr std::uint32_t kKeysCompared = 8;
  static_assert(kKeysCompared <= kKeysReadable);
  static constexpr std::uint32_t kBitsPerKey = 2;

  // One bit for each of kKeysReadable keys that equals key. keys: aligned as those of a message.
  [[nodiscard]] static std::uint32_t equal_bits(const std::uint16_t* keys,
                                                std::uint16_t key) noexcept;
  // Compares the first half of them.
  [[nodiscard]] static std::uint32_t equal_half(const std::uint16_t* keys,
                                                std::uint16_t key) noexcept;
  // Whether one of the first kKeysReadable entries equals either key. Entries after the last field
  // count.
  [[nodiscard]] bool any_equal(std::uint16_t key, std::uint16_t other) const noexcept;
  // kBitsPerKey bits for each of kKeysCompared keys that equals key. keys: not aligned.
  [[nodiscard]] static std::uint32_t equal_bits_at(const std::uint16_t* keys,
                                                   std::uint16_t key) noexcept;
  // kBitsPerKey bits for each of kKeysCompared keys that equals the key at the same distance from
  // others.
  [[nodiscard]] static std::uint32_t equal_run(const std::uint16_t* keys,
                                               const std::uint16_t* others) noexcept;
  // For tags of kLargeTagKey and above, which few messages have: reads the tag from its text.
  [[nodiscard]] Tag large_tag(std::size_t index) const noexcept {
    return tag_before(bytes_.data() + index_.place(index).begin);
  }
  // The tag before the `=` that precedes a value.
  [[nodiscard]] static Tag tag_before(const char* value) noexcept;
  [[nodiscard]] std::optional<std::size_t> find_large(Tag tag, std::size_t from) const noexcept;
  [[nodiscard]] std::size_t large_within(Tag tag, std::size_t from, std::size_t to) const noexcept;
  // find_index() that returns field_count() or more for an absent tag. Some compilers would write
  // an optional to memory in two pieces and read it back as one, which waits for both.
  [[nodiscard]] std::size_t index_of(Tag tag, std::size_t from) const noexcept;
  // For a tag below kLargeTagKey, for any from and any number of fields. Static, like all
  // functions that a lookup calls: a view whose address a call knows has to be in memory.
  [[nodiscard]] static std::size_t index_after(const std::uint16_t* keys, std::size_t count,
                                               Tag tag, std::size_t from) noexcept;
  // Among the fields [from, to), where to <= field_count(); to or more for an absent tag.
  [[nodiscard]] std::size_t index_within(Tag tag, std::size_t from, std::size_t to) const noexcept;
  // For a tag below kLargeTagKey; to for an absent tag.
  [[nodiscard]] static std::size_t index_between(const std::uint16_t* keys, Tag tag,
                                                 std::size_t from, std::size_t to) noexcept;
  // The first field with this tag. False: there is none.
  [[nodiscard]] bool find_value(Tag tag, detail::ValueAt& found) const noexcept;
  // The field with this index. True, for find_value().
  [[gnu::always_inline]] bool read_value_at(std::size_t index,
                                            detail::ValueAt& found) const noexcept {
    if (index < index_.narrow_count) [[likely]] {
      found.begin = index_.narrow_places[index].begin;
      found.size = index_.narrow_places[index].size;
    } else {
      found.begin = index_.places[index].begin;
      found.size = index_.places[index].end - found.begin;
    }
    found.data = bytes_.data() + found.begin;
    return true;
  }
  [[nodiscard]] bool has_tag(std::size_t index, Tag tag) const noexcept {
    return tag < kLargeTagKey ? index_.keys[index] == tag
                              : index_.keys[index] == kLargeTagKey && large_tag(index) == tag;
  }
  [[nodiscard]] std::string_view value(std::size_t index) const noexcept {
    const detail::FieldPlace place = index_.place(index);
    return {bytes_.data() + place.begin, place.end - place.begin};
  }
  // A copy that a compiler keeps in registers: it would copy the whole object in memory. Without
  // the shape and the sequence, which no reader needs.
  [[nodiscard, gnu::always_inline]] MessageView by_parts() const noexcept {
    MessageView copy;
    copy.bytes_ = std::string_view{bytes_.data(), bytes_.size()};
    copy.index_.keys = index_.keys;
    copy.index_.places = index_.places;
    copy.index_.narrow_places = index_.narrow_places;
    copy.index_.count = index_.count;
    copy.index_.narrow_count = index_.narrow_count;
    copy.faults_ = faults_;
    copy.proof_ = proof_;
    return copy;
  }
  // The value of the field with this index. tag is for the error.
  template <class T>
  [[nodiscard]] OptionalField<T> read(std::size_t index, Tag tag) const noexcept;
  // Where the field's tag begins, from the start of the message.
  [[nodiscard]] std::uint32_t field_begin(std::size_t index) const noexcept;

  std::string_view bytes_;
  detail::FieldIndex index_;
  const Faults* faults_ = &kNoFaults;
  mutable detail::FieldProof* proof_ = nullptr;  // null: none
  detail::FrameShape* shape_ = nullptr;          // null: none
  detail::TagSequence* sequence_ = nullptr;      // null: none
};
static_assert(std::is_trivially_copyable_v<MessageView>);

// An input iterator over the fields of a message.
class MessageView::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = FieldView;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = FieldView;

  Iterator() = default;
  Iterator(const MessageView& message, std::size_t at) noexcept : message_{&message}, at_{at} {}

  [[nodiscard]] FieldView operator*() const noexcept { return message_->field(at_); }
  Iterator& operator++() noexcept {
    ++at_;
    return *this;
  }
  Iterator operator++(int) noexcept {
    Iterator before = *this;
    ++at_;
    return before;
  }
  friend bool operator==(const Iterator& a, const Iterator& b) noexcept { return a.at_ == b.at_; }

 private:
  const MessageView* message_ = nullptr;
  std::size_t at_ = 0;
};

inline MessageView::Iterator MessageView::begin() const noexcept { return {*this, 0}; }
inline MessageView::Iterator MessageView::end() const noexcept { return {*this, field_count()}; }

inline FieldView MessageView::field(std::size_t index) const noexcept {
  NEXUSFIX_DEBUG_ASSERT(index < field_count());
  const detail::FieldPlace place = index_.place(index);
  const std::uint16_t key = index_.keys[index];
  return {key != kLargeTagKey ? key : large_tag(index), place.begin,
          std::string_view{bytes_.data() + place.begin, place.end - place.begin}};
}

// The parser has verified that 8, 9 and 35 are the first three fields.
inline std::string_view MessageView::begin_string() const noexcept {
  return field_count() == 0 ? std::string_view{} : value(0);
}
inline std::string_view MessageView::msg_type() const noexcept {
  constexpr std::size_t kMsgTypeIndex = 2;
  return field_count() == 0 ? std::string_view{} : value(kMsgTypeIndex);
}

#if defined(__SSE2__)

// SSE2 is part of the x86-64 baseline, so this needs no dispatch.
[[gnu::always_inline]] inline std::uint32_t MessageView::equal_half(const std::uint16_t* keys,
                                                                    std::uint16_t key) noexcept {
  const __m128i wanted = _mm_set1_epi16(static_cast<short>(key));
  // Aligned, so that the compares take the keys as memory operands. Contains no lambda, because g++
  // would call it instead of inlining it in code with many lookups.
  const void* const from = keys;
  const auto* const eight = static_cast<const __m128i*>(from);
  return static_cast<std::uint32_t>(_mm_movemask_epi8(
      _mm_packs_epi16(_mm_cmpeq_epi16(wanted, eight[0]), _mm_cmpeq_epi16(wanted, eight[1]))));
}

[[gnu::always_inline]] inline bool MessageView::any_equal(std::uint16_t key,
                                                          std::uint16_t other) const noexcept {
  const __m128i one = _mm_set1_epi16(static_cast<short>(key));
  const __m128i two = _mm_set1_epi16(static_cast<short>(other));
  const void* const keys = index_.keys;
  const auto* const eight = static_cast<const __m128i*>(keys);
  const __m128i first =
      _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi16(one, eight[0]), _mm_cmpeq_epi16(one, eight[1])),
                   _mm_or_si128(_mm_cmpeq_epi16(one, eight[2]), _mm_cmpeq_epi16(one, eight[3])));
  const __m128i second =
      _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi16(two, eight[0]), _mm_cmpeq_epi16(two, eight[1])),
                   _mm_or_si128(_mm_cmpeq_epi16(two, eight[2]), _mm_cmpeq_epi16(two, eight[3])));
  return _mm_movemask_epi8(_mm_or_si128(first, second)) != 0;
}

[[gnu::always_inline]] inline std::uint32_t MessageView::equal_bits_at(const std::uint16_t* keys,
                                                                       std::uint16_t key) noexcept {
  const void* const from = keys;
  return static_cast<std::uint32_t>(
      _mm_movemask_epi8(_mm_cmpeq_epi16(_mm_loadu_si128(static_cast<const __m128i*>(from)),
                                        _mm_set1_epi16(static_cast<short>(key)))));
}

[[gnu::always_inline]] inline std::uint32_t MessageView::equal_run(
    const std::uint16_t* keys, const std::uint16_t* others) noexcept {
  const void* const left = keys;
  const void* const right = others;
  return static_cast<std::uint32_t>(
      _mm_movemask_epi8(_mm_cmpeq_epi16(_mm_loadu_si128(static_cast<const __m128i*>(left)),
                                        _mm_loadu_si128(static_cast<const __m128i*>(right)))));
}

#else

inline std::uint32_t MessageView::equal_run(const std::uint16_t* keys,
                                            const std::uint16_t* others) noexcept {
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < kKeysCompared; ++i) {
    bits |= (keys[i] == others[i] ? 3U : 0U) << (kBitsPerKey * i);
  }
  return bits;
}

inline bool MessageView::any_equal(std::uint16_t key, std::uint16_t other) const noexcept {
  return (equal_bits(index_.keys, key) | equal_bits(index_.keys, other)) != 0;
}

inline std::uint32_t MessageView::equal_bits_at(const std::uint16_t* keys,
                                                std::uint16_t key) noexcept {
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < kKeysCompared; ++i) {
    bits |= (keys[i] == key ? 3U : 0U) << (kBitsPerKey * i);
  }
  return bits;
}

inline std::uint32_t MessageView::equal_half(const std::uint16_t* keys,
                                             std::uint16_t key) noexcept {
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < kKeysReadable / 2; ++i) bits |= (keys[i] == key ? 1U : 0U) << i;
  return bits;
}

#endif

[[gnu::always_inline]] inline std::uint32_t MessageView::equal_bits(const std::uint16_t* keys,
                                                                    std::uint16_t key) noexcept {
  static_assert(kKeysReadable == 32);
  return equal_half(keys, key) | equal_half(keys + kKeysReadable / 2, key) << kKeysReadable / 2;
}

// Inlined, so that a lookup is at most one call.
[[gnu::always_inline]] inline std::size_t MessageView::index_of(Tag tag,
                                                                std::size_t from) const noexcept {
  if (tag >= kLargeTagKey) [[unlikely]]
    return find_large(tag, from).value_or(field_count());
  if (from != 0) return index_after(index_.keys, field_count(), tag, from);
  // Entries after the last field belong to an earlier message. The caller detects that. The first
  // half alone, because many fields are there, and a message's sequence rarely changes.
  const auto key = static_cast<std::uint16_t>(tag);
  const std::uint32_t front = equal_half(index_.keys, key);
  if (front != 0) return detail::lowest_bit(front);
  const std::uint32_t back = equal_half(index_.keys + kKeysReadable / 2, key);
  if (back != 0) [[likely]]
    return kKeysReadable / 2 + detail::lowest_bit(back);
  if (field_count() <= kKeysReadable) return field_count();
  return index_after(index_.keys, field_count(), tag, kKeysReadable);
}

[[gnu::always_inline]] inline bool MessageView::has_either(Tag one, Tag other) const noexcept {
  if (field_count() <= kKeysReadable) [[likely]] {
    const auto wanted = static_cast<std::uint16_t>(one);
    const auto also_wanted = static_cast<std::uint16_t>(other);
    if (!any_equal(wanted, also_wanted)) [[likely]]
      return false;
  }
  return index_after(index_.keys, field_count(), one, 0) < field_count() ||
         index_after(index_.keys, field_count(), other, 0) < field_count();
}

// A group's entry has few fields and begins anywhere. The first step needs no test: from is at most
// field_count(), so its keys are readable.
[[gnu::always_inline]] inline std::size_t MessageView::index_within(Tag tag, std::size_t from,
                                                                    std::size_t to) const noexcept {
  if (tag >= kLargeTagKey) [[unlikely]]
    return large_within(tag, from, to);
  const std::uint32_t bits = equal_bits_at(index_.keys + from, static_cast<std::uint16_t>(tag));
  // It may be after the last field. The caller detects that.
  if (bits != 0) [[likely]]
    return from + detail::lowest_bit(bits) / kBitsPerKey;
  return index_between(index_.keys, tag, from + kKeysCompared, to);
}

inline std::optional<std::size_t> MessageView::find_index(Tag tag,
                                                          std::size_t from) const noexcept {
  const std::size_t index = index_of(tag, from);
  if (index >= field_count()) return std::nullopt;
  return index;
}

inline std::optional<FieldView> MessageView::find(Tag tag, std::size_t from) const noexcept {
  const std::size_t index = index_of(tag, from);
  if (index >= field_count()) return std::nullopt;
  return field(index);
}

// Inlined, so that neither the optional nor the view has to be in memory.
[[gnu::always_inline]] inline std::optional<std::string_view> MessageView::operator[](
    Tag tag) const noexcept {
  const std::size_t index = index_of(tag, 0);
  // One comparison shows that there is a field and where its place is.
  if (index < index_.narrow_count) [[likely]] {
    const detail::NarrowPlace place = index_.narrow_places[index];
    return std::string_view{bytes_.data() + place.begin, place.size};
  }
  if (index >= field_count()) return std::nullopt;
  const detail::FieldPlace place = index_.places[index];
  return std::string_view{bytes_.data() + place.begin, place.end - place.begin};
}

// g++ 12 warns of a read of the result's bytes that a small T does not use.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace detail {

// The values of most messages. False: another value, or an error, for convert(). Without a result
// that has both, because compilers keep that in memory.
template <class T>
[[nodiscard, gnu::always_inline]] inline bool read_usual(const ValueAt& value, T& read) noexcept {
  const bool is_front_readable = value.begin >= kReadableFrontBytes;  // in a complete message
  if constexpr (std::is_same_v<T, std::string_view>) {
    read = value.text();
    return value.size != 0;
  } else if constexpr (std::is_same_v<T, char>) {
    if (value.size != 1) return false;
    read = *value.data;
    return true;
  } else if constexpr (std::is_same_v<T, std::uint64_t> || std::is_same_v<T, std::int64_t>) {
    std::uint64_t number;
    if (!is_front_readable || !parse_digits<TextFront::Readable>(value.text(), number))
      return false;
    read = static_cast<T>(number);
    return true;
  } else if constexpr (std::is_same_v<T, Decimal>) {
#if defined(__SSE2__)
    ScaleAndMantissa parsed;
    if (!is_front_readable || !parse_decimal<TextFront::Readable>(value.text(), parsed))
      return false;
    read = Decimal{parsed.mantissa, parsed.scale};
    return true;
#else
    return false;
#endif
  } else {
    const Converted<T> usual = is_front_readable ? convert<T, TextFront::Readable>(value.text())
                                                 : Converted<T>{convert<T>(value.text())};
    if (!usual) return false;
    read = *usual;
    return true;
  }
}

// Out of line, because few values need it.
template <class T>
[[gnu::noinline, gnu::cold]] Converted<T> convert_unusual(std::string_view text) noexcept {
  return convert<T>(text);
}

// A value of a complete message: an OptionalField of it or of a Field.
template <class Result, class T>
[[nodiscard, gnu::always_inline]] inline Result read_value(const ValueAt& value, Tag tag) noexcept {
  T usual;
  if (!read_usual(value, usual)) [[unlikely]] {
    const Converted<T> read = convert_unusual<T>(value.text());
    if (!read) return std::unexpected{FieldError{read.error(), tag, value.begin}};
    usual = by_parts(*read);
  }
  return Result{std::in_place, by_parts(usual)};
}

// A value that is known to be a number.
[[nodiscard, gnu::always_inline]] inline Decimal checked_decimal(const ValueAt& value) noexcept {
  if (value.begin < kReadableFrontBytes) [[unlikely]]
    return checked_any_decimal(value.text());
  return checked_decimal<TextFront::Readable>(value.text());
}

}  // namespace detail

template <class T>
[[gnu::always_inline]] inline OptionalField<T> MessageView::read(std::size_t index,
                                                                 Tag tag) const noexcept {
  detail::ValueAt value{};
  read_value_at(index, value);
  return detail::read_value<OptionalField<T>, T>(value, tag);
}

[[gnu::always_inline]] inline bool MessageView::find_value(Tag tag,
                                                           detail::ValueAt& found) const noexcept {
  const std::size_t index = index_of(tag, 0);
  // If places are narrow, one comparison shows that there is a field and where its place is.
  if (index >= index_.narrow_count && index >= field_count()) [[unlikely]]
    return false;
  return read_value_at(index, found);
}

// Inlined, so that the result need not be in memory.
template <class T>
[[gnu::always_inline]] inline OptionalField<T> MessageView::get(Tag tag) const noexcept {
  detail::ValueAt value{};
  if (!find_value(tag, value)) {
    return std::unexpected{FieldError{FieldErrorCode::Missing, tag, 0}};
  }
  return detail::read_value<OptionalField<T>, T>(value, tag);
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

// The message types of a dictionary, by name only.

namespace detail {

// A list of message types, which may be incomplete: a generated header names all messages of its
// dictionary and includes none of them.
template <class... Types>
struct MessageNames {};

}  // namespace detail

}  // namespace nexusfix::wire
