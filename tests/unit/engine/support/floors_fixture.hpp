// The floors of an event loop without its EventLoop: a test drives one component. The network, the
// store and the disk are in memory, and only the test moves the clock.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/engine.hpp>

#include "config/api/settings.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/ground/state/session_entry.hpp"
#include "engine/service/floors.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"
#include "support/manual_clock.hpp"
#include "support/network/fake_network.hpp"
#include "support/recording_log.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {

struct LoopFloors final : engine::EventEnds {
  LoopFloors(engine::LoopDependencies dependencies, engine::Callbacks callbacks)
      : loop{std::move(dependencies), callbacks, *this},
        floors{loop,
               {.call =
                    [](void* self, const store::StoreError& error) {
                      static_cast<LoopFloors*>(self)->store_failures.push_back(error.text);
                    },
                .context = this}},
        services{loop, floors.io, floors.sessions,
                 [](engine::SessionEntry& entry, wire::Encoder& encoder,
                    const wire::MessageHeader& header) noexcept {
                   entry.loop.services->sessions.outbox.write_logon(entry, encoder, header);
                 }} {
    loop.services = &services;
  }

  // As EventLoop ends an event without memory.
  void end_event() noexcept override {
    if (floors.sessions.transactor.is_idle()) floors.sessions.transactor.record().clear();
  }
  void end_event(engine::SessionEntry& entry) noexcept override {
    if (!floors.sessions.transactor.abort_event()) abort_session(loop, entry);
  }
  void end_event(engine::Connection& connection) noexcept override {
    if (!floors.sessions.transactor.abort_event()) floors.io.connections.abort(connection);
  }
  void end_event(const transport::Ready& ready) noexcept override {
    if (!floors.sessions.transactor.abort_event()) floors.io.connections.abort(ready);
  }

  std::vector<std::string> store_failures;
  engine::LoopContext loop;
  engine::Floors floors;
  engine::SessionServices services;
};

class FloorsTest : public ::testing::Test {
 protected:
  static constexpr std::uint16_t kPort = 5001;
  struct Accepted {
    engine::Connection* connection = nullptr;  // null: it was refused
    transport::SocketId peer = 0;              // in the network `far`
  };

  FloorsTest() {
    dependencies.network = &network;
    dependencies.clock = &clock;
    dependencies.disk = &disk;
    dependencies.logs.events = &log;
  }

  // The configuration; set it before open().
  std::string store = "Store=memory";
  std::string schedule = "NonStopSession=Y";
  std::string extra;  // more keys for [DEFAULT]
  std::uint32_t held_bytes_max = 16U << 20U;
  std::string sessions_text = session_text("TRADER") + session_text("OTHER");

  [[nodiscard]] static std::string session_text(std::string_view who, std::string_view keys = {}) {
    return "[SESSION]\nTargetCompID=" + std::string{who} + "\n" + std::string{keys};
  }
  // Keys of an initiator, which connects to kPort of the network `far`.
  static constexpr std::string_view kInitiator =
      "ConnectionType=initiator\nHeartBtInt=30\nReconnectInterval=5\n"
      "SocketConnectHost=10.0.0.2\nSocketConnectPort=5001\n";

  [[nodiscard]] std::string config_of(const std::string& of_sessions) const {
    return "[DEFAULT]\nConnectionType=acceptor\nBeginString=FIX.4.4\nSenderCompID=VENUE\n"
           "SocketAcceptAddress=10.0.0.1\nSocketAcceptPort=5001\nUseDataDictionary=N\n" +
           store + "\n" + schedule + "\n" + extra + "\n" + of_sessions;
  }
  [[nodiscard]] engine::Settings settings_of(const std::string& of_sessions) const {
    auto settings = config::parse_settings(config_of(of_sessions), kFile);
    if (!settings) throw std::invalid_argument{settings.error().front().what()};
    for (config::SessionSettings& one : settings->sessions) {
      one.reconnect.jitter = 0;
      one.limits.out_of_order_bytes_max = held_bytes_max;
    }
    return std::move(*settings);
  }
  // The floors, without a store; instead of those of an earlier call.
  void make_floors() {
    made.reset();
    network.close_all();
    made = std::make_unique<LoopFloors>(std::move(dependencies), callbacks);
  }
  // The floors with their store and their sessions.
  void open() {
    make_floors();
    engine::Settings settings = settings_of(sessions_text);
    const auto opened = io().commit.open(settings, io().recovery);
    ASSERT_TRUE(opened.has_value()) << opened.error().what();
    const auto added = floors().directory.installer.add_sessions(std::move(settings));
    ASSERT_TRUE(added.has_value()) << added.error().what();
    log.clear();
  }

  // open(), and the sessions are those of this file on the disk.
  static constexpr const char* kFile = "venue.cfg";
  void open_with_file() {
    write_file(sessions_text);
    open();
    engine::SettingsChanges& changes = floors().directory.changes;
    changes.begin(kFile, disk.contents(kFile));
    for (const auto& one : sessions().registry.entries())
      one->file.configure(one->name, changes.text());
  }
  void write_file(const std::string& of_sessions) {
    disk.set_contents(kFile, config_of(of_sessions));
  }

  [[nodiscard]] engine::LoopContext& loop() { return made->loop; }
  [[nodiscard]] engine::Floors& floors() { return made->floors; }
  [[nodiscard]] engine::Io& io() { return made->floors.io; }
  [[nodiscard]] engine::Sessions& sessions() { return made->floors.sessions; }
  [[nodiscard]] engine::SessionEntry& entry(std::size_t index = 0) {
    return *sessions().registry.entries()[index];
  }

  // Time passes, and the next event begins.
  void pass(std::chrono::nanoseconds time) {
    clock.advance(time);
    loop().update_time();
  }

  // A peer connects to the port.
  Accepted accept() {
    const auto peer = far.connect({"10.0.0.1", kPort});
    EXPECT_TRUE(peer.has_value());
    Accepted accepted{.connection = nullptr, .peer = *peer};
    for (const transport::Ready& ready : events_of(network)) {
      if (ready.kind != transport::Ready::Kind::Accepted) continue;
      io().acceptor.on_accepted(ready);
      accepted.connection = io().connections.find(ready.accepted);
    }
    static_cast<void>(events_of(far));  // its end is connected now
    return accepted;
  }
  // An acceptor's session has this connection, and no Logon yet.
  Accepted bind(engine::SessionEntry& session) {
    const Accepted accepted = accept();
    accepted.connection->leave_pending();
    accepted.connection->bind_to(session);
    sessions().transactor.transact(
        session, [this](session::StateMachine& machine) { machine.on_connected(loop().now()); });
    return accepted;
  }
  Accepted log_on(engine::SessionEntry& session) {
    const Accepted accepted = bind(session);
    receive(session, "A", 1, "98=0|108=30|");
    EXPECT_TRUE(contains(sent_to(accepted.peer), "|35=A|")) << log.all();
    log.clear();
    return accepted;
  }
  // A message of the session's counterparty, with the clock's SendingTime.
  [[nodiscard]] std::string message(const engine::SessionEntry& session, std::string_view msg_type,
                                    std::uint64_t msg_seq_num, std::string_view body = {}) {
    char time[wire::kUtcTimestampBytesMax];
    const std::size_t size =
        wire::from_utc_timestamp(clock.now().wall, wire::TimePrecision::Millis, time);
    const session::SessionId& id = session.settings().session.id;
    return fix(id.begin_string, "35=" + std::string{msg_type} + "|49=" + id.target_comp_id +
                                    "|56=" + id.sender_comp_id +
                                    "|34=" + std::to_string(msg_seq_num) +
                                    "|52=" + std::string{time, size} + "|" + std::string{body});
  }
  // The session gets it, as an event.
  void receive(engine::SessionEntry& session, std::string_view msg_type, std::uint64_t msg_seq_num,
               std::string_view body = {}) {
    const std::string bytes = message(session, msg_type, msg_seq_num, body);
    const auto parsed = loop().parsers.inbound.parse(bytes);
    ASSERT_TRUE(parsed.has_value());
    sessions().transactor.transact(session, *parsed, engine::pack(parsed->msg_type()));
  }
  void receive_order(engine::SessionEntry& session, std::uint64_t msg_seq_num,
                     std::string_view cl_ord_id) {
    receive(session, "D", msg_seq_num, "11=" + std::string{cl_ord_id} + "|");
  }
  // What leaves at the end of a turn: makes records durable, sends, and closes what has ended.
  void end_turn() {
    store::LogPosition durable = 0;
    if (io().commit.flush(durable)) io().connections.send_unsent(durable);
    while (engine::Connection* const ended = io().connections.next_ended()) {
      sessions().disconnector.close(*ended, ended->end_event(), std::string{ended->close_reason()});
    }
  }
  // What the peer has received since the last call, with "|" for SOH.
  std::string sent_to(transport::SocketId peer) {
    end_turn();
    return received_by(peer);
  }
  std::string received_by(transport::SocketId peer) {
    std::array<char, 65'536> buffer;
    const auto got = far.receive(peer, buffer);
    return got.status == transport::IoResult::Status::Ok ? bar({buffer.data(), got.bytes})
                                                         : std::string{};
  }
  [[nodiscard]] bool is_closed(transport::SocketId peer) {
    std::array<char, 65'536> buffer;
    return far.receive(peer, buffer).status == transport::IoResult::Status::Closed;
  }
  [[nodiscard]] static std::vector<transport::Ready> events_of(transport::FakeNetwork& of) {
    std::vector<transport::Ready> ready(256);
    ready.resize(of.wait(ready, std::chrono::nanoseconds{0}));
    return ready;
  }
  [[nodiscard]] std::uint64_t next_outbound(std::size_t index = 0) {
    return entry(index).machine.sequence_numbers().next_outbound;
  }

  transport::FakeInternet internet;
  transport::FakeNetwork network{internet, "10.0.0.1"};
  transport::FakeNetwork far{internet, "10.0.0.2"};
  FakeDisk disk;
  ManualClock clock;
  RecordingLog log;
  EchoVenue venue;
  engine::Callbacks callbacks = engine::make_callbacks(venue);
  engine::LoopDependencies dependencies;
  std::unique_ptr<LoopFloors> made;
};

}  // namespace nexusfix::testing
