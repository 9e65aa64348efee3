// What a stream of Arrow reads its batches from.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include <nexusfix/base/language.hpp>

#include "python/src/tables/arrow_abi.hpp"

namespace nexusfix::python {

// What has been read so far. Any thread.
struct LogProgress {
  std::atomic<std::uint64_t> rows = 0;
  std::atomic<std::uint64_t> bytes = 0;    // of messages
  std::atomic<std::uint64_t> misfits = 0;  // values that are not of their type, and are null
};

// The error of a stream whose caller wanted no more.
inline constexpr const char* kStopped = "reading was interrupted";

// What the reading thread asks of Python.
class ReadingCalls {
 public:
  virtual ~ReadingCalls() = default;
  // Call it after each part. False: the caller of Python wants no more.
  [[nodiscard]] virtual bool goes_on() = 0;
  // Other threads of Python run meanwhile.
  virtual void without_lock(FunctionRef<void()> body) = 0;
};

// One thread at a time; the lock of the interpreter is not needed.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  virtual void describe(ArrowSchema& to) const = 0;
  // The next batch; a released array: there is none, or error() says why not.
  virtual void next(ArrowArray& to, ReadingCalls& calls) = 0;
  [[nodiscard]] const std::string& error() const noexcept { return error_; }

 protected:
  std::string error_;
};

// A stream of these batches for a consumer of Arrow, which releases it.
void make_stream(ArrowArrayStream& to, std::unique_ptr<BatchSource> source,
                 std::unique_ptr<ReadingCalls> calls);

}  // namespace nexusfix::python
