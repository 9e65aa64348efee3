// The application of `nexusfix gateway`: what the engine receives goes to the clients that own it,
// and what clients send goes to the engine, once each.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/observe/logs.hpp>
#include <nexusfix/store.hpp>

#include "gateway/client/attached_client.hpp"
#include "gateway/client/refusal_limit.hpp"
#include "gateway/rights/client_file.hpp"
#include "gateway/rights/message_fields.hpp"
#include "gateway/rights/owner_fields.hpp"

namespace nexusfix::gateway {

struct GatewayOptions {
  ClientFile clients;
  OpenLog open_log;            // of the engine
  bool reads_on_loop = false;  // the log, without threads: for the simulator
  std::string version;         // for the Welcome
  RingFileOptions memory{};    // of a client that asks for shared memory
  observe::EventLog* events = nullptr;
  Clock* clock = nullptr;
};

// The thread of the engine's only loop. Between two calls of Engine::poll() it serves its clients.
class Gateway {
 public:
  explicit Gateway(GatewayOptions options);
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;
  ~Gateway();

  // Call it once, between Engine::open() and the first poll(). The engine must outlive the calls of
  // serve(). The error is one line.
  [[nodiscard]] std::expected<void, std::string> attach(engine::Engine& engine);

  // A client that has connected. It is served from the next serve() on.
  void add(std::unique_ptr<ClientLink> link, std::string peer);
  // Reads what clients have sent, at most some hundred frames of each. True: there may be more.
  bool serve();
  // After Engine::poll(): what is durable goes to the clients, and connections end. True: a client
  // has more than it takes at once.
  bool flush();
  // Ends all clients; the engine has stopped.
  void stop();
  [[nodiscard]] std::size_t client_count() const noexcept { return clients_.size(); }
  // Calls visit(descriptor, wants_to_write) for each connection.
  template <class Visit>
  void visit_descriptors(Visit visit) const {
    for (const auto& one : clients_) {
      visit(one->link().descriptor(), one->link().has_unsent());
    }
  }
  // Before the loop sleeps: from now on the descriptors become readable with the next frame.
  // Returns how long it may sleep, at most longest.
  [[nodiscard]] std::chrono::nanoseconds begin_sleep(std::chrono::nanoseconds longest) noexcept;
  // Readable when the journal has more for a client.
  [[nodiscard]] int wake_descriptor() const noexcept { return wake_; }

  // Callbacks of the engine.
  void on_logon(engine::Session& session);
  void on_logout(engine::Session& session);
  engine::MessageReply on_message(engine::Session& session, const wire::MessageView& message);

 protected:
  void copy_sent(engine::Session& session, const engine::SentMessage& sent);

 private:
  // A message that was accepted while its session was not logged on.
  struct Stored {
    const ClientRights* client = nullptr;
    std::uint64_t number = 0;
    MessagePlace place;
  };
  // A session of the engine.
  struct Slot {
    engine::Session* session = nullptr;
    store::SessionKey key = 0;
    std::string name;
    bool has_unowned = false;      // which was reported
    std::vector<Stored> stored{};  // since the session was logged on last
    // For its absence the session logs out. Null since the session was logged on last: none is
    // away.
    const ClientRights* absent = nullptr;
  };
  // A client of the file.
  struct Known {
    store::SessionKey counter = 0;       // its number in the store
    AttachedClient* attached = nullptr;  // null: it is away
    // Where the journal has nothing older that the client wants, if it has passed these places.
    std::optional<store::JournalCursor> begin;
    std::vector<MessagePlace> received;
    std::vector<MessagePlace> sent;
  };

  bool serve(AttachedClient& client);
  void handle(AttachedClient& client, std::span<const char> bytes);
  void greet(AttachedClient& client, const Frame& frame);
  [[nodiscard]] bool is_attached(const ClientRights& rights);
  void admit(AttachedClient& client, const ClientRights& rights, const HelloText& hello);
  void start_replay(AttachedClient& client, const HelloText& hello);
  // Null without an error: the client has not asked for it.
  [[nodiscard]] std::expected<std::unique_ptr<GatewayRing>, RingError> ring_for(
      AttachedClient& client, const HelloText& hello);
  void welcome(AttachedClient& client, const GatewayRing* ring);
  void send(AttachedClient& client, const Frame& frame);
  void send(AttachedClient& client, Slot& slot, const Frame& frame);
  void refuse(AttachedClient& client, const Frame& frame, RefuseCode code, std::string_view why);
  void report_not_sent(Slot& slot);
  void release_durable();
  void end(AttachedClient& client);
  void go_on_replaying(AttachedClient& client);
  void apply_absence(Slot& slot);
  void state_changed(engine::Session& session, bool is_logged_on, const std::string& why);
  void report(EventId id, const std::string& text, std::string_view session = {});
  // The end of a connection that has not become a client.
  void report_stranger(EventId id, const std::string& text);
  void report_hidden(std::uint64_t connections);

  [[nodiscard]] MonoTime now() { return options_.clock->now().mono; }
  [[nodiscard]] std::uint32_t index_of(const engine::Session& session) const noexcept;
  [[nodiscard]] Known& known(const ClientRights& rights) noexcept {
    return known_[static_cast<std::size_t>(&rights - options_.clients.clients.data())];
  }
  [[nodiscard]] MessagePlace received_place(const Slot& slot) const;
  [[nodiscard]] MessagePlace sent_place(const Slot& slot) const;
  [[nodiscard]] const ClientRights* client_of(std::string_view name) const noexcept;

  GatewayOptions options_;
  int wake_ = -1;  // an eventfd
  store::Store* store_ = nullptr;
  // With it the engine goes on when all initiators have logged out.
  std::optional<engine::Remote> stays_open_;
  std::vector<Slot> slots_;
  std::vector<Known> known_;  // by the place in the file
  std::vector<std::unique_ptr<AttachedClient>> clients_;
  store::LogPosition marked_at_ = 0;  // where the log ended when the clients were marked
  MessageFields fields_;
  RefusalLimit strangers_;
};

// With an observer, the gateway also gets what the engine sends, which costs each message a little.
class GatewayWithObservers : public Gateway {
 public:
  using Gateway::Gateway;
  void on_sent(engine::Session& session, const engine::SentMessage& sent) {
    copy_sent(session, sent);
  }
};

}  // namespace nexusfix::gateway
