// Finds and uses the messages of a text on several threads. Each of them reads its own part of a
// file; one thread reads what can only be read in order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/language.hpp>

#include "logs/messages/message_scanner.hpp"
#include "logs/source/log_message.hpp"

namespace nexusfix::logs {

class ByteSource;

// What a command does with the messages of one chunk. A command has several objects, each for one
// chunk at a time.
class ChunkWork {
 public:
  virtual ~ChunkWork() = default;
  // On any thread: the messages of a chunk, in order.
  virtual void each(const LogMessage& message) = 0;
  // On the thread of ChunkPool::read(), chunk after chunk: uses the result of each(), and forgets
  // it.
  virtual AfterMessage take() = 0;
  // Forgets the result: messages of this chunk come again.
  virtual void discard() = 0;
};

// Chunks end with a line. A message that continues in the next line makes the threads' result of
// the next chunk wrong: it is discarded, and the chunk is read after the message. The messages,
// their texts and offsets are always those that one thread finds.
class ChunkPool {
 public:
  static constexpr std::size_t kChunkBytesMax = 1U << 20U;

  // make: called once for each chunk that may be in memory, jobs + 2. chunk_bytes: 0 means as many
  // as the number of threads allows.
  ChunkPool(unsigned jobs, FunctionRef<std::unique_ptr<ChunkWork>()> make,
            std::size_t chunk_bytes = 0);
  ~ChunkPool();
  ChunkPool(const ChunkPool&) = delete;
  ChunkPool& operator=(const ChunkPool&) = delete;

  struct Text {
    std::string delimiter;  // as of MessageScanner
    std::size_t index = 0;
    std::string_view path{};
    LogTimes* times = nullptr;
    // Whether a message is passed. Any thread.
    FunctionRef<bool(const printing::ScannedMessage&)> is_wanted;
  };
  struct Result {
    printing::MessageScanner::Skipped skipped;
    std::string error;  // as LogReader::error()
    AfterMessage after = AfterMessage::Continue;
  };
  // Passes all messages of a source.
  Result read(ByteSource& source, const Text& text);

 private:
  enum class State : std::uint8_t { Free, Filled, Held, Working, Done };
  struct Slot {
    State state = State::Free;  // guarded by mutex_, and what it says about the other members
    std::string bytes;  // of a source that is read in order; otherwise a thread reads these two:
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t read_bytes = 0;
    std::string error{};       // of reading them
    std::uint64_t offset = 0;  // of the first byte that the scanner got
    bool ends_line = false;
    bool is_held = false;  // only the scanner of the chunk before can read it
    bool is_last = false;
    bool is_cut = false;       // the source goes on: a signal has ended reading
    bool is_complete = false;  // no message goes on in the next chunk
    std::unique_ptr<printing::MessageScanner> scanner;
    std::unique_ptr<ChunkWork> work;
  };

  void run_thread();
  void fill(ByteSource& source, Slot& slot);
  void fill_in_order(ByteSource& source, Slot& slot);
  void fill_range(Slot& slot);
  [[nodiscard]] std::optional<std::uint64_t> line_begin(std::uint64_t from);
  void scan(Slot& slot);
  template <class Pass>
  void scan_range(Slot& slot, Pass pass);
  void wait_for(Slot& slot);
  void go_on(Slot& from, Slot& to);
  void stop_work();
  Slot& slot_at(std::size_t number) { return slots_[number % slots_.size()]; }

  std::size_t chunk_bytes_;
  std::vector<Slot> slots_;  // a ring
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;

  const Text* text_ = nullptr;
  File* file_ = nullptr;    // that all threads read; null: the source is read in order
  std::size_t filled_ = 0;  // chunks of the source
  std::size_t taken_ = 0;
  std::string rest_;  // after the last line of the last chunk
  std::uint64_t offset_ = 0;
  bool is_at_end_ = false;
  bool is_cut_ = false;  // interrupted between two reads
  bool is_next_held_ = false;
  unsigned spanning_ = 0;  // chunks in whose last line a message did not end
  std::string error_;

  std::vector<std::jthread> threads_;  // the last member: they use the others
};

}  // namespace nexusfix::logs
