#include "engine/sessions/session_entry.hpp"

#include <utility>

#include <nexusfix/base/secret.hpp>

#include "engine/loop/loop_context.hpp"
#include "engine/sessions/outbox.hpp"
#include "engine/sessions/session_services.hpp"

namespace nexusfix::engine {

session::SessionConfig session_config_of(const SessionServices& services, SessionEntry& entry) {
  const Callbacks& callbacks = services.loop.callbacks;
  session::SessionConfig config = entry.settings.session;
  config.logon.authenticates =
      callbacks.on_logon_request != nullptr || !entry.settings.credentials.password_file.empty();
  // A sender that the application has not accepted yet gets no answer, and uses no MsgSeqNum.
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

SessionEntry::SessionEntry(const SessionServices& session_services,
                           SessionSettings session_settings, session::Numbers numbers)
    : settings{std::move(session_settings)},
      name{settings.session.id.to_string()},
      services{session_services},
      machine{session_config_of(services, *this), numbers},
      session{services, *this},
      has_sub_ids{settings.session.id.has_sub_ids()},
      keeps_masked_out{!settings.log.masked.empty() && !settings.log.stores_masked},
      inbound_recorded{numbers.next_inbound},
      throttle{settings.throttle.messages_max, settings.throttle.interval} {
  for (OutboundQueue* queue : {&queued_after_resend, &queued_until_logon})
    queue->count_in(*services.loop.budget);
  out_of_order_bytes.count_in(*services.loop.budget);
}

SessionTrial::~SessionTrial() {
  for (Received& one : received) wipe_bytes(one.bytes);
}

}  // namespace nexusfix::engine
