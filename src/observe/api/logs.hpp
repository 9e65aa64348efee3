// The table of all events, what a session logs where, and which values no log has.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/event_id.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/observe/logs.hpp>

namespace nexusfix::observe {

// What an event is about: the thousands of its number.
enum class EventCategory : std::uint8_t {
  Session = 1,    // 1000 to 1999: the state of a session, its schedule, sessions added and removed
  Sequence,       // 2000 to 2999: sequence numbers, gaps and resends
  Connection,     // 3000 to 3999: connections, ports and slow consumers
  Logon,          // 4000 to 4999: Logons, users, passwords and certificates of counterparties
  Store,          // 5000 to 5999: the store, its disk or its database
  Configuration,  // 6000 to 6999: the configuration, dictionaries, our certificates, reloads
  Engine,         // 7000 to 7999: the engine, its threads and memory
  Logs,           // 8000 to 8999: log files
};

// One event of the table. All views have static lifetime.
struct EventRow {
  EventId id{};                        // its number
  Severity severity = Severity::Info;  // the same for each event of this identifier
  std::string_view name;               // the enumerator's name in EventId
  std::string_view meaning;            // what has happened
  std::string_view cause;              // why it usually happens
  std::string_view action;             // what the operator does
};

// All events, in the order of their numbers. Static lifetime.
[[nodiscard]] std::span<const EventRow> event_table() noexcept;
// The event of this number, such as 1042. Null: there is none. Static lifetime.
[[nodiscard]] const EventRow* find_event(std::uint16_t number) noexcept;

// The category of its number. id must be an enumerator.
[[nodiscard]] EventCategory category_of(EventId id) noexcept;

// Appends "NXF-1042" to a text.
void append_identifier(std::string& to, EventId id);
// The number of "NXF-1042", "nxf-1042" or "1042". No value: the text is no identifier. The number
// may be that of no event.
[[nodiscard]] std::optional<std::uint16_t> read_identifier(std::string_view text) noexcept;

// "session", "sequence" and so on. Static lifetime.
[[nodiscard]] std::string_view to_string(EventCategory category) noexcept;

// The form of an event in a log.
enum class EventFormat : std::uint8_t {
  Text,  // a line of format_event()
  Json,  // a line of format_event_as_json()
};

// The event as a JSON object in one line, without a line feed:
//
//   {"time":"2024-01-15T10:30:00.123Z","id":"NXF-2003","severity":"WARN","category":"sequence",
//    "session":"FIX.4.4:VENUE->TRADER","text":"..."}
//
// The session is empty if the event has none. fraction_digits: of the second, 0 to 9. A text is
// truncated after 2,000 bytes, and says so.
[[nodiscard]] std::string format_event_as_json(const Event& event, unsigned fraction_digits = 3);

// Writes each event as a line of format_event() to a stream, and flushes it. If the stream fails,
// lines are lost without a report: there is no other place to report it.
class StreamEventLog final : public EventLog {
 public:
  // The stream is not owned, and must outlive this object.
  explicit StreamEventLog(std::FILE* stream) : stream_{stream} {}
  void write(const Event& event) override;

 private:
  std::FILE* stream_;
};

// Discards every event.
class NullEventLog final : public EventLog {
 public:
  void write(const Event&) override {}
};

// A field whose value is never logged. These fields are always masked: Password (554), NewPassword
// (925), EncryptedPassword (1402), EncryptedNewPassword (1404), and RawData (96) of a Logon and of
// a UserRequest.
struct MaskedField {
  std::uint32_t tag = 0;         // the field
  std::uint32_t length_tag = 0;  // the Length field of a data field; 0: it is not a data field
  [[nodiscard]] bool operator==(const MaskedField&) const = default;
};

// Appends a whole message with *** in place of each value that must not be logged: passwords, and
// the fields in `more`. BodyLength and CheckSum are those of the appended bytes. Allocates.
void append_masked(std::string& to, std::string_view message, std::span<const MaskedField> more);

// Masks the messages of one event loop, and passes them to a MessageLog. For the engine.
class MaskedMessageLog {
 public:
  // The log is not owned.
  MaskedMessageLog(MessageLog& log, std::uint32_t loop);
  MaskedMessageLog(const MaskedMessageLog&) = delete;
  MaskedMessageLog& operator=(const MaskedMessageLog&) = delete;
  ~MaskedMessageLog();

  // Adds a session, whose index is the number of sessions before it. masked: besides the fields
  // that are always masked. Allocates.
  void add(std::string_view session, std::span<const MaskedField> masked);
  // Passes a message of the session with this index. Allocates only to mask a value. Throws what
  // the log throws.
  void write(std::size_t session, MessageKind kind, std::string_view bytes, WallTime time);

 private:
  struct MaskedSession;
  MessageLog& log_;
  std::uint32_t loop_;
  std::vector<std::unique_ptr<MaskedSession>> sessions_;
  std::string masked_;
};

// The log files of a session.
struct LogFileOptions {
  std::string folder{};         // FileLogPath; empty: no files
  std::string backup_folder{};  // FileLogBackupPath; empty: the folder
  // LogMaxBytes: a file that would become longer becomes a numbered backup, and a new file begins;
  // 0: never.
  std::uint64_t bytes_max = 64U << 20U;
  std::uint32_t backups_max = 10;  // LogKeepFiles: of each file; older backups are removed
  // LogKeepDays: a backup that was written this number of days ago is removed, besides those above
  // backups_max; 0: never. A disk that does not know when a file was written keeps it.
  std::chrono::days keep_for{0};
  bool is_compressed = false;     // LogCompress: backups are packed with zstd
  bool is_daily = false;          // a new file begins with each day, too; UTC
  bool has_heartbeats = true;     // whether Heartbeats are logged
  bool has_message_times = true;  // FileIncludeTimeStampForMessages: a time before each message
  EventFormat event_format = EventFormat::Text;  // the form of the lines of events
  unsigned fraction_digits = 9;                  // of the seconds in times; 0 to 9
  // The mode of the files, whatever the umask of the process is: 0640, for example. 0: new files
  // get mode 0600, and existing files keep their mode.
  unsigned permissions = 0;
  // While fewer bytes are free on the disk, messages are not logged, so that logs never fill it. In
  // a file 4 × LogMaxBytes, at most 256 MiB.
  std::uint64_t free_bytes_min = 256U << 20U;
  [[nodiscard]] bool operator==(const LogFileOptions&) const = default;
};

// What a session logs on the screen (standard output).
struct ScreenLogOptions {
  bool has_incoming = false;     // received messages
  bool has_outgoing = false;     // sent messages
  bool has_events = false;       // events
  bool has_heartbeats = true;    // Heartbeats among the messages
  unsigned fraction_digits = 3;  // of the seconds in times; 0 to 9
  [[nodiscard]] bool operator==(const ScreenLogOptions&) const = default;
};

// The part for LogCompress. Members may be called by any thread.
struct LogCompressionPart {
  // Writes `to` as a zstd frame with a checksum, with all bytes of `from`, and syncs it. Replaces
  // an existing file. goes_on: asked for each MiB; false: `to` stays unfinished, and the result is
  // false. Needs about 4 MiB of memory for any size; blocks on the disk.
  DiskResult<bool> (*pack)(Disk& disk, const std::string& from, const std::string& to,
                           FunctionRef<bool()> goes_on);
};

}  // namespace nexusfix::observe
