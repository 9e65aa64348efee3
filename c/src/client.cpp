// A gateway's client in C, over the one in C++.
#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "c/src/results.hpp"
#include "gateway/attach/gateway_client.hpp"

namespace gateway = nexusfix::gateway;
using nexusfix::c::guarded;
using nexusfix::c::refuse_argument;
using nexusfix::c::report;
using nexusfix::c::text_of;
using nexusfix::c::to_text;

struct nxf_client {
  nxf_client(std::unique_ptr<gateway::GatewayClient> made, std::chrono::nanoseconds spins)
      : client{std::move(made)}, sessions{client->welcome().sessions}, spin{spins} {}

  std::unique_ptr<gateway::GatewayClient> client;
  std::vector<gateway::WelcomeSession> sessions;
  std::chrono::nanoseconds spin;
};

namespace {

static_assert(NXF_EVENT_ACCEPTED == static_cast<int>(gateway::FrameKind::Accepted));
static_assert(NXF_EVENT_REFUSED == static_cast<int>(gateway::FrameKind::Refused));
static_assert(NXF_EVENT_MESSAGE == static_cast<int>(gateway::FrameKind::Message));
static_assert(NXF_EVENT_SESSION == static_cast<int>(gateway::FrameKind::SessionState));
static_assert(NXF_EVENT_CAUGHT_UP == static_cast<int>(gateway::FrameKind::CaughtUp));
static_assert(NXF_EVENT_CLOSED == static_cast<int>(gateway::FrameKind::Closed));
static_assert(NXF_CLOSE_NO_SHARED_MEMORY == static_cast<int>(gateway::CloseCode::NoSharedMemory));
static_assert(NXF_REFUSED_NOT_SENT == static_cast<int>(gateway::RefuseCode::NotSent));
static_assert(NXF_ACCEPTED_BEFORE == gateway::kFlagDuplicate);
static_assert(NXF_ACCEPTED_STORED == gateway::kFlagStored);
static_assert(NXF_FROM_JOURNAL == gateway::kFlagFromJournal);
static_assert(NXF_SENT_BY_SESSION == gateway::kFlagSent);

// So that a time and a wait can be added. Three years.
constexpr std::int64_t kWaitMax = 100'000'000'000'000'000;
constexpr std::int64_t kTimeoutDefault = 10'000'000'000;

nxf_status status_of(gateway::AttachFault fault) {
  switch (fault) {
    case gateway::AttachFault::Timeout:
      return NXF_TIMEOUT;
    case gateway::AttachFault::Refused:
      return NXF_REFUSED;
    case gateway::AttachFault::Io:
      break;
  }
  return NXF_IO;
}

// A line feed would begin another line of the Hello.
bool has_line_feed(std::string_view text) { return text.find('\n') != std::string_view::npos; }

const char* fault_of(const nxf_client_options& options) {
  if (options.socket_path == nullptr || options.name == nullptr || options.token == nullptr)
    return "nxf_client_options: socket_path, name or token is NULL";
  if (options.door != NXF_SOCKET && options.door != NXF_SHARED_MEMORY)
    return "nxf_client_options: door is no nxf_door";
  if (options.timeout_ns < 0 || options.spin_ns < 0)
    return "nxf_client_options: a time is negative";
  if (options.cursors == nullptr && options.cursor_count != 0)
    return "nxf_client_options: cursors is NULL";
  if (has_line_feed(options.name) || has_line_feed(options.token))
    return "nxf_client_options: name or token has a line feed";
  for (std::size_t index = 0; index < options.cursor_count; ++index) {
    const char* const session = options.cursors[index].session;
    if (session == nullptr || has_line_feed(session))
      return "nxf_cursor: session is NULL or has a line feed";
  }
  return nullptr;
}

gateway::AttachOptions read(const nxf_client_options& options) {
  gateway::AttachOptions made{
      .socket_path = options.socket_path,
      .hello = {.name = options.name, .token = options.token, .is_in_order = options.in_order != 0},
      .by_memory = options.door == NXF_SHARED_MEMORY};
  for (std::size_t index = 0; index < options.cursor_count; ++index) {
    const nxf_cursor& cursor = options.cursors[index];
    made.hello.cursors.push_back({.session = cursor.session,
                                  .is_sent = cursor.is_sent != 0,
                                  .place = {cursor.epoch, cursor.msg_seq_num}});
  }
  const std::int64_t timeout = options.timeout_ns == 0 ? kTimeoutDefault : options.timeout_ns;
  made.timeout = std::chrono::nanoseconds{std::min(timeout, kWaitMax)};
  return made;
}

nxf_client_event event_of(const gateway::Frame& frame) {
  return {.struct_size = 0,
          .kind = static_cast<nxf_event_kind>(frame.header.kind),
          .session = frame.header.session,
          .code = frame.header.code,
          .flags = frame.header.flags,
          .epoch = frame.header.epoch,
          .msg_seq_num = frame.header.msg_seq_num,
          .number = frame.header.number,
          .body = to_text(frame.body)};
}

}  // namespace

nxf_status nxf_client_attach(const nxf_client_options* options, nxf_client** client,
                             nxf_error* error) {
  constexpr std::size_t kFirstSize =
      offsetof(nxf_client_options, spin_ns) + sizeof options->spin_ns;
  nxf_client_options given{};
  if (client == nullptr) return refuse_argument(error, "nxf_client_attach: client is NULL");
  *client = nullptr;
  if (!nexusfix::c::read_options(options, kFirstSize, given)) {
    return refuse_argument(error, "nxf_client_options: struct_size is too small");
  }
  if (const char* const fault = fault_of(given)) return refuse_argument(error, fault);
  return guarded(error, [&]() -> nxf_status {
    auto made = gateway::GatewayClient::attach(read(given));
    if (!made) {
      return report(error, status_of(made.error().fault),
                    {.text = made.error().text, .code = made.error().code});
    }
    const std::chrono::nanoseconds spin{std::min(given.spin_ns, kWaitMax)};
    *client = std::make_unique<nxf_client>(std::move(*made), spin).release();
    return NXF_OK;
  });
}

void nxf_client_free(nxf_client* client) { delete client; }

uint64_t nxf_client_last_number(const nxf_client* client) {
  return client == nullptr ? 0 : client->client->last_number();
}

int32_t nxf_client_is_observer(const nxf_client* client) {
  return client != nullptr && client->client->welcome().role == "observer" ? 1 : 0;
}

nxf_status nxf_client_session_at(const nxf_client* client, uint32_t index,
                                 nxf_client_session* session) {
  if (client == nullptr || session == nullptr) return NXF_INVALID_ARGUMENT;
  const auto found = std::ranges::find(client->sessions, index, &gateway::WelcomeSession::index);
  if (found == client->sessions.end()) return NXF_MISSING;
  nexusfix::c::write_result(session, nxf_client_session{.struct_size = 0,
                                                        .name = found->name.c_str(),
                                                        .is_logged_on = found->is_logged_on ? 1 : 0,
                                                        .epoch = found->epoch,
                                                        .received = found->received,
                                                        .sent = found->sent});
  return NXF_OK;
}

nxf_status nxf_client_send(nxf_client* client, uint32_t session, uint64_t number, const char* bytes,
                           size_t size, nxf_error* error) {
  if (client == nullptr || bytes == nullptr)
    return refuse_argument(error, "nxf_client_send: an argument is NULL");
  return guarded(error, [&]() -> nxf_status {
    const gateway::FrameHeader header{
        .kind = gateway::FrameKind::Send, .session = session, .number = number};
    switch (client->client->send(header, text_of(bytes, size))) {
      case gateway::Sent::Yes:
        return NXF_OK;
      case gateway::Sent::Full:
        return report(error, NXF_FULL, {.text = "the gateway does not read at the moment"});
      case gateway::Sent::TooLong:
        return report(error, NXF_BUFFER_TOO_SMALL, {.text = "a message has at most 1 MiB"});
      case gateway::Sent::Closed:
        break;
    }
    return report(error, NXF_CLOSED, {.text = "the connection to the gateway has ended"});
  });
}

nxf_status nxf_client_receive(nxf_client* client, int64_t timeout_ns, nxf_client_event* event,
                              nxf_error* error) {
  if (client == nullptr || event == nullptr)
    return refuse_argument(error, "nxf_client_receive: an argument is NULL");
  return guarded(error, [&]() -> nxf_status {
    const std::int64_t wait = timeout_ns < 0 ? kWaitMax : std::min(timeout_ns, kWaitMax);
    gateway::Frame frame;
    switch (client->client->receive(frame, std::chrono::nanoseconds{wait}, client->spin)) {
      case gateway::Received::Frame:
        break;
      case gateway::Received::Timeout:
        return report(error, NXF_TIMEOUT, {.text = "no event has come in time"});
      case gateway::Received::Closed:
        return report(error, NXF_CLOSED, {.text = client->client->end()});
    }
    if (frame.header.kind == gateway::FrameKind::SessionState) {
      for (gateway::WelcomeSession& one : client->sessions) {
        if (one.index == frame.header.session) one.is_logged_on = frame.header.code == 1;
      }
    }
    nexusfix::c::write_result(event, event_of(frame));
    return NXF_OK;
  });
}

int nxf_client_descriptor(const nxf_client* client) {
  return client == nullptr ? -1 : client->client->descriptor();
}

int32_t nxf_client_has_event(nxf_client* client) {
  if (client == nullptr) return 0;
  bool has_frame = true;  // without memory: the next call of nxf_client_receive() says so
  static_cast<void>(guarded(nullptr, [&]() -> nxf_status {
    has_frame = client->client->has_frame();
    return NXF_OK;
  }));
  return has_frame ? 1 : 0;
}

int32_t nxf_client_has_unsent(const nxf_client* client) {
  return client != nullptr && client->client->has_unsent() ? 1 : 0;
}
