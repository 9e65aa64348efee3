// The engine's inside: sessions, connections, one transaction at a time, one event loop.
//
// Every event of a session runs through transact(): the state machine gets the event, its actions
// are performed, and what they changed is appended to the store as one record. Bytes for sockets
// are queued meanwhile; flush() makes the records durable and only then sends them.
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/function_ref.hpp>
#include <nexusfix/engine/engine.hpp>
#include <nexusfix/observe/event_log.hpp>
#include <nexusfix/session/state_machine.hpp>
#include <nexusfix/store/journal.hpp>
#include <nexusfix/store/store.hpp>
#include <nexusfix/transport/network.hpp>
#include <nexusfix/transport/service_notifier.hpp>
#include <nexusfix/wire/parser.hpp>

#include "engine/acceptor/dynamic_names.hpp"
#include "engine/acceptor/pending_logons.hpp"
#include "engine/commit/disk_watch.hpp"
#include "engine/connection/connection.hpp"
#include "engine/connection/connection_table.hpp"
#include "engine/credentials/credentials.hpp"
#include "engine/inbox/mail_room.hpp"
#include "engine/loop/file_reader.hpp"
#include "engine/loop/punctuality.hpp"
#include "engine/loop/timer_queue.hpp"
#include "engine/loops/loop_directory.hpp"
#include "engine/loops/reload_round.hpp"
#include "engine/registry/reload_job.hpp"
#include "engine/registry/tls_contexts.hpp"
#include "engine/report/reporter.hpp"
#include "engine/sessions/sent_messages.hpp"
#include "engine/sessions/session_slot.hpp"
#include "engine/sessions/validators.hpp"
#include "engine/settings_names.hpp"

namespace nexusfix::engine {

// A resend waits while so much is unsent, so that a slow reader costs no memory. Less where
// MaxBufferedBytes is small or used up.
inline constexpr std::size_t kReplayUnsentBytesMax = 1U << 20U;

// What is kept for the answer to a Logon; above that it is only stored.
inline constexpr std::size_t kKeptBackBytesMax = 1U << 20U;

// What one callback may send in all; far below the largest record that a store takes.
inline constexpr std::size_t kTransactionBytesMax = 512U << 20U;

// Keys of handles of sessions that were made on trial; the store's are far below.
inline constexpr std::uint32_t kTrialKeysBegin = std::uint32_t{1} << 31U;

// All of them, one a line.
[[nodiscard]] EngineError to_error(const SettingsErrors& errors);

// Thrown out of an event that cannot be carried out: it is taken back as if the process had ended
// in it, and its connection is cut.
struct EventAborted {};

// Where in the stack the loop is.
enum class Phase : std::uint8_t {
  Idle,       // outside of events: what is sent is a record of its own
  Event,      // actions of a session are carried out
  Callback,   // the application's callback runs; what it sends is undone if it throws
  Observing,  // on_sending(), on_sent() or write_logon() runs: nothing may be sent
};

class Runtime {
 public:
  // What comes from outside, resolved: nothing is null but what is owned beside it.
  struct Seams {
    std::unique_ptr<transport::Network> owned_network;
    std::unique_ptr<transport::Network> proxied_network;  // over network as it was; may be null
    std::unique_ptr<transport::Network> tunnel_network;   // likewise, above that one
    std::unique_ptr<transport::Network> tls_network;      // likewise, above those
    Clock* clock = nullptr;
    Disk* disk = nullptr;
    std::shared_ptr<Disk> owned_disk;  // the same; null: it is the application's
    transport::Network* network = nullptr;
    std::optional<unsigned> cpu{};                  // for the thread of run()
    transport::ServiceNotifier* service = nullptr;  // null: nobody is told
    observe::EventLog* log = nullptr;
    bool is_standard_error = false;  // the log: nobody has given one
    Parts parts{};                   // what the application has linked
    std::uint32_t loop = 0;
    std::shared_ptr<LoopDirectory> directory;  // null: this is the only loop
    std::shared_ptr<BufferBudget> budget;      // null: the runtime makes one of its own
    std::shared_ptr<TlsContexts> tls;          // null: no session has TLS
    std::shared_ptr<Credentials> credentials;  // null: no session has a PasswordFile
  };

  Runtime(Seams seams, Callbacks callbacks, bool busy_spin);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // In front of all that makes something: whether the ports can be had.
  [[nodiscard]] std::expected<void, EngineError> could_listen(const Settings& settings) const;
  // Each once. What sessions need besides: dictionaries and logs. Then the rest, with the same
  // settings. The store may be opened in front of both: it knows the sessions that are its own.
  [[nodiscard]] std::expected<void, EngineError> prepare(Settings& settings);
  [[nodiscard]] std::expected<void, EngineError> open_store(const Settings& settings);
  [[nodiscard]] std::expected<void, EngineError> open(Settings settings);

  int run();
  // An operator can set numbers while run() does: a loop that waits for nothing else goes on, then.
  void take_commands_from_outside() noexcept { takes_commands_ = true; }
  bool poll(std::chrono::nanoseconds timeout);
  void request_stop() noexcept;
  void wake() noexcept { seams_.network->wake(); }
  [[nodiscard]] int descriptor() const noexcept { return seams_.network->descriptor(); }
  [[nodiscard]] MonoTime next_deadline() const;

  // For Session.
  [[nodiscard]] wire::Encoder begin_message(SessionSlot& slot, std::string_view msg_type) noexcept;
  SendResult finish_message(
      SessionSlot& slot, const std::expected<std::string_view, wire::EncodeError>& bytes) noexcept;
  [[nodiscard]] bool is_logged_on(const SessionSlot& slot) const noexcept;
  void log_out(SessionSlot& slot, std::string_view text);
  void log_on(SessionSlot& slot);
  void disconnect(SessionSlot& slot, std::string_view why);
  void reset(SessionSlot& slot, std::string_view text);
  [[nodiscard]] std::expected<void, std::string> set_next_numbers(SessionSlot& slot,
                                                                  session::Numbers numbers,
                                                                  std::string_view reason);
  void answer_logon(SessionSlot& slot, std::uint64_t logon_id, const LogonAnswer& answer);
  void write_logon(SessionSlot& slot, wire::Encoder& encoder,
                   const wire::MessageHeader& header) noexcept;
  [[nodiscard]] std::uint32_t loop() const noexcept { return seams_.loop; }
  [[nodiscard]] const std::shared_ptr<MailRoom>& mail_room() const noexcept { return mail_room_; }
  // The time of the event being handled, or the clock's when there is none.
  [[nodiscard]] Now now() noexcept;

  using Slots = std::vector<std::unique_ptr<SessionSlot>>;
  [[nodiscard]] Slots& slots() noexcept { return slots_; }
  [[nodiscard]] SessionSlot* find_slot(std::string_view name) noexcept;
  [[nodiscard]] std::expected<void, EngineError> add_sessions(Settings settings);
  void remove(SessionSlot& slot, std::string_view text);
  [[nodiscard]] std::expected<Reloaded, EngineError> reload();
  void request_reload() noexcept;
  [[nodiscard]] std::vector<PendingChange> pending_changes() const;
  // For ReloadRound: this loop's part in one. The first of all loops begins and ends it.
  void begin_reload(std::shared_ptr<ReloadOrder> order);  // null: the event log has the result
  void take_reload(ReloadJob& job);
  void end_reload(const std::shared_ptr<ReloadOrder>& order, ReloadResult done);
  [[nodiscard]] std::expected<void, EngineError> prepare_share(FreshShare share);
  [[nodiscard]] Reloaded commit_share() noexcept;
  void abort_reload() noexcept;
  void end_round(const ReloadRound* untold);  // null: somebody was told what came of it
  void close_unused_listeners();
  void report_certificates(const std::vector<TlsContexts::Reloaded>& reloaded);
  [[nodiscard]] std::uint16_t accept_port() const noexcept;
  void append_accept_endpoints(std::vector<transport::Endpoint>& endpoints) const;
  [[nodiscard]] const EngineStats& stats() const noexcept { return stats_; }
  [[nodiscard]] EngineLogs& logs() noexcept { return report_.logs(); }
  [[nodiscard]] BufferBudget& budget() noexcept { return *seams_.budget; }
  [[nodiscard]] store::Store& store() noexcept { return *store_; }
  [[nodiscard]] const Callbacks& callbacks() const noexcept { return callbacks_; }

 private:
  struct Listener {
    transport::Endpoint endpoint;
    transport::SocketId socket = 0;            // 0: closed, because no session is left that uses it
    bool is_elsewhere = false;                 // another loop listens, and hands over
    std::unique_ptr<LoopTask> close_unused{};  // for the one that does
    bool is_kept = false;                      // for sessions of a reload that is not decided
    bool is_leaving = false;                   // nobody will use it when that is carried out
    bool is_displaced = false;  // closed before that, in favour of an address of its port
    std::uint16_t port = 0;
    std::chrono::seconds logon_timeout{0};   // the longest of its sessions
    transport::AllowList allowed{};          // all of its sessions' together
    PendingLogons::Limits pending_limits{};  // the largest of its sessions
    std::uint32_t logon_bytes_max = 0;       // likewise
    PendingLogons pending{};
  };

  // One session's numbers before a callback, to go back to if the callback throws.
  struct Touched {
    SessionSlot* slot = nullptr;
    std::uint64_t next_outbound = 0;
    std::size_t outbound_size = 0;
    std::size_t behind_size = 0;
    std::size_t kept_back_size = 0;
    std::uint64_t left_to_resend = 0;
  };

  // open.cpp
  [[nodiscard]] std::expected<void, EngineError> open_postgres_store(const Settings& settings);
  [[nodiscard]] std::expected<void, EngineError> open_sessions(Settings& settings);
  [[nodiscard]] std::expected<void, EngineError> open_listeners(const std::string& file);
  [[nodiscard]] std::expected<void, EngineError> recover_application();
  void report_power_loss(const store::JournalReport& found, const std::string& folder);

  // former_names.cpp
  [[nodiscard]] store::StoreResult<void> adopt_former_names(
      std::span<const SessionSettings> sessions);

  // membership.cpp
  [[nodiscard]] std::expected<void, EngineError> make_parsers(Settings& settings);
  void take_dictionaries(const InDictionaries& found);
  [[nodiscard]] std::expected<void, EngineError> read_what_is_named(Settings& settings);
  [[nodiscard]] store::StoreResult<SessionSlot*> make_slot(SessionSettings settings);
  [[nodiscard]] store::StoreResult<SessionSlot*> make_slot_out(SessionSettings settings);
  [[nodiscard]] SessionSlot* add_slot(SessionSettings settings, session::Numbers numbers);
  void give_key(SessionSlot& slot, store::SessionKey key);
  void note_rules(const SessionSettings& settings) noexcept;
  void put_in(SessionSlot& slot);
  [[nodiscard]] std::expected<std::size_t, EngineError> listen_for(const SessionSettings& settings,
                                                                   const std::string& file);
  struct Template {
    SessionSettings settings;
    std::size_t listener = 0;
    std::shared_ptr<const std::string> origin{};  // as SessionSlot::origin
  };
  // That are made, and let nobody in before they are admitted.
  struct NewSessions {
    std::vector<SessionSlot*> slots;
    std::vector<Template> templates;
  };
  [[nodiscard]] std::optional<EngineError> what_hinders(const Settings& settings) const;
  [[nodiscard]] std::expected<NewSessions, EngineError> make_sessions(Settings settings,
                                                                      const InDictionaries* read);
  [[nodiscard]] std::expected<void, EngineError> make_session(SessionSettings settings,
                                                              const std::string& file,
                                                              NewSessions& made);
  void admit(SessionSlot& slot);
  void begin_dynamic(SessionSlot& slot, const Connection& connection, const Template& made_of);
  // trials.cpp
  [[nodiscard]] bool has_dynamic_place(const Connection& connection, const std::string& name);
  [[nodiscard]] store::StoreResult<SessionSlot*> make_trial(SessionSettings settings);
  void end_trial(SessionSlot& slot, std::string_view answer);
  void note_trial(SessionSlot& slot);
  void log_received(SessionSlot& slot, std::string_view frame);
  void log_trial(SessionSlot& slot);
  [[nodiscard]] session::Numbers stored_numbers(const SessionSlot& slot) const noexcept;
  [[nodiscard]] SessionSlot* slot_of(std::uint32_t handle_key) const noexcept;
  void admit(Template& one);
  void drop(std::size_t index) noexcept;  // of templates_
  void take_away(NewSessions& made) noexcept;
  [[nodiscard]] const Template* template_for(const Connection& connection,
                                             const session::SessionId& id);
  [[nodiscard]] SessionSlot* make_dynamic(const Connection& connection,
                                          const session::SessionId& id);
  void bury_leaving();
  void bury_closed() noexcept;
  void bury(SessionSlot& slot);
  [[nodiscard]] std::string_view difference_from(const transport::Endpoint& used,
                                                 const transport::Endpoint& wanted) const;
  [[nodiscard]] std::expected<void, transport::NetworkError> open_listener(
      Listener& listener, const transport::Endpoint& wanted);
  void close_listener(Listener& listener);
  [[nodiscard]] bool displace_for(const transport::Endpoint& wanted) noexcept;
  void open_displaced() noexcept;
  [[nodiscard]] bool is_used(std::size_t listener) const;

  // changed_sessions.cpp
  struct ReloadPlan;
  class TextsRead;
  // A session that stays, or comes back, with other keys.
  struct Change {
    SessionSlot* slot = nullptr;
    std::optional<SessionSettings> at_once;  // if it is connected; nothing: no such values
    std::unique_ptr<SessionSettings> whole;  // if it is not; null: only its texts are others
    std::optional<std::size_t> listener;     // another one than before
    SessionSlot::Texts texts;                // when whole counts
    ChangedKeys keys;
    PendingKeys pending;  // when whole counts
  };
  struct TemplateChange {
    std::size_t index = 0;  // of templates_
    SessionSettings settings;
    std::vector<std::string> keys;
  };
  void plan_changes(ReloadPlan& plan);
  [[nodiscard]] std::optional<Change> change_of(SessionSlot& slot, const ReloadPlan& plan,
                                                TextsRead& texts);
  [[nodiscard]] bool lacks_for(const SessionSettings& settings) const noexcept;
  [[nodiscard]] static bool names_other_dictionaries(const ReloadPlan& plan) noexcept;
  [[nodiscard]] static bool has_moved(const Change& change) noexcept;
  [[nodiscard]] std::expected<void, EngineError> listen_for_changes(ReloadPlan& plan);
  void carry_out(Change& change);
  [[nodiscard]] session::SessionConfig with_callbacks(SessionSlot& slot) const;  // open.cpp
  void take_settings(SessionSlot& slot, SessionSettings settings);
  void take_next_settings();
  void take_next_settings(SessionSlot& slot);
  void forget_pending(SessionSlot& slot) noexcept;
  void refresh_listeners(const ReloadPlan& plan);
  void report_changes(const ReloadPlan& plan);
  void report_pending();
  void tell_pending() noexcept;

  // reload.cpp
  struct ReloadPlan {
    Settings fresh;
    Settings added;
    InDictionaries dictionaries;
    std::set<std::string, std::less<>> names;  // of all sessions in the file
    std::vector<SessionSlot*> back;
    std::vector<SessionSlot*> out;
    // From here on: what is prepared, and how far it was carried out.
    std::shared_ptr<const std::string> text;
    NewSessions made{};
    std::size_t made_done = 0;
    std::size_t templates_done = 0;
    std::size_t back_done = 0;
    std::size_t out_done = 0;
    Reloaded reloaded{};
    std::vector<Change> changes{};
    std::vector<TemplateChange> template_changes{};
    std::size_t changes_done = 0;
    std::size_t template_changes_done = 0;
    bool is_decided = false;  // to be carried out, whatever comes
  };
  [[nodiscard]] std::shared_ptr<ReloadJob> make_reload_job(
      std::shared_ptr<ReloadOrder> order) const;
  [[nodiscard]] ReloadResult take_over(ReloadJob::Found found);
  [[nodiscard]] std::expected<ReloadPlan, EngineError> plan_reload(FreshShare fresh) const;
  [[nodiscard]] std::expected<void, EngineError> prepare_reload(FreshShare fresh);
  void serve_files();
  [[nodiscard]] std::expected<void, EngineError> keep_listeners(const ReloadPlan& plan);
  [[nodiscard]] static bool keeps(const Template& one, const Settings& fresh);
  void note_leaving_listeners(const ReloadPlan& plan);
  void commit_reload();
  void carry_out_reload();
  void reload_as_requested();
  void report_reload(const ReloadResult& done);
  [[nodiscard]] bool has_template(const SessionSettings& settings) const;
  void drop_templates(const Settings& fresh);
  void take_out(SessionSlot& slot);
  void take_back(SessionSlot& slot);

  // handing_over.cpp
  [[nodiscard]] std::optional<std::uint32_t> other_loop_of(const wire::MessageView& logon);
  [[nodiscard]] bool is_of_another_loop(Connection& connection, const wire::MessageView& logon);
  void hand_over(Connection& connection, std::string_view rest);
  void take_arrived();
  void attach(LoopDirectory::HandedOver handed, transport::SocketId& attached);

  // memory.cpp
  void give_up(SessionSlot& slot) noexcept;
  void give_up_event(SessionSlot& slot) noexcept;
  void give_up(const transport::Ready& ready) noexcept;
  void give_up(Connection& connection) noexcept;
  void cut_given_up();
  void reserve_for_connections();
  // False: there was no memory for it.
  template <class Step>
  bool with_memory(Step&& step) {
    try {
      step();
      return true;
    } catch (const std::bad_alloc&) {
      report_.memory_failed();
      return false;
    }
  }

  // admission.cpp
  void note_punctuality(MonoTime due);
  [[nodiscard]] bool holds_back(Connection& connection, const wire::MessageView& logon);
  [[nodiscard]] bool admits_held_back(Connection& connection);

  // authentication.cpp
  [[nodiscard]] const SessionSettings* acceptor_settings(const Connection& connection,
                                                         const wire::MessageView& logon);
  [[nodiscard]] bool waits_for_credentials(Connection& connection, const wire::MessageView& logon);
  void take_credentials();
  [[nodiscard]] bool changes_password(SessionSlot& slot, LogonAnswer& answer);
  void take_changed_password(Connection* connection, const Credentials::Verdict& verdict);

  // runtime.cpp
  void handle(const transport::Ready& ready);
  void run_timers();
  void on_timer(Connection& connection);
  void on_timer(SessionSlot& slot);
  void run_session_timers(SessionSlot& slot);
  void begin_stop();
  [[nodiscard]] bool turn(std::chrono::nanoseconds timeout);
  [[nodiscard]] bool finished();
  [[nodiscard]] bool waits_for_disk() const noexcept;
  void end_events();
  void flush();
  void fail_store(const store::StoreError& error);
  void tell_store_failure(SessionSlot& slot);
  void look_after_store();
  void look_after_surroundings();
  void look_for_stall(store::LogPosition durable);
  void look_for_slow_disk();
  [[nodiscard]] bool has_room_for(std::size_t message_bytes);
  void wake_at(MonoTime deadline) noexcept;
  void arm(SessionSlot& slot, MonoTime deadline) { session_timers_.arm(slot, deadline); }
  void arm(Connection& connection, MonoTime deadline) {
    connection_timers_.arm(connection, deadline);
  }
  [[nodiscard]] MonoTime first_timer() const noexcept;

  // buffers.cpp
  [[nodiscard]] static std::size_t buffered(const Connection& connection) noexcept;
  [[nodiscard]] std::size_t replay_bytes_max() const noexcept;
  [[nodiscard]] bool may_grow(Connection& connection, std::size_t bytes, std::size_t storage);
  // False: the connection is cut instead.
  [[nodiscard]] bool push(Connection& connection, OutboundQueue& queue, std::string_view bytes) {
    if (const std::size_t storage = queue.storage_for(bytes.size()); storage != 0) [[unlikely]] {
      if (!may_grow(connection, storage - queue.storage(), storage)) return false;
    }
    queue.push(bytes);
    return true;
  }
  [[nodiscard]] bool carry(Connection& connection, std::string_view bytes, std::size_t needed);
  [[nodiscard]] Connection* largest_connection();
  void cut_largest(Connection& connection);
  void cut_if_asked();
  void look_after_buffers();

  // certificates.cpp
  void look_after_certificates();
  void report_expiries();

  // spinning.cpp
  [[nodiscard]] bool receive_directly();

  // accepting.cpp
  void on_accepted(const transport::Ready& ready);
  void on_announced(Connection& connection);
  [[nodiscard]] bool may_connect(const Listener& listener, std::string_view peer_name);
  [[nodiscard]] Connection* await_logon(Listener& listener, transport::SocketId socket,
                                        const std::string& peer);
  [[nodiscard]] bool find_place(Listener& listener, transport::Source source,
                                const std::string& peer);
  void await_among(Listener& listener, transport::Source source, Connection& connection);
  void leave_pending(Connection& connection) noexcept;
  void displace(transport::SocketId oldest);
  void make_room();
  void look_after_refused();

  // connections.cpp
  void on_connected(Connection& connection);
  void on_readable(Connection& connection);
  void take_received(Connection& connection, transport::IoResult result);
  void on_received(Connection& connection, transport::IoResult result);
  [[nodiscard]] bool listens(const Connection& connection) const noexcept;
  void take_bytes(Connection& connection, std::string_view bytes);
  [[nodiscard]] std::size_t complete_carried(Connection& connection, std::string_view bytes);
  // False: the message may not be taken yet; nothing has happened.
  [[nodiscard]] bool take_scanned(Connection& connection, wire::FrameResult& frame,
                                  std::string_view bytes);
  [[nodiscard]] bool take_frame(Connection& connection, wire::FrameResult& scanned,
                                std::string_view bytes);
  [[nodiscard]] std::expected<wire::MessageView, wire::ParseError> parse_repaired(
      const Connection& connection, wire::GarbledReason reason, std::string_view& frame);
  [[nodiscard]] bool must_wait(Connection& connection, const wire::MessageView& message);
  void resume(Connection& connection);
  void on_paused_readable(Connection& connection);
  void take_delayed(Connection& connection);
  void take_garbled(Connection& connection, wire::GarbledReason reason, std::string_view bytes);
  [[nodiscard]] bool bind(Connection& connection, const wire::MessageView& logon);
  [[nodiscard]] SessionSlot* find_acceptor(const Connection& connection,
                                           const wire::MessageView& logon);
  [[nodiscard]] SessionSlot* known_acceptor(const session::SessionId& id);
  [[nodiscard]] std::string why_unknown(const wire::MessageView& logon) const;
  [[nodiscard]] static bool may_come_from(const SessionSettings& settings,
                                          std::string_view peer_name);
  [[nodiscard]] static std::optional<session::SessionId> id_of(const wire::MessageView& logon);
  [[nodiscard]] static session::SessionId without_sub_ids(const session::SessionId& id);
  // ", TLSv1.3, ..." behind what is said of a connection; empty: it is plain.
  [[nodiscard]] std::string protection_of(const Connection& connection) const;
  // What is wrong with the certificate that the other side has shown, for this session; empty:
  // nothing.
  [[nodiscard]] std::string certificate_fault(const Connection& connection,
                                              const SessionSettings& settings) const;
  void refuse(Connection& connection, EventId id, std::string_view why);
  void send_waiting(Connection& connection);
  void block(Connection& connection);
  void end_slow_consumer(Connection& connection);
  void close(Connection& connection);  // without an event
  void close(Connection& connection, EventId id, std::string_view why);
  void mark_unsent(Connection& connection);
  void enforce_outbound_limit(Connection& connection);
  void connect(SessionSlot& slot);

  // floods.cpp
  void note_administrative(SessionSlot& slot, const wire::MessageView& message);
  void note_reject(SessionSlot& slot);
  void end_flood(SessionSlot& slot, const std::string& why);

  // mail.cpp
  void take_mail();
  void take_letters();
  void apply_or_defer(SessionSlot& slot);
  void cut(SessionSlot& slot, std::string_view why);

  // schedules.cpp
  void follow_schedule(SessionSlot& slot);
  void end_session(SessionSlot& slot, std::chrono::sys_seconds ended_at);
  void close_for_logons(SessionSlot& slot);
  void open_for_logons(SessionSlot& slot);

  // sending.cpp
  [[nodiscard]] wire::Encoder begin_in_buffer(SessionSlot& slot,
                                              std::string_view msg_type) noexcept;
  [[nodiscard]] std::optional<SendFailure> obstacle(std::size_t bytes) noexcept;
  [[nodiscard]] wire::Tag repeated_id(std::string_view bytes);
  [[nodiscard]] std::expected<bool, SendError> examine(const SessionSlot& slot,
                                                       std::string_view bytes) noexcept;
  [[nodiscard]] bool was_encoded_here(std::string_view bytes) const noexcept;
  [[nodiscard]] bool is_harmless(const SessionSlot& slot, std::string_view bytes) const noexcept;
  [[nodiscard]] bool is_secret(const SessionSlot& slot, std::string_view bytes);
  [[nodiscard]] bool has_secret(const SessionSlot& slot, std::string_view bytes);
  [[nodiscard]] bool is_edit_secret(const SessionSlot& slot, std::string_view edited);
  [[nodiscard]] std::expected<std::string_view, SendError> offer(SessionSlot& slot,
                                                                 std::string_view bytes,
                                                                 std::uint64_t msg_seq_num,
                                                                 bool is_resend) noexcept;
  SendResult send_message(SessionSlot& slot,
                          const std::expected<std::string_view, wire::EncodeError>& bytes) noexcept;
  void note_sent(SessionSlot& slot, SentMessage::Kind kind, std::uint64_t msg_seq_num,
                 std::string_view bytes, bool is_transmitted = true);
  void notify_sent() noexcept;
  void record_outbound(SessionSlot& slot, std::uint64_t msg_seq_num, std::string_view bytes,
                       bool is_resendable);
  void queue_bytes(SessionSlot& slot, std::string_view bytes);
  void report_kept_back_lost(SessionSlot& slot);
  void keep_back(SessionSlot& slot, std::string_view bytes);
  void transmit(SessionSlot& slot, std::string_view bytes);

  // resends.cpp
  void serve_replays();
  void serve_replay(SessionSlot& slot);
  [[nodiscard]] bool has_fetched(SessionSlot& slot);
  void finish_replay(SessionSlot& slot);
  [[nodiscard]] std::uint64_t resends_now_max(SessionSlot& slot);
  void replay_message(SessionSlot& slot, std::uint64_t msg_seq_num, std::string_view bytes);

  // held_messages.cpp
  void feed_held(SessionSlot& slot);
  void feed_due(SessionSlot& slot);
  [[nodiscard]] bool ask_for_held_lost(SessionSlot& slot);
  void discard_held(SessionSlot& slot, std::uint64_t begin, std::uint64_t end,
                    std::string_view why);
  static void forget_held(SessionSlot& slot) noexcept;
  void perform(SessionSlot& slot, const session::BufferOutOfOrder& action);
  void perform(SessionSlot& slot, const session::DiscardOutOfOrder& action);

  // sessions.cpp
  using Event = FunctionRef<void(session::StateMachine&)>;
  void transact(SessionSlot& slot, Event event);
  void carry_out(SessionSlot& slot, Event event);
  void take_actions(SessionSlot& slot);
  void carry_out_command(SessionSlot& slot);
  void take_commands();
  void append_transaction();
  void note_progress(SessionSlot& slot);
  [[nodiscard]] bool record_before_delivery(SessionSlot& slot, std::uint64_t msg_seq_num);
  void decide_logon(SessionSlot& slot);
  void feed_decided();
  void perform(SessionSlot& slot, const session::Transmit& action);
  void perform(SessionSlot& slot, const session::Retransmit& action);
  void perform(SessionSlot& slot, const session::Deliver& action);
  void perform(SessionSlot& slot, const session::Administrative& action);
  void perform(SessionSlot& slot, const session::AskResend& action);
  void perform(SessionSlot& slot, const session::Replay& action);
  void perform(SessionSlot& slot, const session::Reset& action);
  void perform(SessionSlot& slot, const session::Release& action);
  void perform(SessionSlot& slot, const session::Authenticate& action);
  void perform(SessionSlot& slot, const session::LoggedOn& action);
  void perform(SessionSlot& slot, const session::LoggedOut& action);
  void perform(SessionSlot& slot, const session::Disconnect& action);
  void perform(SessionSlot& slot, const session::Notice& action);
  // Runs a callback; if it throws, undoes what it sent and returns false.
  [[nodiscard]] bool run_callback(SessionSlot& slot, FunctionRef<void()> callback);
  [[nodiscard]] std::optional<std::string> failure_of(FunctionRef<void()> callback) noexcept;
  void close_soon(Connection& connection);
  void note_disconnection(SessionSlot& slot);
  void stop_for_operator(SessionSlot& slot, const session::Notice& notice);
  void end_halt(SessionSlot& slot);
  [[nodiscard]] bool may_connect(const SessionSlot& slot) const noexcept;
  [[nodiscard]] bool waits_for_operator() const noexcept;
  void tell_disconnection(SessionSlot& slot);
  void touch(SessionSlot& slot);
  void undo_touched(std::size_t first, store::Transaction::Mark mark) noexcept;
  static void undo(const Touched& before) noexcept;

  void report_all(const std::vector<SettingsError>& warnings);

  Seams seams_;
  Reporter report_;
  Callbacks callbacks_;
  bool busy_spin_ = false;
  bool is_running_ = false;  // within run()
  bool takes_commands_ = false;
  unsigned turns_unasked_ = 0;  // since the network was asked, when connections are asked directly
  std::size_t next_asked_ = 0;  // of these connections
  Now now_{};
  MonoTime next_timer_ = kNever;                // of the engine itself
  MonoTime certificates_at_ = MonoTime::min();  // when to look how long they are still good
  TimerQueue<SessionSlot> session_timers_;
  TimerQueue<Connection> connection_timers_;
  bool connections_left_ = false;  // of those that were due
  Punctuality punctuality_;
  Standstill standstill_;
  bool logons_wait_ = false;         // since it was said
  unsigned admitted_this_turn_ = 0;  // of those that waited
  std::vector<SessionSlot*> due_sessions_;
  std::vector<Connection*> due_connections_;

  std::unique_ptr<store::Store> store_;
  bool refuses_messages_ = false;              // for want of room on the disk
  std::chrono::nanoseconds stall_timeout_{0};  // 0: a store that never lags behind
  store::LogPosition stalled_at_ = 0;          // durable() stands here
  MonoTime stalled_until_ = kNever;            // how long it may
  DiskWatch disk_watch_;
  store::Transaction transaction_;
  Phase phase_ = Phase::Idle;
  std::vector<Touched> touched_;
  std::size_t touched_first_ = 0;                  // where the running callback's entries begin
  std::vector<Connection*> in_event_connections_;  // that got bytes in this event
  std::vector<SessionSlot*> deferred_;             // with commands of another session's callback

  Slots slots_;
  std::map<std::string, SessionSlot*, std::less<>> slots_by_name_;
  std::map<std::string, SessionSlot*, std::less<>> acceptors_;  // by the name a Logon gives them
  std::map<std::string, std::string, std::less<>> refused_sessions_;  // by the store, and why
  // Sessions that may not be those that the store has by their names, and why.
  std::map<std::string, std::string, std::less<>> doubtful_names_;
  std::vector<SessionSlot*> slots_by_key_;  // null: of no session that is open
  std::vector<SessionSlot*> leaving_;
  std::vector<Template> templates_;  // of sessions that are made when somebody logs on
  DynamicNames dynamic_names_{{}};
  std::map<std::uint32_t, SessionSlot*> trials_;  // by handle key: those made on trial
  std::uint32_t next_trial_ = kTrialKeysBegin;
  std::vector<Listener> listeners_;
  ConnectionTable connections_;
  Connection* receiving_ = nullptr;  // whose bytes are being taken: views into them are in use
  bool has_large_buffers_ = false;   // or may have: they are to be given back when they are empty
  MonoTime buffers_at_ = MonoTime::min();            // when to look next
  std::uint64_t buffered_most_ = 0;                  // since the heap was given back last
  bool keeps_heap_ = false;                          // LockMemory
  std::vector<std::unique_ptr<Connection>> closed_;  // kept until the turn ends
  std::vector<Connection*> unsent_;                  // connections with bytes to send
  std::vector<Connection*> sending_;                 // the same, while they are being sent
  std::vector<SessionSlot*> decided_;                // whose Logon was: what they held is due
  std::vector<SessionSlot*> replaying_;              // that send again what was stored
  bool replay_ready_ = false;                        // a resend can go on without waiting
  bool replay_fetches_ = false;  // one waits for the store, which wakes the loop

  wire::DataFieldTable data_fields_ = wire::DataFieldTable::standard();
  wire::Parser parser_;
  wire::FrameLimits limits_;
  bool takes_unsound_ = false;  // a session has ValidateLengthAndChecksum=N, or ValidateChecksum=N
  std::string repaired_;        // such a message, with what was wrong made right
  std::vector<char> receive_buffer_;
  std::vector<char> encode_buffer_;
  std::vector<char> action_buffer_;
  SessionSlot* begun_ = nullptr;     // whose message is being encoded
  bool begun_has_password_ = false;  // set while it is encoded
  struct StoredMessage {
    std::uint64_t msg_seq_num = 0;
    std::size_t begin = 0;
    std::size_t size = 0;
  };
  std::uint64_t replay_serial_ = 0;
  std::vector<StoredMessage> replay_slice_;  // what is being sent again, and the bytes of it all
  std::string replay_bytes_;
  // For messages that the application looks at before they go out.
  wire::Parser sending_parser_;
  wire::FieldEdits edits_;
  std::vector<char> edited_buffer_;
  SentMessages sent_;  // of the event
  std::vector<transport::Ready> ready_;
  EngineStats stats_;
  std::uint64_t refused_counted_ = 0;       // of those that the network closed
  MonoTime short_until_ = MonoTime::min();  // there was no room for them; then it is looked anew

  std::shared_ptr<MailRoom> mail_room_;
  std::string settings_file_;                         // empty: the engine was not opened with one
  std::shared_ptr<const std::string> settings_text_;  // of the file, as it was taken over last
  bool listens_by_file_ = false;                      // in a reload: all of a port are alike
  std::vector<SessionSlot*> with_next_settings_;      // with settings for their next Logon
  FileReader files_;
  bool is_round_on_ = false;  // from the reading of its files on; the first loop's
  std::vector<std::shared_ptr<ReloadOrder>> orders_;  // behind that; null: see reload_all()
  std::unique_ptr<ReloadPlan> reload_plan_;           // prepared, or not carried out in full
  // Something of it is to be done in the next turn.
  static constexpr unsigned kReloadRequested = 1;
  static constexpr unsigned kReloadUnfinished = 2;  // for want of memory
  std::atomic<unsigned> reload_wanted_{0};
  std::atomic<bool> stop_requested_{false};
  bool stopping_ = false;
  MonoTime stop_by_ = kNever;          // nothing is waited for any longer
  store::LogPosition flushed_to_ = 0;  // what was appended before the last flush()
  bool is_settled_ = false;            // all of that was durable then
  bool store_failed_ = false;
  bool is_given_up_ = false;  // a session or more
};

}  // namespace nexusfix::engine
