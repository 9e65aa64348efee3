// A store of the program: EngineOptions::store_factory, for Store=program.
#include <stdexcept>

#include "support/medium_store.hpp"
#include "unit/engine/support/event_loops_fixture.hpp"

namespace nexusfix::testing {
namespace {

// One medium for each loop.
class MediumPlaces final : public store::StoreFactory {
 public:
  store::StoreResult<std::unique_ptr<store::Store>> open(
      const store::StoreOptions& options) override {
    opened.push_back(options);
    if (throws) throw std::runtime_error{"no driver"};
    if (returns_null) return nullptr;
    if (!error.empty()) {
      return std::unexpected{store::StoreError{store::StoreErrorCode::Server, error}};
    }
    return places[options.loop].open(options);
  }

  std::map<std::uint32_t, MediumPlace> places;
  std::vector<store::StoreOptions> opened;
  std::string error;
  bool returns_null = false;
  bool throws = false;
};

class ProgramStoreTest : public EventLoopsTest {
 protected:
  ProgramStoreTest() {
    extra = "Store=program";
    sessions =
        "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n"
        "[SESSION]\nBeginString=FIX.4.2\nSenderCompID=VENUE\nTargetCompID=OTHER\n";
  }
  template <class Venue>
  std::expected<Engine, engine::EngineError> try_open_with(store::StoreFactory* factory,
                                                           Venue& application) {
    EngineUnderTest opening = under_test();
    opening.options.store_factory = factory;
    return opening.try_open(application);
  }
  void open_here() {
    auto opened = try_open_with(&factory, venue);
    ASSERT_TRUE(opened.has_value()) << opened.error().what();
    acceptor.emplace(std::move(*opened));
  }
  std::string error_with(store::StoreFactory* with) {
    const auto opened = try_open_with(with, venue);
    return opened ? "opened" : opened.error().what();
  }

  MediumPlaces factory;
};

TEST_F(ProgramStoreTest, numbers_and_messages_are_there_after_a_restart) {
  open_here();
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  acceptor.reset();
  peers.clear();
  open_here();
  ASSERT_EQ(venue.recovered.size(), 1U);
  EXPECT_TRUE(contains(venue.recovered[0], "|11=A1|"));
  RawPeer& back = log_on("TRADER", 3);
  EXPECT_TRUE(contains(back.messages()[0], "|35=A|34=3|"));
  back.send(from("TRADER", "2", 4, "7=2|16=2|"));
  ASSERT_TRUE(run_until([&] { return back.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(back.messages()[1], "|43=Y|"));
  EXPECT_TRUE(contains(back.messages()[1], "|11=A1|"));
  EXPECT_TRUE(log.has("the program's store: 2 sessions")) << log.all();
}

TEST_F(ProgramStoreTest, the_factory_gets_the_engines_disk_and_clock) {
  open_here();
  ASSERT_EQ(factory.opened.size(), 1U);
  EXPECT_EQ(factory.opened[0].loop, 0U);
  EXPECT_EQ(factory.opened[0].loop_count, 1U);
  EXPECT_EQ(factory.opened[0].clock, &clock);
  EXPECT_NE(factory.opened[0].disk, nullptr);
  EXPECT_NE(factory.opened[0].on_durable.call, nullptr);
}

TEST_F(ProgramStoreTest, an_error_null_and_an_exception_of_the_factory_are_errors_of_open) {
  const std::string begin = "Store=program: the store of event loop 0 is not open: ";
  factory.error = "db.example does not answer";
  EXPECT_EQ(error_with(&factory), begin + "db.example does not answer");
  factory.returns_null = true;
  EXPECT_EQ(error_with(&factory), begin + "EngineOptions::store_factory returned null");
  factory.throws = true;
  EXPECT_EQ(error_with(&factory), begin + "EngineOptions::store_factory threw: no driver");
}

TEST_F(ProgramStoreTest, the_configuration_and_the_program_must_agree) {
  EXPECT_EQ(error_with(nullptr),
            "venue.cfg: Store=program, and this program brings no store: set "
            "EngineOptions::store_factory, or choose journal, memory or postgresql");
  for (const char* other : {"", "Store=journal", "Store=memory"}) {
    extra = other;
    EXPECT_EQ(error_with(&factory),
              "venue.cfg: this program brings a store of its own (EngineOptions::store_factory): "
              "Store=program was expected in [DEFAULT]");
  }
  EXPECT_TRUE(factory.opened.empty());
}

TEST_F(ProgramStoreTest, no_answer_leaves_after_the_store_has_failed) {
  open_here();
  RawPeer& other = log_on("OTHER");
  RawPeer& peer = log_on("TRADER");
  factory.places[0].medium.on_commit = Medium::Fault::Error;
  peer.send(order("TRADER", 2, "A1"));
  EXPECT_TRUE(run_until([&] { return peer.closed() && other.closed(); }));
  EXPECT_EQ(peer.messages().size(), 1U) << "only the Logon";
  EXPECT_TRUE(log.has("medium: the cable")) << log.all();
  EXPECT_EQ(venue.logouts, 2);
  EXPECT_EQ(acceptor->run(), 1);
}

TEST_F(ProgramStoreTest, a_session_that_is_added_later_is_in_the_store) {
  open_here();
  auto more = config::parse_settings(
      "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\n"
      "SocketAcceptAddress=127.0.0.1\nStore=memory\nNonStopSession=Y\nUseDataDictionary=N\n"
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=NEW\n",
      "more.cfg");
  ASSERT_TRUE(more.has_value());
  const auto added = acceptor->add_sessions(std::move(*more));
  ASSERT_TRUE(added) << added.error().what();
  EXPECT_EQ(acceptor->store().session_count(), 3U);
}

TEST_F(ProgramStoreTest, each_event_loop_has_a_store_and_finds_its_sessions_again) {
  extra = "Store=program\nEventLoops=2";
  sessions.clear();
  for (int i = 0; i < kSessions; ++i) {
    sessions += session_text(i, "EventLoop=" + std::to_string(i % 2) + "\n");
  }
  const auto open_both = [&] {
    auto opened = try_open_with(&factory, loop_venue);
    ASSERT_TRUE(opened.has_value()) << opened.error().what();
    acceptor.emplace(std::move(*opened));
    acceptor->start();
  };
  open_both();
  ASSERT_EQ(factory.opened.size(), 2U);
  EXPECT_EQ(factory.opened[1].loop, 1U);
  EXPECT_EQ(factory.opened[1].loop_count, 2U);
  for (int i = 0; i < kSessions; ++i) connect().send(logon(who(i), 1));
  ASSERT_TRUE(wait_until([&] {
    return std::ranges::all_of(peers, [](const auto& peer) { return !peer->messages().empty(); });
  }));
  stop_and_join();
  acceptor.reset();
  EXPECT_EQ(factory.places[0].medium.committed_records > 4, true);
  EXPECT_EQ(factory.places[1].medium.committed_records > 4, true);
  std::swap(factory.places[0].medium, factory.places[1].medium);
  const auto moved = try_open_with(&factory, loop_venue);
  ASSERT_FALSE(moved.has_value());
  EXPECT_NE(moved.error().what().find("is stored in loop 1, the program's store of event loop 1"),
            std::string::npos)
      << moved.error().what();
}

}  // namespace
}  // namespace nexusfix::testing
