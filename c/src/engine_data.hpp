// An engine of the C interface: it passes callbacks to functions of the caller.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/engine.hpp>
#include <nexusfix/observe/logs.hpp>

#include "c/src/dictionary_data.hpp"
#include "c/src/encoder_data.hpp"

// Threads: the constants, the atomic, and with the engine's mutex the handle, any; the rest, that
// of the engine.
struct nxf_session {
  nxf_session(nxf_engine& of, nexusfix::engine::Session& from);

  nxf_engine& engine;
  nexusfix::engine::SessionHandle handle;
  std::string name;
  std::atomic<bool> is_logged_on{false};
  nexusfix::engine::Session* session;  // null: it was removed
  nxf_encoder encoder;
};

struct nxf_reply {
  nexusfix::engine::MessageReply reply;
};

// The application of its engine.
struct nxf_engine final : nexusfix::observe::EventLog {
  explicit nxf_engine(const nxf_application& given);

  void on_logon(nexusfix::engine::Session& session);
  void on_logout(nexusfix::engine::Session& session);
  void on_disconnect(nexusfix::engine::Session& session,
                     const nexusfix::engine::Disconnection& gone);
  nexusfix::engine::MessageReply on_message(nexusfix::engine::Session& session,
                                            const nexusfix::wire::MessageView& message);
  void on_admin(nexusfix::engine::Session& session, const nexusfix::wire::MessageView& message);
  void on_not_sent(nexusfix::engine::Session& session,
                   const nexusfix::engine::NotSentMessage& message);
  void write(const nexusfix::observe::Event& event) override;

  // The session of the interface; made when it is seen first.
  nxf_session& port_of(nexusfix::engine::Session& session);

  nxf_application application;
  nexusfix::c::DictionaryData::Shared dictionary;
  std::mutex mutex;                  // of sessions and of their handles
  std::deque<nxf_session> sessions;  // none is ever removed
  std::atomic<std::uint64_t> next_token{1};
  std::optional<nexusfix::engine::Remote> remote;
  std::optional<nexusfix::engine::Engine> engine;  // ends before all that its callbacks use
};
