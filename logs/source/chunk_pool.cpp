#include "logs/source/chunk_pool.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "logs/source/byte_source.hpp"
#include "nexusfix/files/interrupt.hpp"
#include "nexusfix/help/read_progress.hpp"

namespace nexusfix::logs {
namespace {

// The bytes of all chunks in memory, without their results, which may have several times their
// size.
constexpr std::size_t kAllBytesMax = 16U << 20U;
// What a scanner gets at once: half of the second-level cache of common CPUs.
constexpr std::size_t kPieceBytes = 256U << 10U;
// A chunk of a file ends with a line that ends within these bytes.
constexpr std::size_t kLineBytesMax = 64U << 10U;
// After this number of messages that span chunks, one thread reads the rest.
constexpr unsigned kSpanningMax = 8;

}  // namespace

ChunkPool::ChunkPool(unsigned jobs, FunctionRef<std::unique_ptr<ChunkWork>()> make,
                     std::size_t chunk_bytes)
    : slots_(std::size_t{jobs} + 2) {
  chunk_bytes_ =
      chunk_bytes > 0 ? chunk_bytes : std::min(kChunkBytesMax, kAllBytesMax / slots_.size());
  for (Slot& slot : slots_) slot.work = make();
  for (unsigned i = 0; i < jobs; ++i) threads_.emplace_back([this] { run_thread(); });
}

ChunkPool::~ChunkPool() {
  const std::lock_guard lock{mutex_};
  is_stopping_ = true;
  changed_.notify_all();
}

void ChunkPool::run_thread() {
  command::block_interrupts();
  std::unique_lock lock{mutex_};
  for (;;) {
    Slot* next = nullptr;
    changed_.wait(lock, [&] {
      for (std::size_t number = taken_; number < filled_ && next == nullptr; ++number) {
        if (slot_at(number).state == State::Filled) next = &slot_at(number);
      }
      return is_stopping_ || next != nullptr;
    });
    if (is_stopping_) return;
    next->state = State::Working;
    lock.unlock();
    if (next->scanner == nullptr) {
      next->scanner = std::make_unique<printing::MessageScanner>(text_->delimiter);
    }
    next->scanner->reset();
    scan(*next);
    lock.lock();
    next->state = State::Done;
    changed_.notify_all();
  }
}

void ChunkPool::fill(ByteSource& source, Slot& slot) {
  if (file_ == nullptr) {
    fill_in_order(source, slot);
  } else {
    fill_range(slot);
  }
  slot.is_last = is_at_end_;
  slot.is_cut = is_cut_;
  const bool follows_part = std::exchange(is_next_held_, !slot.ends_line);
  slot.is_held = follows_part || spanning_ > kSpanningMax;
  const std::lock_guard lock{mutex_};
  slot.state = slot.is_held ? State::Held : State::Filled;
  ++filled_;
  changed_.notify_all();
}

// Reads the next chunk: what the last one left, and up to the end of a line.
void ChunkPool::fill_in_order(ByteSource& source, Slot& slot) {
  slot.bytes.swap(rest_);
  rest_.clear();
  slot.offset = offset_;
  std::size_t size = slot.bytes.size();
  while (size < chunk_bytes_ && !is_at_end_) {
    // The first bytes may have been read before, to recognise the source.
    is_cut_ = offset_ + size > 0 && command::is_interrupted();
    if (is_cut_) error_ = kInterrupted;
    std::size_t got = 0;
    if (!is_cut_) {
      slot.bytes.resize_and_overwrite(chunk_bytes_, [&](char* data, std::size_t) {
        const auto read = source.read(std::span{data + size, chunk_bytes_ - size});
        if (!read) error_ = read.error();
        got = read.value_or(0);
        return size + got;
      });
    }
    size += got;
    is_at_end_ = got == 0;
  }
  const std::size_t line = is_at_end_ ? slot.bytes.npos : slot.bytes.rfind('\n');
  slot.ends_line = line != slot.bytes.npos;
  if (slot.ends_line) {
    rest_.assign(slot.bytes, line + 1);
    slot.bytes.resize(line + 1);
  }
  offset_ += slot.bytes.size();
}

// Finds where the next chunk ends: after a line, and the last one where the file ends when it is
// read.
void ChunkPool::fill_range(Slot& slot) {
  slot.offset = offset_;
  slot.begin = offset_;
  slot.end = std::numeric_limits<std::uint64_t>::max();
  slot.ends_line = false;
  is_cut_ = command::is_interrupted();
  if (is_cut_) {
    error_ = kInterrupted;
    is_at_end_ = true;
    slot.end = offset_ > 0 ? offset_ : chunk_bytes_;
    return;
  }
  const std::uint64_t nominal = offset_ + chunk_bytes_;
  const auto line = line_begin(nominal);
  is_at_end_ = !line;
  if (!line) return;
  slot.ends_line = *line > 0;
  slot.end = slot.ends_line ? *line : nominal;
  offset_ = slot.end;
}

// The place of the first line that begins here or later. 0: it is too far away. Nothing: the file
// ends before, or cannot be read.
std::optional<std::uint64_t> ChunkPool::line_begin(std::uint64_t from) {
  std::array<char, 4096> bytes;
  const std::uint64_t limit = from + std::min(kLineBytesMax, chunk_bytes_);
  for (std::uint64_t at = from - 1; at < limit;) {
    const std::size_t size = std::min<std::uint64_t>(bytes.size(), limit - at);
    const auto got = file_->read_some_at(at, std::span{bytes}.first(size));
    if (!got || *got == 0) return std::nullopt;
    const std::size_t line = std::string_view{bytes.data(), *got}.find('\n');
    if (line != std::string_view::npos) return at + line + 1;
    at += *got;
  }
  return 0;
}

void ChunkPool::scan(Slot& slot) {
  printing::MessageScanner& scanner = *slot.scanner;
  const auto pass = [&] {
    printing::ScannedMessage message;
    while (scanner.next(message)) {
      message.offset += slot.offset;
      message.file = text_->index;
      message.path = text_->path;
      message.times = text_->times;
      if (!text_->is_wanted(message)) continue;
      slot.work->each(message);
    }
  };
  if (file_ != nullptr) {
    scan_range(slot, pass);
  } else {
    const std::string_view bytes = slot.bytes;
    for (std::size_t at = 0; at < bytes.size(); at += kPieceBytes) {
      scanner.feed(bytes.substr(at, kPieceBytes));
      pass();
    }
  }
  if (slot.is_last && !slot.is_cut) {
    scanner.finish();
    pass();
  }
  slot.is_complete = slot.is_last || (slot.ends_line && scanner.held_bytes() == 0);
}

// A file that became shorter, or cannot be read, ends with this chunk.
template <class Pass>
void ChunkPool::scan_range(Slot& slot, Pass pass) {
  slot.error.clear();
  std::uint64_t at = slot.begin;
  while (at < slot.end) {
    // The system copies whole pages faster.
    const std::size_t size = std::min(kPieceBytes - at % kPieceBytes, slot.end - at);
    const std::size_t got = slot.scanner->feed_from(size, [&](std::span<char> bytes) {
      const auto read = file_->read_some_at(at, bytes);
      if (!read) slot.error = read.error().what();
      return read.value_or(0);
    });
    if (got == 0) break;
    at += got;
    pass();
  }
  slot.read_bytes = at - slot.begin;
  if (at < slot.end) slot.is_last = true;
}

void ChunkPool::wait_for(Slot& slot) {
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [&] { return slot.state == State::Done || slot.state == State::Held; });
}

// The scanner of a chunk reads the next one, too.
void ChunkPool::go_on(Slot& from, Slot& to) {
  {
    const std::lock_guard lock{mutex_};
    if (to.state == State::Filled) to.state = State::Held;
  }
  wait_for(to);
  to.work->discard();
  std::swap(to.scanner, from.scanner);
  to.offset = from.offset;
  scan(to);
  const std::lock_guard lock{mutex_};
  to.state = State::Done;
}

// No thread works on a chunk any more.
void ChunkPool::stop_work() {
  while (taken_ < filled_) {
    Slot& slot = slot_at(taken_);
    {
      const std::lock_guard lock{mutex_};
      if (slot.state == State::Filled) slot.state = State::Held;
    }
    wait_for(slot);
    slot.work->discard();
    const std::lock_guard lock{mutex_};
    slot.state = State::Free;
    ++taken_;
  }
}

ChunkPool::Result ChunkPool::read(ByteSource& source, const Text& text) {
  {
    const std::lock_guard lock{mutex_};
    filled_ = taken_ = 0;
  }
  text_ = &text;
  file_ = source.shared_file();
  const std::uint64_t size = file_ == nullptr ? 0 : file_->size().value_or(0);
  for (Slot& slot : slots_) slot.scanner.reset();  // the delimiter may be another one
  rest_.clear();
  error_.clear();
  offset_ = 0;
  is_at_end_ = is_next_held_ = is_cut_ = false;
  spanning_ = 0;
  Result result;
  for (;;) {
    while (!is_at_end_ && filled_ - taken_ < slots_.size()) fill(source, slot_at(filled_));
    if (taken_ == filled_) break;
    Slot& slot = slot_at(taken_);
    wait_for(slot);
    result.after = slot.work->take();
    if (file_ != nullptr && slot.read_bytes > 0) command::count_bytes_read(slot.read_bytes);
    if (result.after == AfterMessage::Stop) {
      stop_work();
      break;
    }
    if (!slot.is_complete && slot.ends_line) ++spanning_;
    const bool is_last = slot.is_last;
    Slot& next = slot_at(taken_ + 1);
    if (!is_last && (!slot.is_complete || next.is_held)) {
      go_on(slot, next);
    } else {
      result.skipped.add(slot.scanner->skipped(), slot.offset);
    }
    if (!slot.error.empty()) error_ = slot.error;
    {
      const std::lock_guard lock{mutex_};
      slot.state = State::Free;
      ++taken_;
    }
    if (!is_last) continue;
    stop_work();
    break;
  }
  if (file_ != nullptr) command::count_bytes_read(0);
  if (file_ != nullptr && error_.empty() && file_->size().value_or(size) < size) error_ = kFileCut;
  result.error = error_;
  return result;
}

}  // namespace nexusfix::logs
