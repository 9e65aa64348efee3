// A QuickFIX-style configuration file: [DEFAULT], [SESSION], Key=Value.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/dictionary/load.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/observe/session_logs.hpp>
#include <nexusfix/session/config.hpp>
#include <nexusfix/session/schedule.hpp>
#include <nexusfix/store/journal.hpp>
#include <nexusfix/store/postgres.hpp>
#include <nexusfix/transport/network.hpp>
#include <nexusfix/transport/tls.hpp>

namespace nexusfix::config {

// "trader.cfg:12: HeartBtInt=abc: a whole number of seconds from 0 to 3600 was expected"
struct SettingsError {
  std::string file;
  std::size_t line = 0;  // 1-based; 0: the file as a whole
  std::string text;
  bool is_note = false;  // among warnings: nothing is wrong, but it may surprise
  [[nodiscard]] std::string what() const;
};

// What received messages are checked against; the session's validator is made of it at start-up.
struct DictionarySettings {
  bool is_used = true;  // UseDataDictionary and ValidateIncomingMessage
  // DataDictionary, or TransportDataDictionary of a FIXT session; empty: the built-in one.
  std::string file;
  std::size_t line = 0;
  dictionary::DictionaryFaults faults = dictionary::DictionaryFaults::Refuse;  // of all its files
  dictionary::ValidationRules rules;
  // FIXT: AppDataDictionary, by ApplVerID (1128). Built-in ones for the versions that it lacks.
  struct File {
    std::string path;
    std::size_t line = 0;
  };
  std::map<char, File> applications{};
};

// What is done about more application messages than a counterparty may send.
enum class ThrottleAction : std::uint8_t {
  Delay,   // nothing more is read from its connection before it may go on
  Reject,  // BusinessMessageReject, and the application does not see the message
  LogOut,  // the same, and a Logout
};

struct ThrottleSettings {
  std::uint32_t messages_max = 0;    // within any interval; 0: no limit. At most 1,000,000.
  std::chrono::seconds interval{1};  // ≥ 1
  ThrottleAction action = ThrottleAction::Delay;
};

// When the store learns that an application message was processed.
enum class InboundDelivery : std::uint8_t {
  AtLeastOnce,  // behind the callback: a crash within it delivers the message again, with PossDup
  AtMostOnce,   // in front of it, durably: a crash within it never does
};

// Where a session's messages and events go beside EngineOptions::log, which every event goes to.
struct LogSettings {
  observe::LogFileOptions files{};             // without a folder: no files
  observe::ScreenLogOptions screen{};          // standard output
  std::vector<observe::MaskedField> masked{};  // beside passwords, which always are
  // false: of a message with one of them the store has the number alone, as of one with a password.
  bool stores_masked = false;
  // Whether events also go to standard error, if EngineOptions::log is not given: not, once
  // ScreenLogShowEvents says whether they go to the screen.
  bool has_standard_error = true;
  std::size_t folder_line = 0;  // of FileLogPath
  std::size_t backup_folder_line = 0;
};

// How a session's connections are protected, and which keys have said so.
struct SessionTls {
  transport::TlsSettings settings{};
  struct Origin {
    std::string_view key{};  // of static lifetime
    std::size_t line = 0;
  };
  std::array<Origin, transport::kTlsItems> origins{};  // by TlsItem
};

enum class StoreKind : std::uint8_t { Journal, Memory, PostgreSQL };

// One [SESSION], with [DEFAULT] merged under it.
struct SessionSettings {
  session::SessionConfig session;
  DictionarySettings dictionary;
  session::Schedule schedule;                 // StartTime, EndTime, ...: non-stop without them
  std::vector<transport::Endpoint> connect;   // initiator: tried in order, at least one
  std::optional<transport::Endpoint> accept;  // acceptor
  // Nothing: plain TCP. The endpoints' own contexts are made of it when the engine starts.
  std::optional<SessionTls> tls;
  std::size_t accept_port_line = 0;
  std::size_t accept_host_line = 0;
  // Initiator: before each attempt since the last Logon; the last one counts for all behind it. At
  // least one, each ≥ 1 s.
  std::vector<std::chrono::seconds> reconnect_intervals{std::chrono::seconds{30}};
  // Of each interval, up to so many hundredths are left out by chance: 0 to 90.
  std::uint32_t reconnect_jitter = 10;
  std::chrono::seconds connect_timeout{0};  // initiator; 0: LogonTimeout
  // Initiator: PRIORITY begins with the first address again when a session was lost, and after
  // this time of failures. Nothing: round robin.
  std::optional<std::chrono::seconds> priority_start_over;
  // Acceptor: addresses and networks that may log on.
  transport::AllowList allowed_remote_addresses = transport::AllowList::everybody();
  // Acceptor: connections of its port that have not logged on yet, and those of one address among
  // them (of IPv6: of one network of 64 bits); 0: any number.
  std::uint32_t pending_logons_max = 1'000;
  std::uint32_t pending_logons_per_address_max = 500;
  // A counterparty that does not read is disconnected when more bytes than this wait for it; ≥ 64
  // KiB.
  std::uint32_t queued_bytes_max = 64U << 20U;
  // Likewise when it has taken none of them for so long: 1 s to 3,600 s.
  std::chrono::seconds slow_consumer_timeout{60};
  // A counterparty that sends a longer message is disconnected: 1 KiB to 64 MiB.
  std::uint32_t message_bytes_max = 1U << 20U;
  // Acceptor: a connection that begins with a longer Logon is closed: 256 to 1 MiB, and not above
  // message_bytes_max.
  std::uint32_t logon_bytes_max = 4'096;
  // The connection is closed when more messages than this are garbled within a second; ≥ 1.
  std::uint32_t garbled_per_second_max = 1'000;
  // A Logout, and the connection is closed, when more than this are received within a second
  // (administrative messages but SequenceReset), or sent (Rejects); ≥ 1.
  std::uint32_t admin_messages_per_second_max = 1'000;
  std::uint32_t rejects_per_second_max = 1'000;
  ThrottleSettings throttle;
  // Stored messages that go out again within a second, at most; 0: no limit. A loop does about
  // twice as many: who asks for everything again and again leaves half of it to others.
  std::uint32_t resends_per_second_max = 500'000;
  // A message that was sent longer ago than this is gap-filled instead of sent again; 0: never.
  std::chrono::seconds resend_age_max{0};
  // What is kept of messages that came too early; what is above is asked for again.
  std::uint32_t held_bytes_max = 16U << 20U;
  InboundDelivery inbound_delivery = InboundDelivery::AtLeastOnce;
  // false: without a Logon nothing is numbered and stored, and send() says so.
  bool sends_while_logged_out = true;
  // on_disconnect() is called when nobody has logged on again within this time.
  std::chrono::seconds disconnect_notice_delay{0};
  LogSettings log{};
  // Whose certificate the counterparty must have shown in front of a Logon, each as
  // transport::certificate_identity() has it; empty: nobody looks.
  std::vector<std::string> allowed_certificates{};
  // Acceptor: no session, but what those are like that are made when somebody logs on. CompIDs of
  // "*" stand for any.
  bool is_template = false;
  // Acceptor: the users who may log on, and their passwords; empty: nobody is asked for one.
  std::string password_file{};  // PasswordFile
  std::size_t password_file_line = 0;
  // AllowedUsernames: beside the user that is called as the counterparty; "*": all of the file.
  std::vector<std::string> allowed_usernames{};
  std::uint32_t logon_failures_max = 5;    // MaxLogonFailures; 0: no lock-out
  std::chrono::seconds logon_lockout{60};  // LogonLockout; at most an hour
  // So many wrong passwords from one address within this time lock it out for as long; 0: never.
  std::uint32_t logon_failures_per_address_max = 100;
  std::chrono::seconds logon_failures_interval{600};
  // false: what has a wrong BodyLength or CheckSum is a message all the same.
  bool validates_length = true;     // ValidateLengthAndChecksum
  bool validates_check_sum = true;  // and ValidateChecksum
  // Keys of the program's own, by their names in lower case: Session::setting().
  std::map<std::string, std::string, std::less<>> application{};
  std::optional<std::uint32_t> event_loop{};  // EventLoop; nothing: see Settings::event_loops
  std::size_t line = 0;                       // of its [SESSION]
};

// What the event loops' threads ask of the machine. A start is refused that cannot have it.
struct ThreadSettings {
  // EventLoopCpu: one for each event loop, in order, for run() and start(); empty: any. A thread
  // that calls poll() is its owner's to pin.
  std::vector<unsigned> cpus;
  std::size_t cpus_line = 0;
  bool busy_spin = false;    // BusySpin: as EngineOptions::busy_spin
  bool lock_memory = false;  // LockMemory: all of the process's, from the start on and for good
  std::size_t lock_memory_line = 0;
  // CoreDumps: as the system is set; otherwise one of this process has no memory in it, for good.
  bool core_dumps = false;
  // LogonMaxLateness: Logons of new connections wait while timers are later than this; 0: never.
  std::chrono::milliseconds logon_lateness_max{200};
};

struct Settings {
  std::string file;
  std::string text;  // of the file; empty if there is none: see Engine::reload()
  std::vector<SessionSettings> sessions;  // at least one
  StoreKind store = StoreKind::Journal;
  std::string store_folder;  // FileStorePath: the journal, or the note of a database
  std::size_t store_folder_line = 0;
  store::Durability durability = store::Durability::Process;
  std::uint64_t segment_bytes = 64U << 20U;         // of the journal; no key sets it
  std::chrono::microseconds journal_group_wait{0};  // JournalGroupMicros
  std::uint32_t journal_numbers_ahead = 65'536;     // JournalNumbersAhead
  // A session is disconnected when its bytes have waited for the store for so long; 1 s to 3,600 s.
  std::chrono::seconds journal_stall_timeout{5};  // JournalStallTimeout
  store::Retention journal_retention;             // JournalKeepBytes and those beside it
  std::uint64_t journal_scrub_rate = 1U << 20U;   // JournalScrubBytesPerSecond
  // Threads, each with sessions of its own and their part of the store: 1 to 64. A session is where
  // it is stored; a new one where EventLoop says, or where its name's checksum does.
  std::uint32_t event_loops = 1;  // EventLoops
  ThreadSettings threads;
  // Sessions that may be made of templates while the engine runs, beside those that are stored; and
  // those of one address (of IPv6: of one network of 64 bits) among them. Nothing: half of them.
  std::uint32_t dynamic_sessions_max = 1'000;  // DynamicSessionsMax
  std::optional<std::uint32_t> dynamic_sessions_per_address_max{};
  // What all sessions and connections together may have in buffers: messages that came early, that
  // wait to be sent, that are not whole yet. Above it the one that has most is disconnected. From 1
  // MiB on.
  std::uint64_t buffered_bytes_max = 512U << 20U;  // MaxBufferedBytes
  // Logons whose passwords wait to be checked, or are being: 1 to 10,000.
  std::uint32_t logons_being_checked_max = 64;  // MaxLogonsBeingChecked
  store::PostgresOptions postgres;              // PostgreSQLStore...
  std::size_t log_queue_bytes = 8U << 20U;      // LogQueueBytes; a power of two, from 64 KiB on
  bool logs_unknown_sessions = true;            // LogMessageWhenSessionNotFound
  std::vector<SettingsError>
      warnings;  // unknown, misspelt or not honoured keys: what is done instead
};

// The name of a program's own key in SessionSettings::application: in lower case, without
// "Application.".
[[nodiscard]] std::string application_name(std::string_view key);

// A warning that names a key which nobody knows: most likely a misspelt one.
[[nodiscard]] bool is_unknown_key(const SettingsError& warning) noexcept;

// What follows a warning that several lines cause and that names the first of them: how many others
// there are. Empty: there is one line.
[[nodiscard]] std::string others_text(const std::set<std::size_t>& lines);

// Every mistake of the file, not only the first: at least one when it is returned.
using SettingsErrors = std::vector<SettingsError>;

[[nodiscard]] std::expected<Settings, SettingsErrors> parse_settings(std::string_view text,
                                                                     std::string_view file_name);
[[nodiscard]] std::expected<Settings, SettingsErrors> load_settings(Disk& disk,
                                                                    const std::string& path);

}  // namespace nexusfix::config
