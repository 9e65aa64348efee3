// Starts a loop: the store, the application's recovery, the sessions, the ports. No connection is
// served and nothing is sent before all of it has succeeded.
#include <string>
#include <utility>

#include <nexusfix/store.hpp>
#include <nexusfix/wire/parser.hpp>

#include "base/api/full_path.hpp"
#include "engine/loop/event_loop.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::size_t kEventsPerTurn = 256;

void write_logon(SessionEntry& entry, wire::Encoder& encoder,
                 const wire::MessageHeader& header) noexcept {
  entry.loop.services->sessions.outbox.write_logon(entry, encoder, header);
}

}  // namespace

EventLoop::EventLoop(LoopDependencies dependencies, Callbacks callbacks, bool busy_spin)
    : loop_{std::move(dependencies), callbacks, *this},
      state_{.busy_spin = busy_spin && !FullPathOnly::is_on(),
             .ready = std::vector<transport::Ready>(kEventsPerTurn)},
      floors_{loop_,
              {.call =
                   [](void* event_loop, const store::StoreError& error) {
                     static_cast<EventLoop*>(event_loop)->end_all_sessions(error);
                   },
               .context = this}},
      services_{loop_, floors_.io, floors_.sessions, write_logon},
      tasks_{loop_, floors_.sessions.registry, floors_.sessions.transactor} {
  loop_.services = &services_;
  if (loop_.shared.directory) {
    loop_.shared.directory->add_loop(loop_.index, *loop_.network);
    loop_.shared.directory->set_reloader(loop_.index, floors_.directory.reloader);
  }
  if (loop_.shared.credentials) loop_.shared.credentials->add_loop(loop_.index, *loop_.network);
}

EventLoop::~EventLoop() {
  if (loop_.shared.directory) loop_.shared.directory->remove_loop(loop_.index);
  if (loop_.shared.credentials) loop_.shared.credentials->remove_loop(loop_.index);
  tasks_.close();
  for (const auto& [socket, connection] : floors_.io.connections.table())
    loop_.network->close(socket);
  floors_.io.listeners.close_all();
}

std::expected<void, EngineError> EventLoop::prepare(Settings& settings) {
  if (const auto isa = wire::selected_isa(); !isa) {
    const bool unknown = isa.error().code == wire::detail::IsaError::Code::Unknown;
    return std::unexpected{EngineError{
        std::string{"NEXUSFIX_FORCE_ISA: "} +
        (unknown ? "not the name of a kernel of this build" : "this CPU cannot run that kernel") +
        "; one of these was expected: " + std::string{wire::known_isas()}}};
  }
  if (auto done = load_dictionaries(loop_, settings); !done) return done;
  if (auto opened = loop_.report.logs().open(*loop_.disk, settings, loop_.parsers.data_fields,
                                             loop_.parts, loop_.index, loop_.now().wall);
      !opened) {
    return std::unexpected{EngineError{std::move(opened.error())}};
  }
  return {};
}

std::expected<void, EngineError> EventLoop::open(Settings settings) {
  if (auto adopted = floors_.sessions.registry.adopt_former_names(settings.sessions); !adopted) {
    return std::unexpected{EngineError{std::move(adopted.error().text)}};
  }
  if (auto done = floors_.io.recovery.finish(floors_.io.commit.store()); !done) return done;
  floors_.policy.admission.limit_lateness(settings.threads.logon_lateness_max);
  floors_.io.buffers.keep_heap(settings.threads.lock_memory);
  if (!settings.text.empty()) {
    floors_.directory.changes.begin(settings.file, std::move(settings.text));
  }
  if (loop_.shared.directory) {
    for (std::size_t key = 0; key < floors_.io.commit.store().session_count(); ++key) {
      static_cast<void>(loop_.shared.directory->settle(
          floors_.io.commit.store().session_name(static_cast<store::SessionKey>(key)),
          loop_.index));
    }
  }
  if (auto done = open_sessions(settings); !done) return done;
  return open_listeners(settings.file);
}

std::expected<void, EngineError> EventLoop::open_sessions(Settings& settings) {
  std::string refused;  // the error of the first refused session
  for (SessionSettings& one : settings.sessions) {
    const std::string name = one.session.id.to_string();
    if (const auto wrong = session::validate(one.session); !wrong.empty()) {
      const SettingsError error{settings.file, one.line, name + ": " + std::string{wrong}};
      return std::unexpected{EngineError{error.what()}};
    }
    if (one.is_template) {
      apply_check_sum_rule(loop_, one);
      if (loop_.shared.directory) loop_.shared.directory->add_template(one.session.id, loop_.index);
      floors_.sessions.templates.all().push_back(
          {std::move(one), 0, floors_.directory.changes.text()});
      continue;
    }
    const bool is_acceptor = one.session.role == session::Role::Acceptor;
    const auto entry = floors_.sessions.registry.make_entry(std::move(one));
    if (entry) {
      (*entry)->file.configure((*entry)->name, floors_.directory.changes.text());
      report_inbound_in_doubt(**entry);
      continue;
    }
    if (entry.error().code != store::StoreErrorCode::SessionRefused) {
      return std::unexpected{EngineError{entry.error().text}};
    }
    loop_.report.session(EventId::SessionRefusedByStore, name, entry.error().text);
    if (refused.empty()) refused = entry.error().text;
    if (!is_acceptor) continue;
    floors_.policy.admission.refuse_session(name, entry.error().text);
    if (loop_.shared.directory) loop_.shared.directory->add_acceptor(name, loop_.index);
  }
  const std::uint32_t all_max = settings.dynamic_sessions_max;
  // Half of all names for one address, rounded up: it may always have one.
  floors_.sessions.dynamic.limit({all_max, (all_max + 1) / 2});
  if (floors_.sessions.registry.entries().empty() && floors_.sessions.templates.all().empty() &&
      !refused.empty()) {
    return std::unexpected{EngineError{refused}};
  }
  if (auto flushed = floors_.io.commit.store().flush(); !flushed) {
    return std::unexpected{EngineError{std::move(flushed.error().text)}};
  }
  for (const auto& entry : floors_.sessions.registry.entries())
    floors_.sessions.control.follow_schedule(*entry);
  return {};
}

// Each message is recorded before its callback, and its callback ends before the next message is
// recorded: only the last one is in doubt.
void EventLoop::report_inbound_in_doubt(const SessionEntry& entry) {
  const std::uint64_t next = entry.machine.sequence_numbers().next_inbound;
  const bool is_in_doubt = entry.settings().inbound_delivery == InboundDelivery::AtMostOnce &&
                           next > 1 && !floors_.io.commit.store().had_ended_in_order();
  if (!is_in_doubt) return;
  loop_.report.session(EventId::InboundInDoubt, entry,
                       {"MsgSeqNum ", next - 1,
                        " may not have reached the application: the engine did not end in order, "
                        "and InboundDelivery=AtMostOnce does not deliver it again"});
}

std::expected<void, EngineError> EventLoop::open_listeners(const std::string& file) {
  for (const auto& entry : floors_.sessions.registry.entries()) {
    if (!entry->settings().accept) continue;
    const auto listener = floors_.io.listeners.listen_for(entry->settings(), file);
    if (!listener) return std::unexpected{listener.error()};
    entry->acceptor.listen_at(*listener);
  }
  for (SessionTemplate& one : floors_.sessions.templates.all()) {
    const auto listener = floors_.io.listeners.listen_for(one.settings, file);
    if (!listener) return std::unexpected{listener.error()};
    one.listener = *listener;
  }
  return {};
}

}  // namespace nexusfix::engine
