// `nexusfix replay`: sends the application messages of logs into a session.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine.hpp>

#include "logs/replay/replayed_message.hpp"
#include "logs/source/log_reader.hpp"
#include "nexusfix/command.hpp"

namespace nexusfix::command {

struct ReplayOptions {
  logs::LogRequest input{};
  std::string expression{};  // only messages that fulfil it; empty: all
  std::string dictionary{};  // a file; its names come before the built-in ones
  std::string sent_by{};     // SenderCompID of the messages; empty: that of the first one
  logs::ReplayChanges changes{};
  double speed = 1;      // times the pace of the log; 0: as fast as possible
  std::string config{};  // a configuration file with one session; empty: connect
  UnknownKeys unknown_keys = UnknownKeys::Warn;
  std::string host{};  // of --connect
  std::uint16_t port = 0;
  std::string version{};  // "FIX.4.4", "FIX.5.0SP2"; empty: as in the log
  std::string sender{};   // CompIDs of the session; empty: as in the log
  std::string target{};
  std::uint32_t logon_seconds = 30;
  std::uint32_t wait_seconds = 1;  // for answers after the last message
};

struct ReplayStreams {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
};

// Returns kSuccess if every chosen message was sent and the counterparty rejected none by a Reject
// or a BusinessMessageReject; kUsage if a file, the dictionary or the configuration cannot be read,
// or an option is wrong; otherwise kFailure. SIGINT and SIGTERM log the session out and end it.
int replay_files(const ReplayOptions& options, Disk& disk, ReplayStreams streams,
                 const engine::EngineOptions& engine);

}  // namespace nexusfix::command
