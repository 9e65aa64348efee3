#include "nexusfix/logs/source/chunk_pool.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "nexusfix/logs/source/byte_source.hpp"
#include "nexusfix/logs/source/interrupt.hpp"

namespace nexusfix::logs {
namespace {

// Of the chunks in memory, before their results, which may have several times their size.
constexpr std::size_t kAllBytesMax = 16U << 20U;
// What a scanner gets at once: half of the second-level cache of common CPUs.
constexpr std::size_t kPieceBytes = 256U << 10U;
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
  block_interrupts();
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
    scan(*next);
    lock.lock();
    next->state = State::Done;
    changed_.notify_all();
  }
}

// Reads the next chunk: what the last one left, and up to the end of a line.
void ChunkPool::fill(ByteSource& source, Slot& slot) {
  slot.bytes.swap(rest_);
  rest_.clear();
  slot.offset = offset_;
  std::size_t size = slot.bytes.size();
  while (size < chunk_bytes_ && !is_at_end_) {
    // The first bytes may have been read before, to recognise the source.
    is_cut_ = offset_ + size > 0 && is_interrupted();
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
  slot.is_last = is_at_end_;
  if (slot.ends_line) {
    rest_.assign(slot.bytes, line + 1);
    slot.bytes.resize(line + 1);
  }
  offset_ += slot.bytes.size();
  const bool follows_part = std::exchange(is_next_held_, !slot.ends_line);
  slot.is_held = follows_part || spanning_ > kSpanningMax;
  const std::lock_guard lock{mutex_};
  slot.state = slot.is_held ? State::Held : State::Filled;
  ++filled_;
  changed_.notify_all();
}

void ChunkPool::scan(Slot& slot) {
  if (slot.scanner == nullptr) {
    slot.scanner = std::make_unique<printing::MessageScanner>(file_->delimiter);
  }
  printing::MessageScanner& scanner = *slot.scanner;
  const auto pass = [&] {
    printing::ScannedMessage message;
    while (scanner.next(message)) {
      if (!file_->is_wanted(message)) continue;
      slot.work->each(
          {message.bytes, message.prefix, slot.offset + message.offset, file_->index, file_->path});
    }
  };
  const std::string_view bytes = slot.bytes;
  for (std::size_t at = 0; at < bytes.size(); at += kPieceBytes) {
    scanner.feed(bytes.substr(at, kPieceBytes));
    pass();
  }
  if (slot.is_last && !is_cut_) {
    scanner.finish();
    pass();
  }
  slot.is_complete = slot.is_last || (slot.ends_line && scanner.held_bytes() == 0);
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
  to.scanner = std::move(from.scanner);
  to.offset = from.offset;
  scan(to);
  const std::lock_guard lock{mutex_};
  to.state = State::Done;
}

// No thread works on a chunk any more.
void ChunkPool::stop_work() {
  for (; taken_ < filled_; ++taken_) {
    Slot& slot = slot_at(taken_);
    {
      const std::lock_guard lock{mutex_};
      if (slot.state == State::Filled) slot.state = State::Held;
    }
    wait_for(slot);
    slot.work->discard();
    slot.scanner.reset();
    slot.state = State::Free;
  }
}

ChunkPool::Result ChunkPool::read(ByteSource& source, const File& file) {
  {
    const std::lock_guard lock{mutex_};
    filled_ = taken_ = 0;
  }
  file_ = &file;
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
    if (result.after == AfterMessage::Stop) {
      stop_work();
      break;
    }
    if (!slot.is_complete && slot.ends_line) ++spanning_;
    Slot& next = slot_at(taken_ + 1);
    if (!slot.is_last && (!slot.is_complete || next.is_held)) {
      go_on(slot, next);
    } else {
      result.skipped.add(slot.scanner->skipped(), slot.offset);
      slot.scanner.reset();
    }
    const std::lock_guard lock{mutex_};
    slot.state = State::Free;
    ++taken_;
  }
  result.error = error_;
  return result;
}

}  // namespace nexusfix::logs
