#include "engine/sessions/session_entry.hpp"

#include <utility>

#include <nexusfix/base/secret.hpp>

#include "engine/loop/loop_context.hpp"
#include "engine/sending/outbox.hpp"
#include "engine/sessions/session_services.hpp"

namespace nexusfix::engine {

session::SessionConfig session_config_of(const SessionServices& services,
                                         const SessionSettings& settings, SessionEntry& entry) {
  const Callbacks& callbacks = services.loop.callbacks;
  session::SessionConfig config = settings.session;
  config.logon.authenticates =
      callbacks.on_logon_request != nullptr || !settings.credentials.password_file.empty();
  // A client that the application has not accepted yet gets no answer, and uses no MsgSeqNum.
  config.logon.answers_invalid = callbacks.on_logon_request == nullptr;
  config.resend.asks_before = callbacks.on_resend_request != nullptr;
  config.shows_administrative = callbacks.on_admin != nullptr;
  if (callbacks.write_logon == nullptr) return config;
  config.logon.writer = {&entry, [](void* context, wire::Encoder& encoder,
                                    const wire::MessageHeader& header) noexcept {
                           auto& session = *static_cast<SessionEntry*>(context);
                           session.services.outbox.write_logon(session, encoder, header);
                         }};
  return config;
}

namespace {

std::shared_ptr<SessionCounters> make_counters(const LoopContext& loop,
                                               const SessionSettings& settings) {
  return std::make_shared<SessionCounters>(settings.session.id.to_string(), loop.index,
                                           settings.session.role == session::Role::Initiator);
}

}  // namespace

SessionEntry::SessionEntry(const SessionServices& session_services,
                           SessionSettings session_settings, session::Numbers numbers)
    : machine{session_config_of(session_services, session_settings, *this), numbers,
              &session_services.loop.event_memory},
      progress{numbers.next_inbound, session_settings.journals_inbound},
      outbound{.has_sub_ids = session_settings.session.id.has_sub_ids(),
               .keeps_masked_out =
                   !session_settings.log.masked.empty() && !session_settings.log.stores_masked},
      limits{.throttle = Throttle{session_settings.throttle.messages_max,
                                  session_settings.throttle.interval},
             .notices = {}},
      counters{make_counters(session_services.loop, session_settings)},
      settings{std::move(session_settings)},
      name{settings.session.id.to_string()},
      services{session_services},
      session{services, *this} {
  BufferBudget& budget = *services.loop.budget;
  resend.count_in(budget);
  until_logon.count_in(budget);
  out_of_order.count_in(budget);
}

SessionEntry::~SessionEntry() { services.loop.board.remove(*counters); }

wire::FrameScanner SessionEntry::frame_scanner() const {
  return wire::FrameScanner{
      wire::FrameLimits{.message_bytes_max = settings.limits.message_bytes_max}};
}

SessionTrial::~SessionTrial() {
  for (Received& one : received) wipe_bytes(one.bytes);
}

}  // namespace nexusfix::engine
