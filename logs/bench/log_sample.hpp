// The messages of a log that `nexusfix bench --from` measures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/field.hpp>

#include "logs/source/log_reader.hpp"

namespace nexusfix::logs {

// The first messages of a log, in its order: a log of any size is read in bounded time and memory.
struct SampleLimits {
  std::size_t messages_max = 16'384;
  std::size_t bytes_max = 16U << 20U;
};

struct LogSample {
  std::vector<std::string> messages{};  // of one version, as they were read
  std::string begin_string{};           // BeginString (8) of all of them: that of most
  // DefaultApplVerID (1137) of a Logon, or else ApplVerID (1128) of a message; empty: none has it.
  std::string application_version{};
  std::uint64_t other_versions = 0;  // messages that were left out
  std::uint64_t skipped = 0;         // places with 8=FIX that are no message
  bool is_part = false;              // the log has more messages than the limits allow
  bool has_unopened = false;         // a file could not be opened
  bool has_unread = false;           // an opened file could not be read to its end
};

// failed: one line about a file.
[[nodiscard]] LogSample read_sample(Disk& disk, const LogRequest& request, SampleLimits limits,
                                    FunctionRef<void(std::string_view error)> failed);

// What remove_garbled() did.
struct Repairs {
  std::uint64_t garbled = 0;   // messages that no parser accepts: they were removed
  std::uint64_t repaired = 0;  // messages whose BodyLength and CheckSum were made again
};

// Removes the messages that a session would ignore. A message whose only fault is its BodyLength or
// CheckSum was changed after it was sent, as a mask of a password does: it gets the right ones.
[[nodiscard]] Repairs remove_garbled(std::vector<std::string>& messages,
                                     const wire::DataFieldTable& data_fields);

// What the messages are like. All of them parse.
struct SampleShape {
  std::uint64_t bytes = 0;
  std::size_t mean_bytes = 0;
  std::size_t p50_bytes = 0;
  std::size_t p99_bytes = 0;
  std::size_t max_bytes = 0;
  struct Type {
    std::string msg_type;  // MsgType (35)
    std::uint64_t messages = 0;
  };
  std::vector<Type> types{};  // the most frequent first
  std::size_t sequences = 0;  // different sequences of tags
  // Messages of the most frequent sequences, as many as a session's memory keeps of a type.
  static constexpr std::size_t kFrequent = 4;
  std::uint64_t of_frequent_sequences = 0;
};
[[nodiscard]] SampleShape shape_of(const std::vector<std::string>& messages,
                                   const wire::DataFieldTable& data_fields);

}  // namespace nexusfix::logs
