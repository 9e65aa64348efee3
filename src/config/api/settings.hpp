// The values of a configuration file: what the engine, products and programs of the project read.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/settings.hpp>
#include <nexusfix/transport/network.hpp>

#include "observe/api/logs.hpp"
#include "session/api/config.hpp"
#include "store/api/journal.hpp"
#include "store/api/postgres_part.hpp"
#include "transport/api/tls.hpp"

namespace nexusfix::config {

class LogonSigner;  // what LogonSignature needs

// What received messages are checked against. The session's validator is built from it at start-up.
struct DictionarySettings {
  bool is_used = true;  // UseDataDictionary and ValidateIncomingMessage
  // DataDictionary, or TransportDataDictionary of a FIXT session; empty: the built-in one.
  std::string file;
  std::size_t line = 0;  // of that key; 0: it is not given
  dictionary::DictionaryFaults faults = dictionary::DictionaryFaults::Refuse;  // of all its files
  dictionary::ValidationRules rules;  // what a message is checked for
  // The dictionary of one application version.
  struct File {
    std::string path;      // AppDataDictionary
    std::size_t line = 0;  // of that key
  };
  // FIXT: by ApplVerID (1128). Versions without a file use the built-in dictionary.
  std::map<char, File> applications{};
};

// The action when a counterparty sends more application messages than ThrottleMessages.
enum class ThrottleAction : std::uint8_t {
  Delay,   // its connection is not read until the interval ends
  Reject,  // BusinessMessageReject; the application does not see the message
  LogOut,  // BusinessMessageReject, then Logout
};

// How many application messages a counterparty may send.
struct ThrottleSettings {
  // ThrottleMessages: application messages within any interval, at most 1,000,000; 0: no limit.
  std::uint32_t messages_max = 0;
  std::chrono::seconds interval{1};               // ThrottleInterval: 1 s to 3,600 s
  ThrottleAction action = ThrottleAction::Delay;  // ThrottleAction: what happens above the limit
};

// What happens to an application message above OutboundMessages.
enum class OutboundLimitRule : std::uint8_t {
  Queue,         // it waits, and all later ones wait after it
  CancelsFirst,  // it waits; OrderCancelRequest (F) and OrderMassCancelRequest (q) overtake others
  Refuse,        // send() fails with SendFailure::RateLimited
};

// How many messages this side sends, for a venue that disconnects a faster client.
struct OutboundLimitSettings {
  // A limit of one MsgType.
  struct TypeLimit {
    std::string msg_type{};          // MsgType (35) of application messages
    std::uint32_t messages_max = 0;  // within any interval, 1 to 1,000,000
    friend bool operator==(const TypeLimit&, const TypeLimit&) = default;
  };
  // OutboundMessages: messages within any interval, at most 1,000,000; 0: no limit.
  std::uint32_t messages_max = 0;
  // OutboundMessagesByType: each beside messages_max.
  std::vector<TypeLimit> by_type{};
  std::chrono::seconds interval{1};                   // OutboundInterval: 1 s to 3,600 s
  OutboundLimitRule rule = OutboundLimitRule::Queue;  // OutboundLimitRule: above a limit
  // OutboundQueueMessages: messages that may wait, 1 to 1,000,000; send() refuses more.
  std::uint32_t queued_max = 1'000;

  // Whether there is a limit.
  [[nodiscard]] bool is_set() const noexcept { return messages_max != 0 || !by_type.empty(); }
  friend bool operator==(const OutboundLimitSettings&, const OutboundLimitSettings&) = default;
};

// When the store records that an application message was processed.
enum class InboundDelivery : std::uint8_t {
  AtLeastOnce,  // after the callback: a crash within it delivers the message again, with PossDup
  AtMostOnce,   // before the callback, durably: a crash within it loses the message
};

// Where a session's messages and events are logged. EngineOptions::log gets every event as well.
struct LogSettings {
  observe::LogFileOptions files{};     // without a folder: no files
  observe::ScreenLogOptions screen{};  // standard output
  // LogMaskedTags, in addition to passwords, which are always masked.
  std::vector<observe::MaskedField> masked{};
  // StoreMaskedTags: whether messages with such a field are stored. false: only their MsgSeqNums
  // are, as of messages with a password.
  bool stores_masked = false;
  // Whether events go to standard error when EngineOptions::log is not set. False when
  // ScreenLogShowEvents is given.
  bool has_standard_error = true;
  std::size_t folder_line = 0;         // of FileLogPath; 0: it is not given
  std::size_t backup_folder_line = 0;  // of FileLogBackupPath; 0: it is not given
  std::size_t compress_line = 0;       // of LogCompress; 0: it is not given
};

// How a session's connections are protected, and the keys that say so.
struct SessionTls {
  transport::TlsSettings settings{};  // what the session's TlsContext is made from
  // The key that an error names.
  struct Origin {
    std::string_view key{};  // its name; static lifetime
    std::size_t line = 0;    // of the key; 0: it is not given
  };
  std::array<Origin, transport::kTlsItems> origins{};  // by TlsItem
};

// Store: where messages and sequence numbers are kept.
enum class StoreKind : std::uint8_t {
  Journal,     // in files
  Memory,      // in this process only: a restart begins at MsgSeqNum 1
  PostgreSQL,  // in a database
  Program,     // in a store of the program: EngineOptions::store_factory
};

// Initiator: when to connect.
struct ReconnectSettings {
  // ReconnectInterval: the wait before each attempt since the last Logon; the last interval
  // repeats. At least one, each ≥ 1 s.
  std::vector<std::chrono::seconds> intervals{std::chrono::seconds{30}};
  // A random part of each interval, up to this percentage, is left out: 0 to 90.
  std::uint32_t jitter = 10;
  std::chrono::seconds connect_timeout{0};  // SocketConnectTimeout, ≤ 3,600 s; 0: as LogonTimeout
  // HostSelectionPolicy=PRIORITY: the first address is tried first after a lost session, and after
  // failures for this time, 0 s to 86,400 s. No value: round robin.
  std::optional<std::chrono::seconds> priority_start_over;
};

// Which connections may log on.
struct AdmissionSettings {
  // AllowedRemoteAddresses. Acceptor: addresses and networks of counterparties.
  transport::AllowList allowed_remote_addresses = transport::AllowList::everybody();
  // AllowedCertificates: the counterparty's certificate must have one of these identities before a
  // Logon, each in the form of transport::certificate_identity(). Empty: certificates are not
  // compared.
  std::vector<std::string> allowed_certificates{};
  // MaxPendingLogons. Acceptor: connections to its port without a Logon, at most 1,000,000; 0: no
  // limit.
  std::uint32_t pending_logons_max = 1'000;
  // Those from one address (of IPv6: one network of 64 bits); 0: no limit. In a file half of
  // MaxPendingLogons.
  std::uint32_t pending_logons_per_address_max = 500;
};

// Acceptor: the users that may log on, and the lockout after wrong passwords.
struct CredentialSettings {
  std::string password_file{};         // PasswordFile; empty: passwords are not checked
  std::size_t password_file_line = 0;  // of PasswordFile; 0: it is not given
  // AllowedUsernames, in addition to the user named like the counterparty; `*`: every user of the
  // file.
  std::vector<std::string> allowed_usernames{};
  std::uint32_t failures_max = 5;    // MaxLogonFailures: in a row, of one CompID; 0: no lockout
  std::chrono::seconds lockout{60};  // LogonLockout: the first one; at most an hour
  // MaxLogonFailuresPerAddress: this number of wrong passwords from one address within the interval
  // locks the address out for the same interval; 0: no lockout. In a file 10 × LogonLockout.
  std::uint32_t failures_per_address_max = 100;
  std::chrono::seconds failures_interval{600};  // 1 s to 86,400 s
};

// A part of a text that LogonSignature or LogonNonce describes.
struct LogonTextPart {
  // What it stands for.
  enum class Kind : std::uint8_t {
    Text,    // itself
    Field,   // {TAG}: the value of this field of our Logon
    Key,     // {key}: the bytes of LogonKey; only of sha256
    Millis,  // {time-ms}: SendingTime in ms since 1970, or more: higher than in the Logon before
    Random,  // {random}: 32 random bytes as base64
  };
  Kind kind = Kind::Text;  // see above
  std::string text{};      // Text; SOH stands for a bar, LF for \n in the key
  wire::Tag tag = 0;       // Field; Millis: milliseconds that are added
};

// Initiator: how our Logons are signed with a key, as venues of digital assets require.
struct LogonSignature {
  // How the signature is computed.
  enum class Algorithm : std::uint8_t {
    Ed25519,             // RFC 8032
    RsaSha256,           // RFC 8017, PKCS#1 v1.5
    HmacSha256,          // RFC 2104
    HmacSha512,          // RFC 2104
    HmacSha512OfSha256,  // HMAC-SHA512 of the text's SHA-256
    Sha256,              // of the text, which has {key}
  };
  // The form in which the key's bytes are given: Base64 of `base64url:`, too.
  enum class KeyForm : std::uint8_t { Plain, Base64, Hex };

  wire::Tag tag = 0;                         // LogonSignature: the field of the signature
  bool is_hex = false;                       // false: base64; or base64url, see key
  Algorithm algorithm = Algorithm::Ed25519;  // see above
  std::vector<LogonTextPart> text{};         // what is signed
  std::string key{};                         // LogonKey: file:PATH and others; base64url: before it
  KeyForm key_form = KeyForm::Plain;         // LogonKey
  std::size_t key_line = 0;                  // of LogonKey, 1-based
  wire::Tag nonce_tag = 0;                   // LogonNonce: its field; 0: there is none
  std::vector<LogonTextPart> nonce{};        // LogonNonce: its value
};

// What one counterparty may use up. Above a limit "per second" the connection is closed.
struct SessionLimits {
  // MaxQueuedBytes: bytes that wait to be sent. Above this the counterparty is disconnected; 64 KiB
  // to 4 GB.
  std::uint32_t queued_bytes_max = 64U << 20U;
  // SlowConsumerTimeout: a counterparty that reads nothing for this time is disconnected; 1 s to
  // 3,600 s.
  std::chrono::seconds slow_consumer_timeout{60};
  // MaxMessageSize: a counterparty that sends a longer message is disconnected; 1 KiB to 64 MiB.
  std::uint32_t message_bytes_max = 1U << 20U;
  // MaxLogonSize. Acceptor: a connection whose Logon is longer is closed; 256 bytes to 1 MiB, and
  // at most message_bytes_max.
  std::uint32_t logon_bytes_max = 4'096;
  // Received garbled messages; 1 to 1,000,000. In a file MaxAdminMessagesPerSecond.
  std::uint32_t garbled_per_second_max = 1'000;
  // MaxAdminMessagesPerSecond: received administrative messages, without SequenceReset; 1 to
  // 1,000,000. A Logout is sent before the connection is closed.
  std::uint32_t admin_messages_per_second_max = 1'000;
  // Sent Rejects; 1 to 1,000,000. A Logout is sent before the connection is closed. In a file
  // MaxAdminMessagesPerSecond.
  std::uint32_t rejects_per_second_max = 1'000;
  // MaxResendsPerSecond: stored messages that are sent again within a second; 0: no limit. Above it
  // the resend pauses, and the connection stays open. One event loop can send about twice the
  // default, so repeated ResendRequests leave half of it to the other sessions.
  std::uint32_t resends_per_second_max = 500'000;
  // MaxResendAge: a message older than this is gap-filled instead of sent again, at most 31,536,000
  // s; 0: never.
  std::chrono::seconds resend_age_max{0};
  // Buffered messages that came out of order, in bytes, at most 1 GB. Messages above this are
  // requested again. In a file a quarter of MaxQueuedBytes.
  std::uint32_t out_of_order_bytes_max = 16U << 20U;
};

// One [SESSION], with [DEFAULT] merged under it.
struct SessionSettings {
  session::SessionConfig session;             // the identity and the rules of the session layer
  DictionarySettings dictionary;              // what received messages are checked against
  session::Schedule schedule;                 // StartTime, EndTime, ...: non-stop without them
  std::vector<transport::Endpoint> connect;   // initiator: tried in order, at least one
  std::optional<transport::Endpoint> accept;  // acceptor: where it listens
  std::size_t accept_port_line = 0;           // of SocketAcceptPort; 0: it is not given
  std::size_t accept_host_line = 0;           // of SocketAcceptHost; 0: it is not given
  std::size_t proxy_line = 0;                 // of UseTCPProxy or ProxyType; 0: it is not given
  // Null: plain TCP. The contexts of the endpoints are built from it when the engine starts. Most
  // sessions have none, and it is large.
  std::shared_ptr<const SessionTls> tls;
  // Initiator: null: our Logons are not signed.
  std::shared_ptr<const LogonSignature> logon_signature;
  // Made from it when the engine starts, and when a reload adds or changes the session.
  std::shared_ptr<LogonSigner> logon_signer;
  ReconnectSettings reconnect;     // initiator: when to connect
  AdmissionSettings admission;     // which connections may log on
  CredentialSettings credentials;  // acceptor: users and passwords
  SessionLimits limits;            // what the counterparty may use up
  ThrottleSettings throttle;       // how many messages it may send
  OutboundLimitSettings outbound;  // how many messages we send
  // InboundDelivery: when the store records that a message was processed.
  InboundDelivery inbound_delivery = InboundDelivery::AtLeastOnce;
  // JournalInbound: the journal, or PostgreSQL, keeps each received message that raises the next
  // inbound MsgSeqNum, in the record of its effect. Other stores refuse it.
  bool journals_inbound = false;
  std::size_t journals_inbound_line = 0;  // of JournalInbound; 0: it is not given
  // SendWhileLoggedOut. false: without a Logon send() fails, and no message is numbered or stored.
  bool sends_while_logged_out = true;
  // DisconnectNoticeDelay: on_disconnect() is called when the counterparty has not logged on again
  // within this time, 0 s to 86,400 s.
  std::chrono::seconds disconnect_notice_delay{0};
  LogSettings log{};  // where messages and events are logged
  // Acceptor: a pattern for the sessions that are created at a Logon, and no session itself. A
  // CompID of `*` stands for any.
  bool is_template = false;
  // ValidateLengthAndChecksum: whether an invalid BodyLength makes a message garbled. false: it is
  // accepted.
  bool validates_length = true;
  // ValidateLengthAndChecksum and ValidateChecksum: the same for an invalid CheckSum.
  bool validates_check_sum = true;
  // The application's own keys, by their names in lower case: Session::setting().
  std::map<std::string, std::string, std::less<>> application{};
  std::optional<std::uint32_t> event_loop{};  // EventLoop: 0 to 63; see Settings::event_loops
  std::size_t line = 0;                       // of its [SESSION], 1-based
};

// What the event loops' threads require from the machine. A start without it is refused.
struct ThreadSettings {
  // EventLoopCpu: one CPU for each event loop, in order, for run() and start(); empty: any. A
  // thread that calls poll() is pinned by its owner.
  std::vector<unsigned> cpus;
  std::size_t cpus_line = 0;  // of EventLoopCpu; 0: it is not given
  bool busy_spin = false;     // BusySpin: as EngineOptions::busy_spin
  // While events follow one another closely, a thread polls for this time before it sleeps; at most
  // 1 ms; 0, as with BusySpin=N: it sleeps at once. While the store makes records durable, it polls
  // for at least 200 µs. It has no effect on EngineOptions::network, nor without a CPU that no
  // event loop uses.
  std::chrono::microseconds busy_poll{50};
  bool lock_memory = false;  // LockMemory: of the whole process, from the start until its end
  std::size_t lock_memory_line = 0;  // of LockMemory; 0: it is not given
  // CoreDumps: true: as the system is set; false: a core dump of this process contains no memory.
  bool core_dumps = false;
  // Logons of new connections wait while timers are later than this; at most 60,000 ms; 0: never.
  // No key sets it.
  std::chrono::milliseconds logon_lateness_max{200};
};

// The ports for operators and for monitoring. A program that links nexusfix::web serves them.
struct WebSettings {
  std::optional<std::uint16_t> metrics_port{};      // MetricsPort; 0: any free port
  std::string metrics_host = "127.0.0.1";           // MetricsHost
  std::optional<std::uint16_t> console_port{};      // ConsolePort, HttpAcceptPort; 0: any free port
  std::optional<std::uint16_t> http_accept_port{};  // HttpAcceptPort; 0: none
  std::string console_host = "127.0.0.1";           // ConsoleHost
  std::vector<std::string> console_names{};         // ConsoleNames: besides its address
  bool allows_acts = false;                         // ConsoleActs: false: the console only shows
  // ConsoleCertificateFile and the keys after it; empty: the console has no TLS.
  std::string certificate_file{};
  std::string certificate_key_file{};  // ConsoleCertificateKeyFile; empty: in certificate_file
  // ConsoleAuthoritiesFile: of operators' certificates; empty: a token is asked for.
  std::string authorities_file{};
  // The line of the key that opens the port, 1-based; 0: there is none.
  std::size_t metrics_line = 0;
  std::size_t console_line = 0;  // see metrics_line
};

// One member of etcd.
struct EtcdEndpoint {
  std::string host;            // a name or an address, without brackets
  std::uint16_t port = 2'379;  // 1 to 65,535
  bool is_tls = false;         // https://
};

// The cluster that decides when the engine owns its log: docs/operations/cluster.md.
struct ClusterSettings {
  std::string shard{};                       // ClusterShard; empty: the engine is in no cluster
  std::string node{};                        // ClusterNode: this machine
  std::string name = "nexusfix";             // ClusterName
  std::vector<EtcdEndpoint> etcd{};          // ClusterEtcd; at least one with a shard
  std::chrono::seconds lease{5};             // ClusterLeaseSeconds: 2 s to 60 s
  std::chrono::milliseconds renewal{1'000};  // the time between two renewals
  // One member must answer within this time. All of them, with renewal, have at most half of lease.
  std::chrono::milliseconds request_timeout{500};
  // Files of PEM, for https. Authorities of etcd's certificate; empty: those of the system.
  std::string etcd_authorities_file{};  // ClusterEtcdAuthoritiesFile
  std::string etcd_certificate_file{};  // ClusterEtcdCertificateFile; empty: none
  std::string etcd_key_file{};          // ClusterEtcdKeyFile, of that certificate
  std::string etcd_user{};              // ClusterEtcdUser; empty: etcd has no users
  std::string etcd_password{};          // ClusterEtcdPassword
  std::size_t line = 0;                 // of ClusterShard; 0: not given
};

// A whole configuration. It owns everything that it has.
struct Settings {
  std::string file;  // the path, as it was given
  std::string text;  // of the file; empty if there is none: see Engine::reload()
  std::vector<SessionSettings> sessions;  // at least one
  StoreKind store = StoreKind::Journal;   // Store
  std::string store_folder;  // FileStorePath: the journal, or the position file of a database
  std::size_t store_folder_line = 0;  // of FileStorePath; 0: not given
  // ControlSocket: the path of the socket of nexusfix ctl. Empty: `control` in the folder of each
  // journal, and none with another store.
  std::string control_socket;
  store::Durability durability = store::Durability::Process;  // JournalDurability
  std::uint64_t segment_bytes = 64U << 20U;                   // of the journal; no key sets it
  // JournalStallTimeout: a session is disconnected when its bytes wait for the store longer than
  // this; 1 s to 3,600 s.
  std::chrono::seconds journal_stall_timeout{5};
  store::Retention journal_retention;  // JournalKeepBytes and the keys after it
  // With Durability::Process: MsgSeqNums of a session that may be used before the disk has the
  // first of them; 1 to 1,000,000,000. No key sets it.
  std::uint32_t numbers_ahead = 65'536;
  // EventLoops: threads, each with its own sessions and its own part of the store; 1 to 64, and 1
  // with PostgreSQL. A session belongs to the event loop that stores it; a new one to EventLoop, or
  // to the loop of its name's checksum.
  std::uint32_t event_loops = 1;
  ThreadSettings threads;  // what the threads of the event loops require
  WebSettings web{};       // the ports for operators and for monitoring
  // DynamicSessionsMax: sessions that may be created from templates while the engine runs, in
  // addition to those in the store; 0 to 50,000.
  std::uint32_t dynamic_sessions_max = 1'000;
  // MaxBufferedBytes: buffers of all sessions and connections: messages out of order, unsent bytes,
  // incomplete messages. Above this the largest user is disconnected. ≥ 1 MiB.
  std::uint64_t buffered_bytes_max = 512U << 20U;
  store::PostgresOptions postgres;  // PostgreSQLStore...
  ClusterSettings cluster{};        // which engine owns the log in the database
  // The queue of the logs, in bytes: a power of two, 64 KiB to 1 GiB; no key sets it.
  std::size_t log_queue_bytes = 8U << 20U;
  bool logs_unknown_sessions = true;  // LogMessageWhenSessionNotFound
  // Keys that are unknown, misspelt or not honoured, and what is done instead.
  std::vector<SettingsError> warnings;
};

// The name of an application's own key in SessionSettings::application: in lower case, without
// "Application.".
[[nodiscard]] std::string application_name(std::string_view key);

// Whether a warning reports a key that the engine does not know: most likely a misspelt one, or one
// that an earlier version knew. --strict refuses it.
[[nodiscard]] bool is_unknown_key(const SettingsError& warning) noexcept;

// The end of a warning that several lines cause and that names the first of them: the number of the
// others. Empty for one line.
[[nodiscard]] std::string others_text(const std::set<std::size_t>& lines);

// Builds the settings of a text; file_name: for errors. It reads no file, so a HolidayFile is an
// error. Any thread; allocates.
[[nodiscard]] std::expected<Settings, SettingsErrors> parse_settings(std::string_view text,
                                                                     std::string_view file_name);
// Reads a configuration file of at most 16 MiB, and the files of holidays that it names. Any
// thread; allocates, and blocks while it reads.
[[nodiscard]] std::expected<Settings, SettingsErrors> load_settings(Disk& disk,
                                                                    const std::string& path);

// The rule for names of users, in the configuration and in the password file.

// The longest valid name of a user, in bytes.
inline constexpr std::size_t kUsernameBytesMax = 64;

// Checks the name of a user. Empty: the name is valid. Otherwise what was expected; static
// lifetime.
[[nodiscard]] std::string_view username_error(std::string_view username) noexcept;

}  // namespace nexusfix::config
