// From bytes to a message: the parser, the instruction set that it uses, and messages that stay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <memory_resource>
#include <string_view>

#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::wire {

namespace detail {

// How the fields of a frame begin, as kernels compare it. Entry i is of the field with index i. A
// byte may be as much more than the lowest as its width says: 0 for those of a tag and its `=`.
struct TagTexts {
  // The fields of one frame, with BeginString and CheckSum.
  static constexpr std::size_t kFieldsMax = 32;
  // Kernels load whole vectors, from the first field after MsgType on.
  static constexpr std::size_t kReadable = kFieldsMax + 8;
  // Tags with more than three digits.
  static constexpr std::size_t kLongMax = 8;
  // Values that are compared by themselves.
  static constexpr std::size_t kValuesMax = 16;
  // Longer ones than this, with their `=`, have no text here.
  static constexpr std::size_t kBytesMax = 8;

  // A long tag with its `=`, or a value with its SOH.
  struct Word {
    std::uint64_t text;   // the least one
    std::uint64_t bits;   // that count
    std::uint16_t field;  // its index
    std::uint8_t width;   // by how much the first byte may be more
    bool is_fixed;        // by fix()
  };

  alignas(32) std::uint32_t lowest[kReadable];  // the first four bytes; the first one is the lowest
  std::uint32_t width[kReadable];               // by how much a byte may be more than the lowest
  std::uint32_t tag_bits[kReadable];            // those of the tag and its `=`
  std::uint8_t bytes[kFieldsMax];               // of the tag and its `=`
  std::uint8_t more[kFieldsMax];                // by how much a value may be longer than a byte
  std::uint64_t msg_type;                       // `35=`, the value, and SOH
  std::uint64_t msg_type_bits;                  // that count
  std::uint32_t fields;                         // 0: nothing is known
  std::uint32_t long_count;                     // of longs
  std::uint32_t value_count;                    // of values
  Word longs[kLongMax];                         // tags with more than three digits
  Word values[kValuesMax];                      // those that lowest and width do not limit
};

// The tags of frames that a parser has seen before, in their order. A counterparty sends few
// different ones, with values of any size. A kernel compares the tags of a frame with them instead
// of converting each, and what a validator knows about the order holds for the frame.
//
// The parser owns it. Only the parser's thread uses it.
class TagSequence {
 public:
  // Longer sequences are not learned.
  static constexpr std::size_t kFieldsMax = TagTexts::kFieldsMax;
  // A shorter frame has no 64 bytes before the end of its body.
  static constexpr std::size_t kFrameBytesMin = 71;
  // The body of a frame up to this size, such as a Heartbeat, fits into one register.
  static constexpr std::size_t kShortBytesMax = 91;
  // Its fields.
  static constexpr std::size_t kShortFieldsMin = 8;
  static constexpr std::size_t kShortFieldsMax = 12;
  // The places of values in a longer frame do not fit into a byte.
  static constexpr std::size_t kFrameBytesMax = 255;

  // Whether frames of this size are compared and learned.
  [[nodiscard]] static bool has_size(std::size_t bytes) noexcept {
    return bytes - kFrameBytesMin <= kFrameBytesMax - kFrameBytesMin;
  }
  // The sequence of a frame up to kShortBytesMax is selected by its MsgType.
  [[nodiscard]] static bool is_short(std::size_t bytes) noexcept { return bytes <= kShortBytesMax; }
  // What a kernel compares a frame with.
  [[nodiscard]] const TagTexts& texts() const noexcept { return texts_; }
  // Where a kernel writes the places of the values.
  [[nodiscard]] NarrowPlace* places() const noexcept { return places_; }
  // The index of the last frame that a kernel has found to have these tags.
  [[nodiscard]] FieldIndex index() const noexcept {
    return {keys_, kNoPlaces, places_, texts_.fields, texts_.fields};
  }
  // A frame has these tags, and so has the next one probably.
  void record_fit() noexcept { patience_ = kPatience; }
  // Another frame of as many fields was indexed. Whether its tags should be learned: those of the
  // frame before it were the same, and frames with the present ones have become rare.
  [[nodiscard]] bool awaits(const FieldIndex& index) noexcept;
  // From a frame without a fault that has no Length field. places: for those of the values of each
  // frame, room for kFieldsMax. False: it cannot be learned.
  [[nodiscard]] bool learn(std::string_view frame, const FieldIndex& index,
                           NarrowPlace* places) noexcept;
  // The tags of frames with as many fields cannot be learned: the next attempt comes late.
  void put_off() noexcept { patience_ = kPatienceMax; }
  // What the last set_proof() has set; at first, and after learn(), nothing is known.
  [[nodiscard]] const ShapeProof& proof() const noexcept { return proof_; }
  // For validators. No value is limited any more.
  void set_proof(const ShapeProof& proof) noexcept;
  // The value of the field must be one of these characters. At most kValuesMax fields.
  void narrow(std::size_t field, std::uint8_t lowest, std::uint8_t highest) noexcept;
  // The value of the field in a frame must be this one, unless it is too long.
  void fix(std::size_t field, std::string_view value) noexcept;
  // The last frame is valid. Fixed values that differ in it are fixed as they are now; those that
  // change often are no longer compared.
  void adapt(std::string_view frame) noexcept;
  // Whether all fixed values are compared.
  [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
  // Whether the values of the last frame are as narrow() and fix() have said. Otherwise some may be
  // not.
  [[nodiscard]] bool is_narrow() const noexcept { return is_narrow_; }
  // For kernels that compare values.
  void set_narrow(bool is_narrow) noexcept { is_narrow_ = is_narrow; }

 private:
  // Nothing reads them: see FrameShape.
  static constexpr FieldPlace kNoPlaces[TagTexts::kFieldsMax] = {};
  static constexpr std::uint32_t kPatience = 3;
  static constexpr std::uint32_t kPatienceMax = 64;
  static constexpr std::uint8_t kChangesMax = 16;

  std::uint64_t candidate_ = 0;  // of the last frame with other tags
  std::uint32_t patience_ = 0;   // how many of those may come until they are learned
  bool is_narrow_ = false;
  bool is_complete_ = false;
  std::uint8_t changes_ = 0;  // that adapt() has seen
  ShapeProof proof_;
  NarrowPlace* places_ = nullptr;
  alignas(kKeysAlignment) std::uint16_t keys_[TagTexts::kFieldsMax + kKeysReadable] = {};
  TagTexts texts_{};
};

}  // namespace detail

inline MessageView::MessageView(std::string_view bytes, detail::TagSequence& sequence) noexcept
    : bytes_{bytes}, index_{sequence.index()}, sequence_{&sequence} {}

namespace detail {

// The value of NEXUSFIX_FORCE_ISA cannot be used.
struct IsaError {
  // Why NEXUSFIX_FORCE_ISA cannot be used.
  enum class Code : std::uint8_t {
    Unknown,      // NEXUSFIX_FORCE_ISA is not the name of a kernel of this build
    Unsupported,  // a kernel of this build, but this CPU cannot run it
  };
  Code code = Code::Unknown;  // the reason
};

}  // namespace detail

// The kernel chosen on first use, for the rest of the process: the one that the environment
// variable NEXUSFIX_FORCE_ISA names ("avx512", "scalar", ...), or without it the best one that the
// CPU supports. An error means that the value of the variable cannot be used. Parsing then uses the
// scalar kernel, and an engine should refuse to start. Any thread.
[[nodiscard]] std::expected<std::string_view, detail::IsaError> selected_isa() noexcept;

// The possible values of NEXUSFIX_FORCE_ISA in this build, best first, separated by ", ".
[[nodiscard]] std::string_view known_isas() noexcept;

// From one frame to an index of its fields.

// Why a frame is not a message. Ignore it and do not increment the expected MsgSeqNum (FIX test
// cases 2d, 2m, 2t, 3b, 3c).
struct ParseError {
  GarbledReason reason = GarbledReason::CheckSumWrong;  // the rule that is broken
  std::uint32_t offset = 0;                             // of the byte where the rule is broken
};

// The checks that a parser makes. Omit one only for bytes that are known to be intact, such as
// those of our own journal; a session needs all of them. The form of every field, the first three
// tags and the trailer's form are always checked, because the index is made of what these checks
// find.
struct Checks {
  bool check_sum = true;    // CheckSum is the sum of the bytes
  bool body_length = true;  // BodyLength is a number, and that of the frame
};

namespace kernels {
struct KernelTable;
struct IndexWork;
}  // namespace kernels

namespace detail {

// The common part of the parsers of every policy: the storage of the index, and the kernel that
// fills it. Applications use Parser; tests name a kernel.
class ParserIndex {
 public:
  // Uses this kernel, with all that it has.
  ParserIndex(const DataFieldTable& data_fields, const kernels::KernelTable& kernel,
              Checks checks = {});
  // Uses the kernel for this CPU (selected_isa()).
  ParserIndex(const DataFieldTable& data_fields, Checks checks);
  // Takes the storage of other. Views that other has made stay valid.
  ParserIndex(ParserIndex&& other) noexcept;
  // Takes the storage of other. Views that this parser has made are no longer valid.
  ParserIndex& operator=(ParserIndex&& other) noexcept;
  // Views that the parser has made are no longer valid.
  ~ParserIndex();

  // See BasicParser::find_shape().
  [[nodiscard, gnu::always_inline]] FrameShape* find_shape(std::string_view bytes) noexcept {
    FrameShape& shape = shapes_[bytes.size() % kShapes];
    if (!shape.is_of(bytes.size()) || !fits_(bytes.data(), bytes.size(), shape.ranges()))
      return nullptr;
    shape.record_fit();
    return &shape;
  }
  // See BasicParser::find_sequence().
  [[nodiscard, gnu::always_inline]] TagSequence* find_sequence(std::string_view bytes) noexcept {
    if (!TagSequence::has_size(bytes.size())) return nullptr;
    if (wait_ != 0) [[unlikely]] {
      --wait_;
      return nullptr;
    }
    TagSequence* const sequence = find_sequence_(bytes.data(), bytes.size(), sequences_);
    if (sequence == nullptr) return nullptr;
    sequence->record_fit();
    misses_ = {};
    if (FrameShape* const shape = awaiting_shape(bytes.size()); shape != nullptr) [[unlikely]]
      learn(*shape, bytes, sequence->index(), MessageView::kNoFaults);
    return sequence;
  }
  // See BasicParser::parse(). Inlined, so that the view is not copied in memory.
  [[nodiscard, gnu::always_inline]] std::expected<MessageView, ParseError> parse(
      std::string_view frame) {
    if (FrameShape* const shape = find_shape(frame); shape != nullptr)
      return std::expected<MessageView, ParseError>{std::in_place, frame, *shape};
    const bool compares = frame.size() <= compared_bytes_max_;
    if (compares) {
      if (TagSequence* const sequence = find_sequence(frame); sequence != nullptr)
        return std::expected<MessageView, ParseError>{std::in_place, frame, *sequence};
    }
    return parse_unlike(frame, compares);
  }
  // See BasicParser::parse_unlike(). compared: with the known sequences.
  [[nodiscard, gnu::always_inline]] std::expected<MessageView, ParseError> parse_unlike(
      std::string_view frame, bool compared = true) {
    // 0: not a message; negative: one with a fault. The slow path distinguishes the two.
    Indexed indexed{index_frame_(frame.data(), frame.size(), *work_), &MessageView::kNoFaults};
    if (static_cast<std::int32_t>(indexed.count) <= 0) [[unlikely]] {
      indexed = index_slow_path(frame, indexed.count);
      if (indexed.count == 0) return std::unexpected{diagnosed(frame)};
    }
    if (compared && wait_ == 0 && TagSequence::has_size(frame.size()))
      learn_sequence(frame, indexed);
    if (FrameShape* const shape = awaiting_shape(frame.size()); shape != nullptr) [[unlikely]]
      learn(*shape, frame, indexed);
    return std::expected<MessageView, ParseError>{std::in_place, frame, index_of(indexed.count),
                                                  *indexed.faults};
  }

 private:
  struct Storage;
  // By the size of the frame. A power of two.
  static constexpr std::size_t kShapes = 16;
  // A bit of index_frame_'s result.
  static constexpr std::uint32_t kNarrowPlaces = 0x4000'0000;

  // What a view is made of. In registers: a view that a call returned would have to be in memory.
  struct Indexed {
    std::uint32_t count;  // as that of index_frame_; 0: not a message
    const Faults* faults;
  };
  [[nodiscard]] Indexed index_slow_path(std::string_view frame, std::uint32_t count);
  [[nodiscard]] ParseError diagnosed(std::string_view frame) const noexcept;
  // After a frame of this size that fits no shape: the one to learn from it; null: none.
  [[nodiscard, gnu::always_inline]] FrameShape* awaiting_shape(std::size_t bytes) noexcept {
    FrameShape& shape = shapes_[bytes % kShapes];
    if (!shape.is_of(bytes)) [[likely]]
      return shape.awaits(bytes) ? &shape : nullptr;
    shape.forget();
    return nullptr;
  }
  void learn(FrameShape& shape, std::string_view frame, const FieldIndex& index,
             const Faults& faults) const noexcept;
  // After parse_unlike(), which has to keep all in registers.
  void learn(FrameShape& shape, std::string_view frame, Indexed indexed) const noexcept;
  void learn_sequence(std::string_view frame, Indexed indexed) noexcept;
  [[nodiscard]] bool can_be_learned(const FieldIndex& index, const Faults& faults) const noexcept;
  void reserve(std::uint32_t fields);
  [[nodiscard]] FieldIndex index_of(std::uint32_t count) const noexcept {
    const std::uint32_t fields = count & ~kNarrowPlaces;
    return {index_.keys, index_.places, index_.narrow_places, fields,
            (count & kNarrowPlaces) != 0 ? fields : 0};
  }

  std::uint32_t (*index_frame_)(const char* frame, std::size_t size, kernels::IndexWork& work);
  bool (*fits_)(const char* frame, std::size_t size, const ByteRanges& ranges);
  TagSequence* (*find_sequence_)(const char* frame, std::size_t size, TagSequence* sequences);
  std::size_t compared_bytes_max_;  // of a frame whose tags parse() compares
  FrameShape* shapes_ = nullptr;    // kShapes of them
  TagSequence* sequences_ = nullptr;
  // How many frames are not compared with sequences, so that frames without a common sequence cost
  // little.
  static constexpr std::size_t kNever = ~std::size_t{0};
  std::size_t wait_ = 0;
  struct Misses {
    std::uint32_t count = 0;  // since a frame had a known sequence
    std::uint32_t wait = 0;   // the next one
  };
  Misses misses_;
  kernels::IndexWork* work_ = nullptr;
  FieldIndex index_;
  Checks checks_;
  std::unique_ptr<Storage> storage_;
};

}  // namespace detail

// Owns the storage of the index and reuses it: allocates only when a message has more fields than
// every earlier one. One thread at a time. Movable, not copyable; a moved-from parser can only be
// assigned to or destroyed.
//
//   wire::Parser parser;
//   if (auto message = parser.parse(frame)) use((*message)[tag::Symbol]);
template <Checks kChecks = Checks{}>
class BasicParser {
 public:
  // The table of Length/data field pairs is copied.
  explicit BasicParser(const DataFieldTable& data_fields = DataFieldTable::standard())
      : index_{data_fields, kChecks} {}

  // Verifies BodyLength, CheckSum, the first three tags and the form of every field, and indexes
  // them. frame may be any bytes. The view is valid until the next call or until the bytes of frame
  // change. After an error, the parser works as before.
  //
  // Checks the rules in this order, so that the result is the same on every machine: tags 8 and 9,
  // BodyLength's form, tag 35, the trailer's form (`10=` and three digits, last), BodyLength's
  // value, CheckSum's value. Reads nothing outside of frame. O(bytes).
  [[nodiscard, gnu::always_inline]] std::expected<MessageView, ParseError> parse(
      std::string_view frame) {
    return index_.parse(frame);
  }
  // As parse(), for bytes for which find_shape() and then find_sequence() have just found nothing.
  [[nodiscard, gnu::always_inline]] std::expected<MessageView, ParseError> parse_unlike(
      std::string_view frame) {
    return index_.parse_unlike(frame);
  }
  // The shape of an earlier frame that these bytes fit; null: none. Then the bytes are one message:
  // with the same tags, BeginString and BodyLength, and a valid CheckSum. Any bytes that were
  // received, so that most messages need no search for their end: MessageView{bytes, *shape}.
  [[nodiscard, gnu::always_inline]] detail::FrameShape* find_shape(
      std::string_view bytes) noexcept {
    return index_.find_shape(bytes);
  }
  // The sequence of the tags of these bytes; null: it is unknown. Otherwise the bytes are one
  // message with those tags, without a fault: MessageView{bytes, *sequence}, which is valid until
  // the next call. For bytes for which find_shape() has just found nothing.
  [[nodiscard, gnu::always_inline]] detail::TagSequence* find_sequence(
      std::string_view bytes) noexcept {
    return index_.find_sequence(bytes);
  }

 private:
  detail::ParserIndex index_;
};

// The parser of a session: it makes all checks.
using Parser = BasicParser<>;

// A message that outlives the receive buffer: a copy of its bytes and its index.

// The resource has no more memory, for example because of Arena's bytes_max or
// null_memory_resource().
struct OutOfMemory {
  std::size_t bytes = 0;  // of the request
};

// Owns one allocation from a std::pmr::memory_resource, which must outlive it. Movable, not
// copyable; a moved-from one has no fields. One thread at a time. Any number of threads may read
// its view while it is neither assigned to nor destroyed. Nothing throws or allocates.
class OwnedMessage {
 public:
  // A message without fields and without memory.
  OwnedMessage() = default;
  // Takes the memory of other. Its views stay valid.
  OwnedMessage(OwnedMessage&& other) noexcept;
  // Gives this message's memory back and takes that of other.
  OwnedMessage& operator=(OwnedMessage&& other) noexcept;
  // Gives the memory back to the resource.
  ~OwnedMessage();

  // A view with the same content as the copied message. Valid until this object is assigned to or
  // destroyed. Moving it leaves views valid.
  [[nodiscard]] MessageView view() const noexcept;
  // Converts as view() does.
  // NOLINTNEXTLINE(google-explicit-constructor): a function of a view takes a copy, too.
  [[nodiscard]] operator MessageView() const noexcept { return view(); }

 private:
  struct Contents;
  friend std::expected<OwnedMessage, OutOfMemory> to_owned(
      const MessageView& message, std::pmr::memory_resource& resource) noexcept;

  OwnedMessage(Contents* contents, std::pmr::memory_resource& resource) noexcept
      : contents_{contents}, resource_{&resource} {}

  Contents* contents_ = nullptr;
  std::pmr::memory_resource* resource_ = nullptr;
};

// Copies a message in one allocation: the message's bytes, 10 bytes for each of its fields, and
// some hundred more. Also copies a view without fields. With an Arena as resource, it does not
// allocate in steady state. O(bytes + fields).
[[nodiscard]] std::expected<OwnedMessage, OutOfMemory> to_owned(
    const MessageView& message, std::pmr::memory_resource& resource) noexcept;

}  // namespace nexusfix::wire
