// The place of each single message, for parts of a log in which a session's messages lie far apart.
// A block is made when a message in it is read, from one pass over that part, for all sessions at
// once. Memory is bounded: a hand passes over the blocks, and drops the first one that was not used
// since it passed the last time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <nexusfix/store.hpp>

namespace nexusfix::store {

class MessagePlaces {
 public:
  // A higher MsgSeqNum counts as this one.
  static constexpr std::uint64_t kNumberMax = UINT32_MAX;

  // The messages of one session in a block, in the order of the log.
  class Run {
   public:
    Run() = default;
    Run(std::span<const std::uint32_t> offsets, std::uint64_t first,
        std::span<const std::uint32_t> numbers) noexcept
        : offsets_{offsets}, first_{first}, numbers_{numbers} {}
    [[nodiscard]] bool empty() const noexcept { return offsets_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return offsets_.size(); }
    // Where each record lies, from the block's begin.
    [[nodiscard]] std::span<const std::uint32_t> offsets() const noexcept { return offsets_; }
    [[nodiscard]] std::uint64_t number(std::size_t index) const noexcept {
      return numbers_.empty() ? first_ + index : numbers_[index];
    }
    // Those whose record lies from begin on and before end, from this MsgSeqNum on.
    [[nodiscard]] Run from(std::uint64_t begin, std::uint64_t end,
                           std::uint64_t msg_seq_num) const noexcept;
    // Those before the first one above this MsgSeqNum, and all of the first record, which may also
    // have messages of the epoch before.
    [[nodiscard]] Run up_to(std::uint64_t msg_seq_num) const noexcept;

   private:
    std::span<const std::uint32_t> offsets_;
    std::uint64_t first_ = 0;
    std::span<const std::uint32_t> numbers_;  // empty: first_ and those that follow it
  };

  // The records from begin to end, all in one segment.
  struct Block {
    LogPosition begin = 0;
    LogPosition end = 0;
    [[nodiscard]] Run of(SessionKey session) const noexcept;
    [[nodiscard]] std::size_t memory_bytes() const noexcept;

    struct Part {
      std::uint16_t session = 0;
      bool has_gaps = false;
      std::uint32_t first = 0;   // of offsets
      std::uint32_t number = 0;  // the first; with gaps: where they are in numbers
    };
    std::vector<Part> parts;  // ascending; the last one ends the offsets
    std::vector<std::uint32_t> offsets;
    std::vector<std::uint32_t> numbers;  // of sessions whose numbers are not consecutive
  };

  explicit MessagePlaces(std::size_t memory_bytes_max) : memory_bytes_max_{memory_bytes_max} {}

  // The block that holds this position; null: none. It lives until the next add().
  [[nodiscard]] const Block* find(LogPosition position) noexcept;
  // Where the first block after this position begins; kNoPosition: there is none.
  static constexpr LogPosition kNoPosition = UINT64_MAX;
  [[nodiscard]] LogPosition next_begin(LogPosition position) const noexcept;
  // It must lie where there is none.
  void add(Block block);
  // Those that end there, or before.
  void forget_before(LogPosition position) noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return memory_bytes_; }

 private:
  // A block, and whether it was used since the hand passed it.
  struct Kept {
    Block block;
    bool is_used = false;
  };
  [[nodiscard]] std::size_t index_after(LogPosition position) const noexcept;
  [[nodiscard]] static std::size_t memory_bytes_of(const Block& block) noexcept;
  void forget(std::size_t index) noexcept;
  void forget_one_but(LogPosition begin) noexcept;

  std::vector<LogPosition> begins_;  // of the blocks, ascending: a search touches nothing else
  std::vector<std::unique_ptr<Kept>> blocks_;
  std::size_t hand_ = 0;  // the index of the block that may be dropped next
  std::size_t memory_bytes_ = 0;
  std::size_t memory_bytes_max_;
};

// Collects the messages of a block in the order of the log, and sorts them.
class PlacesDraft {
 public:
  // Forgets what was collected, for a caller that was interrupted.
  void clear() noexcept;
  void add(SessionKey session, std::uint64_t msg_seq_num, std::uint64_t offset);
  // Empty afterwards.
  void finish(MessagePlaces::Block& block);

 private:
  struct Message {
    SessionKey session = 0;
    std::uint32_t offset = 0;
    std::uint32_t number = 0;
  };
  void finish_part(MessagePlaces::Block& block, SessionKey session, std::size_t begin,
                   std::size_t end) const;

  std::vector<Message> messages_;
  std::vector<std::uint32_t> ends_;     // by session
  std::vector<std::uint32_t> numbers_;  // of all, sorted
};

}  // namespace nexusfix::store
