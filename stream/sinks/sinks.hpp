// The destinations beside Kafka.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <string>

#include <nexusfix/base/disk.hpp>

#include "stream/broker.hpp"

namespace nexusfix::stream {

// Without an acknowledgement for this time, a destination counts as lost.
inline constexpr std::chrono::seconds kSilenceMax{10};

struct BatchLimits {
  std::size_t lines = 500;
  std::chrono::milliseconds wait{200};  // after the first line of a batch
};

struct LineOptions {
  bool is_object = false;  // the value of a record is a JSON object
  BatchLimits batch{};
};

// Lines to a descriptor, normally 1. The rule of an acknowledgement depends on its kind:
// a pipe: its reader has read the line;
// a file: fdatasync() has returned after it was written;
// a socket, a terminal, another device: write() has accepted it.
// The caller keeps the descriptor open. disk reads the end of a file once. SIGPIPE is ignored from
// then on.
[[nodiscard]] std::unique_ptr<Broker> open_lines(Disk& disk, int descriptor,
                                                 const LineOptions& options);

enum class CommandAck : std::uint8_t {
  Line,  // each line that the command prints is the id of the last record that it has handled
  Exit,  // each batch has a process: status 0 acknowledges it
};
struct CommandSettings {
  std::string command;  // for /bin/sh -c
  CommandAck ack = CommandAck::Line;
};
// Lines to the standard input of a command. SIGPIPE is ignored from then on.
[[nodiscard]] std::unique_ptr<Broker> open_command(const CommandSettings& settings,
                                                   const LineOptions& options);

}  // namespace nexusfix::stream
