#include <memory>
#include <memory_resource>
#include <utility>

#include <nexusfix/explanation.hpp>
#include <nexusfix/wire/parser.hpp>

#include "c/src/engine_data.hpp"
#include "c/src/results.hpp"

namespace engine = nexusfix::engine;
namespace wire = nexusfix::wire;
using nexusfix::c::guarded;
using nexusfix::c::refuse_argument;
using nexusfix::c::report;
using nexusfix::c::text_of;
using nexusfix::c::to_text;

namespace {

nxf_status report_send_error(nxf_error* error, const engine::SendError& found) {
  if (found.failure == engine::SendFailure::Encode) {
    return nexusfix::c::report_encode_error(error, found.encode);
  }
  return report(error, NXF_NOT_SENT, {.text = found.what()});
}

nxf_status status_of(engine::RemoteError::Failure failure) {
  return failure == engine::RemoteError::Failure::Full ? NXF_FULL : NXF_CLOSED;
}

engine::SendResult send_fields(engine::Session& session, const wire::MessageView& message) {
  wire::Encoder encoder = session.begin(message.msg_type());
  const std::size_t count = message.field_count();
  for (std::size_t at = 0; at < count; ++at) {
    const wire::FieldView field = message.field(at);
    if (wire::belongs_to_session(field.tag)) continue;
    const wire::FieldView next = at + 1 < count ? message.field(at + 1) : wire::FieldView{};
    if (next.value.contains(wire::kSoh)) {  // a data field, after its length
      encoder.data(field.tag, next.tag, next.value);
      ++at;
    } else {
      encoder.field(field.tag, field.value);
    }
  }
  return session.finish(encoder);
}

// Reports to the program how a message has ended that another thread has posted.
struct Posted {
  nxf_session* session;
  std::uint64_t token;

  void operator()(const engine::PostResult& result) const {
    const nxf_application& application = session->engine.application;
    if (application.on_posted == nullptr) return;
    nxf_status status = NXF_CLOSED;
    if (result.outcome == engine::PostResult::Outcome::Done) status = NXF_OK;
    if (result.outcome == engine::PostResult::Outcome::Threw) status = NXF_INTERNAL;
    if (result.refusal) status = report_send_error(nullptr, *result.refusal);
    application.on_posted(application.user_data, session, token, status,
                          result.sent ? result.sent->msg_seq_num : 0, to_text(result.text));
  }
};

// It changes when the session is removed and added again.
engine::SessionHandle handle_of(nxf_session* session) {
  const std::lock_guard lock{session->engine.mutex};
  return session->handle;
}

template <class Task>
nxf_status post(nxf_session* session, Task&& task) {
  if (session == nullptr) return NXF_INVALID_ARGUMENT;
  return guarded(nullptr, [&]() -> nxf_status {
    const auto posted = session->engine.remote->post(handle_of(session), std::forward<Task>(task));
    return posted ? NXF_OK : status_of(posted.error().failure);
  });
}

}  // namespace

const char* nxf_session_name(const nxf_session* session) {
  return session == nullptr ? nullptr : session->name.c_str();
}

int32_t nxf_session_is_logged_on(const nxf_session* session) {
  return session != nullptr && session->is_logged_on ? 1 : 0;
}

nxf_status nxf_session_begin(nxf_session* session, const char* msg_type, nxf_encoder** encoder) {
  if (session == nullptr || msg_type == nullptr || encoder == nullptr) {
    return NXF_INVALID_ARGUMENT;
  }
  *encoder = nullptr;
  if (session->session == nullptr) return NXF_CLOSED;
  session->encoder.give_up();
  session->encoder.encoder.emplace(session->session->begin(msg_type));
  *encoder = &session->encoder;
  return NXF_OK;
}

nxf_status nxf_session_send(nxf_session* session, uint64_t* msg_seq_num, nxf_error* error) {
  if (session == nullptr) return refuse_argument(error, "nxf_session_send: the session is NULL");
  nxf_encoder& message = session->encoder;
  if (!message.encoder) return refuse_argument(error, "no message has begun");
  if (session->session == nullptr) {
    return report(error, NXF_CLOSED, {.text = "the session was removed"});
  }
  return guarded(error, [&]() -> nxf_status {
    message.close_groups();
    const auto sent = session->session->finish(*message.encoder);
    const auto fault = message.fault;
    message.give_up();
    if (fault) return report(error, fault->status, {.text = fault->text, .tag = fault->tag});
    if (!sent) return report_send_error(error, sent.error());
    if (msg_seq_num != nullptr) *msg_seq_num = sent->msg_seq_num;
    return NXF_OK;
  });
}

nxf_status nxf_session_post(nxf_session* session, const char* bytes, size_t size, uint64_t* token,
                            nxf_error* error) {
  if (session == nullptr || bytes == nullptr) {
    return refuse_argument(error, "nxf_session_post: an argument is NULL");
  }
  return guarded(error, [&]() -> nxf_status {
    wire::Parser parser;
    const auto parsed = parser.parse({bytes, size});
    if (!parsed) {
      const auto explained = nexusfix::dictionary::explain(parsed.error(), {bytes, size});
      return report(error, NXF_GARBLED,
                    {.text = explained.problem, .tag = explained.tag, .offset = explained.offset});
    }
    auto owned = wire::to_owned(*parsed, *std::pmr::new_delete_resource());
    if (!owned) throw std::bad_alloc{};
    const std::uint64_t number = session->engine.next_token++;
    const auto posted = session->engine.remote->post(
        handle_of(session),
        [outgoing = std::move(*owned)](engine::Session& to) {
          return send_fields(to, outgoing.view());
        },
        Posted{session, number});
    if (!posted) {
      return report(error, status_of(posted.error().failure), {.text = posted.error().what()});
    }
    if (token != nullptr) *token = number;
    return NXF_OK;
  });
}

nxf_status nxf_session_log_out(nxf_session* session, const char* text) {
  return guarded(nullptr, [&] {
    return post(session, [said = std::string{text_of(text, NXF_ZERO_TERMINATED)}](
                             engine::Session& of) { of.log_out(said); });
  });
}

nxf_status nxf_session_log_on(nxf_session* session) {
  return post(session, [](engine::Session& of) { of.log_on(); });
}

void nxf_reply_business_reject(nxf_reply* reply, uint32_t reason, uint32_t ref_tag,
                               const char* text) {
  if (reply == nullptr) return;
  reply->reply = engine::business_reject(reason, ref_tag, text_of(text, NXF_ZERO_TERMINATED));
}

void nxf_reply_session_reject(nxf_reply* reply, uint32_t reason, uint32_t ref_tag,
                              const char* text) {
  if (reply == nullptr) return;
  reply->reply = engine::session_reject(reason, ref_tag, text_of(text, NXF_ZERO_TERMINATED));
}
