// Starting: the store, what the application had in memory, the sessions, the ports. Nothing is
// served and nothing is sent before all of it has succeeded.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/store/memory_store.hpp>
#include <nexusfix/wire/isa.hpp>

#include "engine/loop/runtime.hpp"
#include "engine/loops/loop_partition.hpp"
#include "engine/preflight/missing_parts.hpp"

namespace nexusfix::engine {
namespace {

// What one connection may say within a turn: a session that floods us has the others wait no longer
// than its messages in here take.
constexpr std::size_t kReceiveBytes = 16U << 10U;
constexpr std::size_t kEventsPerTurn = 256;
// One message more than what a callback may send, with its entry's head.
constexpr std::uint32_t kRecordBytesMax = kTransactionBytesMax + (2U << 20U);
// What a stored message may grow by when it is sent again: 43=Y, 122 and a longer BodyLength.
constexpr std::size_t kResendGrowthBytes = session::StateMachine::kScratchBytes;

std::string describe(const store::JournalReport& report, const std::string& folder) {
  const auto counted = [](std::uint64_t count, std::string_view what) {
    return std::to_string(count) + ' ' + std::string{what} + (count == 1 ? "" : "s");
  };
  return "journal " + folder + ": " + counted(report.records, "record") + ", " +
         counted(report.messages, "message") + ", " + counted(report.bytes, "byte");
}

bool is_of_session_layer(std::string_view msg_type) {
  return msg_type.size() == 1 && ((msg_type[0] >= '0' && msg_type[0] <= '5') || msg_type[0] == 'A');
}

// What the application wants to know of, or to write into, this session's Logons.
session::SessionConfig with_callbacks_of(const Callbacks& callbacks, SessionSlot& slot) {
  session::SessionConfig config = slot.settings.session;
  config.logon.authenticates =
      callbacks.on_logon_request != nullptr || !slot.settings.credentials.password_file.empty();
  // A sender whom the application has not accepted yet gets no answer, and uses up no number.
  config.logon.answers_invalid = callbacks.on_logon_request == nullptr;
  config.resend.asks_before = callbacks.on_resend_request != nullptr;
  config.shows_administrative = callbacks.on_admin != nullptr;
  if (callbacks.write_logon == nullptr) return config;
  config.logon.writer = {
      &slot, [](void* context, wire::Encoder& encoder, const wire::MessageHeader& header) noexcept {
        auto& of = *static_cast<SessionSlot*>(context);
        of.runtime->write_logon(of, encoder, header);
      }};
  return config;
}

}  // namespace

SessionSlot::SessionSlot(Runtime& runtime, SessionSettings session_settings,
                         session::Numbers numbers)
    : settings{std::move(session_settings)},
      name{settings.session.id.to_string()},
      runtime{&runtime},
      machine{with_callbacks_of(runtime.callbacks(), *this), numbers},
      session{runtime, *this},
      has_sub_ids{settings.session.id.has_sub_ids()},
      keeps_masked_out{!settings.log.masked.empty() && !settings.log.stores_masked},
      inbound_recorded{numbers.next_inbound},
      throttle{settings.throttle.messages_max, settings.throttle.interval} {
  for (OutboundQueue* queue : {&behind_replay, &kept_back}) queue->count_in(runtime.budget());
  held_bytes.count_in(runtime.budget());
}

session::SessionConfig Runtime::with_callbacks(SessionSlot& slot) const {
  return with_callbacks_of(callbacks_, slot);
}

Runtime::Runtime(Seams seams, Callbacks callbacks, bool busy_spin)
    : seams_{std::move(seams)},
      report_{*seams_.log, seams_.is_standard_error, now_, next_timer_},
      callbacks_{callbacks},
      busy_spin_{busy_spin},
      now_{seams_.clock->now()},
      receive_buffer_(kReceiveBytes),
      encode_buffer_(limits_.message_bytes_max),
      action_buffer_(limits_.message_bytes_max + kResendGrowthBytes),
      edited_buffer_(callbacks.on_sending != nullptr ? limits_.message_bytes_max : 0),
      ready_(kEventsPerTurn),
      mail_room_{std::make_shared<MailRoom>(*seams_.network)},
      files_{*seams_.disk, seams_.owned_disk, *seams_.network} {
  if (!seams_.budget) seams_.budget = std::make_shared<BufferBudget>(Settings{}.buffered_bytes_max);
  if (seams_.directory) seams_.directory->add_loop(loop(), *seams_.network);
  if (seams_.credentials) seams_.credentials->add_loop(loop(), *seams_.network);
}

Runtime::~Runtime() {
  if (seams_.directory) seams_.directory->remove_loop(loop());
  if (seams_.credentials) seams_.credentials->remove_loop(loop());
  mail_room_->close();
  for (const auto& [socket, connection] : connections_) seams_.network->close(socket);
  for (const Listener& listener : listeners_) seams_.network->close(listener.socket);
  // In order, so that a start of the machine after it is no loss of power. A failure has no
  // consequence but that it will be taken for one.
  if (store_ && !store_failed_) static_cast<void>(store_->close());
}

std::expected<void, EngineError> Runtime::prepare(Settings& settings) {
  if (const auto isa = wire::selected_isa(); !isa) {
    const bool unknown = isa.error().code == wire::IsaErrorCode::Unknown;
    return std::unexpected{EngineError{
        std::string{"NEXUSFIX_FORCE_ISA: "} +
        (unknown ? "not the name of a kernel of this build" : "this CPU cannot run that kernel") +
        "; one of these was expected: " + std::string{wire::known_isas()}}};
  }
  if (auto done = make_parsers(settings); !done) return done;
  if (auto opened = report_.logs().open(*seams_.disk, settings, data_fields_, loop(), now_.wall);
      !opened) {
    return std::unexpected{EngineError{std::move(opened.error())}};
  }
  return {};
}

std::expected<void, EngineError> Runtime::open(Settings settings) {
  if (auto adopted = adopt_former_names(settings.sessions); !adopted) {
    return std::unexpected{EngineError{std::move(adopted.error().text)}};
  }
  if (auto done = recover_application(); !done) return done;
  punctuality_ = Punctuality{settings.threads.logon_lateness_max};
  keeps_heap_ = settings.threads.lock_memory;
  if (!settings.text.empty()) {
    settings_file_ = settings.file;
    settings_text_ = std::make_shared<const std::string>(std::move(settings.text));
  }
  if (seams_.directory) {
    for (std::size_t key = 0; key < store_->session_count(); ++key) {
      static_cast<void>(seams_.directory->settle(
          store_->session_name(static_cast<store::SessionKey>(key)), loop()));
    }
  }
  if (auto done = open_sessions(settings); !done) return done;
  return open_listeners(settings.file);
}

std::expected<void, EngineError> Runtime::open_store(const Settings& settings) {
  if (settings.store == StoreKind::Memory) {
    store_ = store::make_memory_store(kRecordBytesMax);
    return {};
  }
  if (settings.store == StoreKind::PostgreSQL) return open_postgres_store(settings);
  store::JournalOptions options;
  options.folder = folder_of_loop(settings.store_folder, loop());
  options.durability = settings.durability;
  options.segment_bytes = settings.segment_bytes;
  options.record_bytes_max = kRecordBytesMax;
  options.group_wait = settings.journal_group_wait;
  options.numbers_ahead_max = settings.journal_numbers_ahead;
  options.retention = settings.journal_retention;
  options.scrub.bytes_per_second = settings.journal_scrub_rate;
  options.on_durable = {
      .call = [](void* network) noexcept { static_cast<transport::Network*>(network)->wake(); },
      .context = seams_.network};
  // An application that takes back what it had sent reads everything, damage or not.
  options.checks_all = callbacks_.on_recovered != nullptr;
  stall_timeout_ = settings.journal_stall_timeout;
  // A sync begins a second after what it is for, and takes its time.
  if (options.durability == store::Durability::Process) {
    disk_watch_ = DiskWatch{stall_timeout_ + options.sync_interval};
  }
  auto opened = store::open_journal(*seams_.disk, options, now_.wall);
  if (!opened) {
    const std::size_t line = settings.store_folder_line;
    if (line == 0) return std::unexpected{EngineError{std::move(opened.error().text)}};
    return std::unexpected{EngineError{
        SettingsError{settings.file, line, "FileStorePath: " + opened.error().text}.what()}};
  }
  store_ = std::move(opened->store);
  report_.engine(EventId::JournalOpened, describe(opened->report, options.folder));
  for (const std::string& damage : opened->report.damages) {
    report_.engine(EventId::JournalDamaged, damage);
  }
  for (const std::string& fault : opened->report.checkpoint_faults) {
    report_.engine(
        EventId::CheckpointUnreadable,
        fault +
            ". More of the log was read instead, and nothing is lost by it; nexusfix journal "
            "repair removes it");
  }
  report_power_loss(opened->report, options.folder);
  if (opened->report.torn_bytes > 0) {
    std::string text = "journal " + options.folder + ": the last record was not whole; " +
                       std::to_string(opened->report.torn_bytes) + " bytes were cut";
    if (!opened->report.power_lost) {
      text += ". Unless the disk has damaged it, nothing that was sent is missing";
    }
    report_.engine(EventId::LastRecordCut, text);
  }
  return {};
}

std::expected<void, EngineError> Runtime::open_postgres_store(const Settings& settings) {
  if (seams_.parts.postgres == nullptr) {
    return std::unexpected{EngineError{missing_postgres_text()}};
  }
  store::PostgresOptions options = settings.postgres;
  options.record_bytes_max = kRecordBytesMax;
  options.on_durable = {
      .call = [](void* network) noexcept { static_cast<transport::Network*>(network)->wake(); },
      .context = seams_.network};
  stall_timeout_ = settings.journal_stall_timeout;
  auto opened = seams_.parts.postgres->open(options);
  if (!opened) return std::unexpected{EngineError{std::move(opened.error().text)}};
  store_ = std::move(*opened);
  report_.engine(EventId::DatabaseOpened, "PostgreSQL store " + options.schema + ": " +
                                              std::to_string(store_->session_count()) +
                                              " sessions, the log ends at " +
                                              std::to_string(store_->appended()));
  return {};
}

// The operator must know which numbers a counterparty may hold messages under that are gone here.
void Runtime::report_power_loss(const store::JournalReport& found, const std::string& folder) {
  if (!found.power_lost) return;
  std::string text = "journal " + folder + ": " + std::string{store::describe(found.loss)} + "; " +
                     std::to_string(found.cut_bytes) +
                     " bytes that had not reached the disk were cut";
  if (found.missing_bytes > 0) {
    text +=
        ", and " + std::to_string(found.missing_bytes) +
        " that it had confirmed are missing: sequence numbers that were reset or set in them are "
        "not known";
  }
  report_.engine(EventId::PowerLost, text);
  for (const store::SkippedNumbers& skipped : found.skipped) {
    report_.session(
        EventId::SequenceNumbersSkipped, skipped.session,
        "MsgSeqNum " + std::to_string(skipped.first) + " to " + std::to_string(skipped.last) +
            " are skipped: messages may have been sent under some of them that the journal has "
            "lost. The counterparty will be sent a gap fill; compare what it has received");
  }
}

std::expected<void, EngineError> Runtime::recover_application() {
  if (callbacks_.on_recovered == nullptr) return {};
  std::uint64_t unreadable = 0;
  const auto visit = [&](const store::Store::LogMessage& stored) {
    const auto message = parser_.parse(stored.bytes);
    if (!message) {
      ++unreadable;
      return;
    }
    // A store that came from another engine has the session layer's own messages as well.
    if (is_of_session_layer(message->msg_type())) return;
    callbacks_.on_recovered(callbacks_.application,
                            RecoveredMessage{stored.session, stored.msg_seq_num, *message});
  };
  try {
    if (auto scanned = store_->scan(visit); !scanned) {
      return std::unexpected{EngineError{std::move(scanned.error().text)}};
    }
  } catch (const std::exception& error) {
    return std::unexpected{EngineError{"the application could not take back what it had sent: " +
                                       std::string{error.what()}}};
  }
  if (unreadable > 0) {
    return std::unexpected{EngineError{"the store holds " + std::to_string(unreadable) +
                                       " messages that are not FIX messages; it was written by "
                                       "something else"}};
  }
  return {};
}

std::expected<void, EngineError> Runtime::open_sessions(Settings& settings) {
  std::string refused;  // the first session that is
  for (SessionSettings& one : settings.sessions) {
    const std::string name = one.session.id.to_string();
    if (const auto wrong = session::validate(one.session); !wrong.empty()) {
      const SettingsError error{settings.file, one.line, name + ": " + std::string{wrong}};
      return std::unexpected{EngineError{error.what()}};
    }
    if (one.is_template) {
      note_rules(one);
      if (seams_.directory) seams_.directory->add_template(one.session.id, loop());
      templates_.push_back({std::move(one), 0, settings_text_});
      continue;
    }
    const bool is_acceptor = one.session.role == session::Role::Acceptor;
    const auto slot = make_slot(std::move(one));
    if (slot) {
      (*slot)->texts = {settings_text_, settings_text_, settings_text_};
      (*slot)->configured_as = (*slot)->name;
      continue;
    }
    if (slot.error().code != store::StoreErrorCode::SessionRefused) {
      return std::unexpected{EngineError{slot.error().text}};
    }
    report_.session(EventId::SessionRefusedByStore, name, slot.error().text);
    if (refused.empty()) refused = slot.error().text;
    if (!is_acceptor) continue;
    refused_sessions_.emplace(name, slot.error().text);
    if (seams_.directory) seams_.directory->add_acceptor(name, loop());
  }
  const std::uint32_t all_max = settings.dynamic_sessions_max;
  // Whatever the limit is, one name is no share that could be halved.
  const std::uint32_t share = settings.dynamic_sessions_per_address_max.value_or((all_max + 1) / 2);
  dynamic_names_ = DynamicNames{{all_max, share == 0 ? all_max : share}};
  if (slots_.empty() && templates_.empty() && !refused.empty()) {
    return std::unexpected{EngineError{refused}};
  }
  if (auto flushed = store_->flush(); !flushed) {
    return std::unexpected{EngineError{std::move(flushed.error().text)}};
  }
  for (const auto& slot : slots_) follow_schedule(*slot);
  return {};
}

std::expected<void, EngineError> Runtime::open_listeners(const std::string& file) {
  for (const auto& slot : slots_) {
    if (!slot->settings.accept) continue;
    const auto listener = listen_for(slot->settings, file);
    if (!listener) return std::unexpected{listener.error()};
    slot->listener = *listener;
  }
  for (Template& one : templates_) {
    const auto listener = listen_for(one.settings, file);
    if (!listener) return std::unexpected{listener.error()};
    one.listener = *listener;
  }
  return {};
}

std::uint16_t Runtime::accept_port() const noexcept {
  return listeners_.empty() ? std::uint16_t{0} : listeners_.front().port;
}

void Runtime::append_accept_endpoints(std::vector<transport::Endpoint>& endpoints) const {
  for (const Listener& listener : listeners_) {
    if (listener.socket == 0 || listener.is_elsewhere) continue;
    endpoints.push_back(listener.endpoint);
    endpoints.back().port = listener.port;
  }
}

}  // namespace nexusfix::engine
