// `nexusfix stream`: sends the messages of journals and databases to a destination.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/observe/logs.hpp>

#include "nexusfix/command.hpp"
#include "store/api/postgres_part.hpp"
#include "stream/broker.hpp"
#include "stream/followed_log.hpp"
#include "stream/stream_metrics.hpp"

namespace nexusfix::stream {

struct StreamOptions {
  std::vector<std::string> journals;  // folders, or configuration files
  std::string cursor_name;
  // The cursors of databases are here, in a folder for each; empty: FileStorePath of the
  // configuration.
  std::string cursor_folder;
  std::string engine;  // empty: the folder of the journal, or the schema of the database
  store::FollowOptions follow{};
  EncoderOptions encoder{};
  std::chrono::seconds drain{10};  // to wait for acknowledgements at the end
};

struct StreamParts {
  Disk& disk;
  Clock& clock;
  Broker& broker;
  const store::PostgresPart* postgres = nullptr;  // null: this program was built without it
  observe::EventLog& events;
  bool (*is_interrupted)();
  // Called a few times a second. May be empty.
  std::function<void(const StreamState&)> on_state;
};

// Streams until the logs are read to their end and everything is acknowledged, or followed,
// until a signal. Returns kSuccess; kFailure after an error, which is printed: the cursors are
// durable, and the next start goes on from there; kUsage if a log cannot be opened.
int stream_logs(const StreamOptions& options, const StreamParts& parts);

}  // namespace nexusfix::stream
