// Opens the store that the settings name, and reports its state.
#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/engine.hpp>

#include "base/api/exceptions.hpp"
#include "config/api/preflight.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/ground/settings/settings_names.hpp"
#include "engine/link/commit/commit_gate.hpp"
#include "store/api/postgres_part.hpp"

namespace nexusfix::engine {
namespace {

// The bytes that a callback may send, one more message, the received one (MaxMessageSize), and the
// heads of their entries.
constexpr std::uint32_t kReceivedBytesMax = 64U << 20U;
constexpr std::uint32_t kRecordBytesMax = kTransactionBytesMax + (2U << 20U) + kReceivedBytesMax;
constexpr std::uint64_t kScrubBytesPerSecond = 1U << 20U;

std::string describe(const store::JournalReport& report, const std::string& folder) {
  const auto counted = [](std::uint64_t count, std::string_view what) {
    return std::to_string(count) + ' ' + std::string{what} + (count == 1 ? "" : "s");
  };
  return "journal " + folder + ": " + counted(report.records, "record") + ", " +
         counted(report.messages, "message") + ", " + counted(report.bytes, "byte");
}

store::StoreOptions::Wake wake_of(transport::Network& network) {
  return {.call = [](void* context) noexcept { static_cast<transport::Network*>(context)->wake(); },
          .context = &network};
}

// What an engine does while it waits as a standby: it reports it, and gives signs of life. The
// thread of Engine::open(), which clears it when the ports are open.
class StandbyWatch final : public store::StandbyObserver {
 public:
  StandbyWatch(LoopContext& loop, Recovery& recovery) noexcept : loop_{loop}, recovery_{recovery} {}

  [[nodiscard]] bool follows_messages() const override { return recovery_.is_wanted(); }
  void on_message(const store::Store::LogMessage& message) override { recovery_.take(message); }
  [[nodiscard]] bool on_waiting(const store::StandbyState& state) override {
    loop_.update_time();
    store::StandbyState shown = state;
    if (!recovery_.is_wanted()) shown.followed_end = state.log_end;
    loop_.shared.standby->set(shown, loop_.now().wall);
    if (loop_.service != nullptr) {
      loop_.service->ready();  // a start that waits is no failure
      loop_.service->is_alive(loop_.index, loop_.now().mono);
    }
    return !StopSignals::received();
  }
  void on_event(store::StoreEvent event) override {
    loop_.update_time();
    loop_.report.engine(event.id, event.text);
  }

 private:
  LoopContext& loop_;
  Recovery& recovery_;
};

}  // namespace

std::expected<void, EngineError> CommitGate::open(const Settings& settings, Recovery& recovery) {
  const bool is_of_program = settings.store == StoreKind::Program;
  if (is_of_program && loop_.store_factory == nullptr) {
    return std::unexpected{
        EngineError{settings.file +
                    ": Store=program, and this program brings no store: set "
                    "EngineOptions::store_factory, or choose journal, memory or postgresql"}};
  }
  if (!is_of_program && loop_.store_factory != nullptr) {
    return std::unexpected{
        EngineError{settings.file +
                    ": this program brings a store of its own (EngineOptions::store_factory): "
                    "Store=program was expected in [DEFAULT]"}};
  }
  const bool keeps_received =
      std::ranges::any_of(settings.sessions, &SessionSettings::journals_inbound);
  if (keeps_received && settings.store != StoreKind::Journal &&
      settings.store != StoreKind::PostgreSQL) {
    return std::unexpected{EngineError{
        settings.file + ": JournalInbound=Y: Store=journal or Store=postgresql was expected"}};
  }
  switch (settings.store) {
    case StoreKind::Memory:
      store_ = store::make_memory_store(kRecordBytesMax);
      return {};
    case StoreKind::PostgreSQL:
      return open_postgres(settings, recovery);
    case StoreKind::Program:
      return open_of_program(settings);
    default:
      return open_journal(settings);
  }
}

std::expected<void, EngineError> CommitGate::open_journal(const Settings& settings) {
  store::JournalOptions options;
  options.folder = folder_of_loop(settings.store_folder, loop_.index);
  options.durability = settings.durability;
  options.segment_bytes = settings.segment_bytes;
  options.record_bytes_max = kRecordBytesMax;
  options.numbers_ahead_max = settings.numbers_ahead;
  options.retention = settings.journal_retention;
  options.scrub.bytes_per_second = kScrubBytesPerSecond;
  options.on_durable = wake_of(*loop_.network);
  // An application with on_recovered() reads its messages from the whole log, so the log is checked
  // completely.
  options.checks_all = loop_.callbacks.on_recovered != nullptr;
  stall_timeout_ = settings.journal_stall_timeout;
  // A sync begins up to sync_interval after the write, and takes time itself.
  if (options.durability == store::Durability::Process) {
    disk_watch_ = DiskWatch{stall_timeout_ + options.sync_interval};
  }
  auto opened = store::open_journal(*loop_.disk, options, loop_.now().wall);
  if (!opened) {
    const std::size_t line = settings.store_folder_line;
    if (line == 0) return std::unexpected{EngineError{std::move(opened.error().text)}};
    return std::unexpected{EngineError{
        SettingsError{settings.file, line, "FileStorePath: " + opened.error().text}.what()}};
  }
  store_ = std::move(opened->store);
  report_opened(opened->report, options.folder);
  return {};
}

void CommitGate::report_opened(const store::JournalReport& found, const std::string& folder) {
  loop_.report.engine(EventId::JournalOpened, describe(found, folder));
  for (const std::string& damage : found.damages) {
    loop_.report.engine(EventId::JournalDamaged, damage);
  }
  for (const std::string& fault : found.checkpoint_faults) {
    loop_.report.engine(
        EventId::CheckpointUnreadable,
        fault +
            ". More of the log was read instead, and nothing is lost by it; nexusfix journal "
            "repair removes it");
  }
  report_power_loss(found, folder);
  if (found.torn_bytes > 0) {
    std::string text = "journal " + folder + ": the last record was not whole; " +
                       std::to_string(found.torn_bytes) + " bytes were cut";
    if (!found.power_lost) {
      text += ". Unless the disk has damaged it, nothing that was sent is missing";
    }
    loop_.report.engine(EventId::LastRecordCut, text);
  }
}

std::expected<void, EngineError> CommitGate::open_postgres(const Settings& settings,
                                                           Recovery& recovery) {
  if (loop_.parts.postgres == nullptr) {
    return std::unexpected{EngineError{config::missing_postgres_text()}};
  }
  store::PostgresOptions options = settings.postgres;
  options.record_bytes_max = kRecordBytesMax;
  options.on_durable = wake_of(*loop_.network);
  stall_timeout_ = settings.journal_stall_timeout;
  if (options.if_owned == store::IfOwned::Wait &&
      options.standby == store::StandbyPolicy::Available) {
    loop_.report.engine(EventId::StandbyNotRequired,
                        "PostgreSQL store " + options.schema +
                            ": PostgreSQLStoreStandby=available: this engine takes the log over "
                            "also from a server that lacks messages that were sent. It skips "
                            "sequence numbers then, as far as it knows of the loss");
  }
  StandbyWatch watch{loop_, recovery};
  options.standby_observer = &watch;
  store::StoreResult<std::unique_ptr<store::Store>> opened;
  try {
    opened = loop_.parts.postgres->open(options);
  } catch (const std::exception&) {
    return std::unexpected{Recovery::refused_by_application()};
  }
  if (!opened) return std::unexpected{EngineError{std::move(opened.error().text)}};
  store_ = std::move(*opened);
  loop_.report.engine(EventId::DatabaseOpened, "PostgreSQL store " + options.schema + ": " +
                                                   std::to_string(store_->session_count()) +
                                                   " sessions, the log ends at " +
                                                   std::to_string(store_->appended()));
  // Before the application gets its messages back: it may refuse what is lost.
  while (const auto event = store_->next_event()) {
    if (event->id == EventId::StoreFailed) return std::unexpected{EngineError{event->text}};
    loop_.report.engine(event->id, event->text);
  }
  return {};
}

std::expected<void, EngineError> CommitGate::open_of_program(const Settings& settings) {
  stall_timeout_ = settings.journal_stall_timeout;
  const auto failed = [&](const std::string& why) {
    return std::unexpected{EngineError{"Store=program: the store of event loop " +
                                       std::to_string(loop_.index) + " is not open: " + why}};
  };
  try {
    auto opened = loop_.store_factory->open({.loop = loop_.index,
                                             .loop_count = settings.event_loops,
                                             .record_bytes_max = kRecordBytesMax,
                                             .on_durable = wake_of(*loop_.network),
                                             .disk = loop_.disk,
                                             .clock = loop_.clock});
    if (!opened) return failed(opened.error().text);
    if (*opened == nullptr) return failed("EngineOptions::store_factory returned null");
    store_ = std::move(*opened);
  } catch (...) {
    return failed("EngineOptions::store_factory threw: " +
                  std::string{what_of(std::current_exception())});
  }
  loop_.report.engine(EventId::StoreOpened,
                      "the program's store: " + std::to_string(store_->session_count()) +
                          " sessions, the log ends at " + std::to_string(store_->appended()));
  return {};
}

// The operator must know the MsgSeqNums of messages that a counterparty may have and the journal
// has lost.
void CommitGate::report_power_loss(const store::JournalReport& found, const std::string& folder) {
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
  loop_.report.engine(EventId::PowerLost, text);
  for (const store::SkippedNumbers& skipped : found.skipped) {
    loop_.report.session(
        EventId::SequenceNumbersSkipped, skipped.session,
        "MsgSeqNum " + std::to_string(skipped.first) + " to " + std::to_string(skipped.last) +
            " are skipped: messages may have been sent under some of them that the journal has "
            "lost. The counterparty will be sent a gap fill; compare what it has received");
  }
}

}  // namespace nexusfix::engine
