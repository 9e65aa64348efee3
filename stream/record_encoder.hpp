// Messages of a journal as records for the brokers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "journal/api/journal_follower.hpp"
#include "logs/columns/column_writer.hpp"
#include "logs/output/json_objects.hpp"
#include "stream/broker.hpp"

namespace nexusfix::stream {

enum class RecordFormat : std::uint8_t {
  Raw,    // the bytes of one message
  Json,   // one message, as `nexusfix decode --ndjson` prints it
  Arrow,  // an IPC stream with up to 1,000 messages of one session
};

struct EncoderOptions {
  RecordFormat format = RecordFormat::Raw;
  std::string engine;                 // the value of the header of this name
  std::vector<logs::Column> columns;  // Arrow
  logs::OpenColumns open_columns = nullptr;
};

// One thread.
class RecordEncoder {
 public:
  explicit RecordEncoder(const EncoderOptions& options);

  // Appends the record of the message to `to`, or keeps it for flush(). The error is one line.
  [[nodiscard]] std::expected<void, std::string> add(const store::FollowedMessage& message,
                                                     std::vector<Outgoing>& to);
  // Whether enough is kept for a record.
  [[nodiscard]] bool is_full() const noexcept;
  // Appends what is kept.
  [[nodiscard]] std::expected<void, std::string> flush(std::vector<Outgoing>& to);

 private:
  // What the rows of a record have in common.
  struct Group {
    Outgoing record;
    std::string value;
    std::unique_ptr<logs::ColumnWriter> writer;
    std::unique_ptr<logs::ColumnRows> rows;
    std::uint64_t count = 0;
    std::uint64_t last = 0;  // position
  };
  [[nodiscard]] Outgoing begin(const store::FollowedMessage& message) const;
  [[nodiscard]] std::string_view prefix_of(const store::FollowedMessage& message);
  [[nodiscard]] std::expected<void, std::string> add_row(const store::FollowedMessage& message);

  EncoderOptions options_;
  logs::JsonObjects objects_;
  std::string prefix_;
  std::map<std::string, std::unique_ptr<Group>> groups_;
  std::size_t kept_ = 0;
  std::size_t kept_bytes_ = 0;
};

}  // namespace nexusfix::stream
