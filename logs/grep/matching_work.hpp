// Finds and prints the messages of chunks on several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "logs/grep/matcher.hpp"
#include "logs/output/message_writer.hpp"
#include "logs/source/chunk_pool.hpp"

namespace nexusfix::logs {

class MatchingWork final : public ChunkWork {
 public:
  struct Options {
    std::optional<Matcher> matcher{};  // nothing: every message
    bool is_inverted = false;
    bool prints = true;
    OutputOptions output{};
  };
  // found: called for each chunk with messages that were found: their file and their number. The
  // output goes to the writer. Both must outlive this object.
  MatchingWork(Options options, MessageWriter& to,
               FunctionRef<AfterMessage(std::size_t file, std::uint64_t count)> found)
      : options_{std::move(options)}, part_{nullptr, options_.output}, to_{to}, found_{found} {}

  void each(const LogMessage& message) override {
    const bool is_found = !options_.matcher || options_.matcher->matches(message);
    if (is_found == options_.is_inverted) return;
    ++count_;
    file_ = message.file;
    if (options_.prints) part_.write(message);
  }
  AfterMessage take() override {
    to_.take(part_);
    const std::uint64_t count = std::exchange(count_, 0);
    return count == 0 ? AfterMessage::Continue : found_(file_, count);
  }
  void discard() override {
    part_.discard();
    count_ = 0;
  }

 private:
  Options options_;
  MessageWriter part_;
  MessageWriter& to_;
  FunctionRef<AfterMessage(std::size_t file, std::uint64_t count)> found_;
  std::size_t file_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace nexusfix::logs
