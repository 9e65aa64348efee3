// A venue whose clock only the test moves: a seed repeats every byte that it sends.
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include <nexusfix/engine.hpp>

#include "config/api/settings.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/fix_text.hpp"
#include "support/manual_clock.hpp"
#include "support/network/raw_peer.hpp"
#include "support/recording_log.hpp"
#include "venue/rules/parse_rules.hpp"
#include "venue/venue.hpp"

namespace nexusfix::venue {
namespace {

constexpr std::string_view kRules =
    "if Symbol=A and chance 30% then reject 'no luck'\n"
    "if Symbol=A and chance 50% then delay 1ms to 40ms\n"
    "if Symbol=A and OrderQty>150 then fill 3 parts after 9ms\n"
    "self-trade cancel oldest\nmarket data every 20ms\nauction B open for 30ms\n";

// One run of the venue, with a counterparty that sends the same messages at the same times.
class VenueRun {
 public:
  explicit VenueRun(std::uint64_t seed) : venue_{{.orders = 64, .hash_seed = seed}, seed} {
    auto settings = config::parse_settings(
        "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\nSocketAcceptAddress=127.0.0.1\n"
        "FileStorePath=" +
            folder_.path() +
            "/store\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n",
        "venue.cfg");
    venue_.set_rules(std::make_shared<const Rules>(*parse_rules(kRules)));
    engine::EngineOptions options;
    options.clock = &clock_;
    options.log = &log_;
    engine_ = std::make_unique<engine::Engine>(
        std::move(*engine::Engine::open(std::move(*settings), venue_, options)));
    EXPECT_TRUE(venue_.attach(*engine_)) << venue_.failure();
    peer_ = std::make_unique<testing::RawPeer>(engine_->accept_port());
  }

  // All messages of the venue.
  std::string bytes() {
    send("A", "98=0|108=30|");
    send("V", "262=M|263=1|264=0|267=3|269=0|269=1|269=2|146=2|55=A|55=B|");
    for (unsigned i = 0; i < 24; ++i) {
      const std::string side = i % 3 == 0 ? "2" : "1";
      send("D", "11=O" + std::to_string(i) + "|55=" + (i % 4 == 0 ? "B" : "A") + "|54=" + side +
                    "|60=20240115-10:30:00|38=" + std::to_string(100 + 10 * i) + "|40=2|44=1" +
                    std::to_string(i % 2) + "|");
      pass(std::chrono::milliseconds{7});
    }
    for (int i = 0; i < 30; ++i) pass(std::chrono::milliseconds{7});
    const std::uint64_t sent = engine_->session(0).numbers().next_outbound - 1;
    for (int turn = 0; turn < 5'000 && peer_->messages().size() < sent; ++turn) poll(1);
    EXPECT_EQ(peer_->messages().size(), sent);
    std::string all;
    for (const std::string& message : peer_->messages()) all += message;
    return all;
  }

 private:
  void poll(int millis) {
    engine_->poll(std::chrono::milliseconds{millis});
    peer_->poll();
  }
  void send(std::string_view msg_type, std::string_view body) {
    char time[wire::kUtcTimestampBytesMax];
    const std::size_t size =
        wire::from_utc_timestamp(clock_.now().wall, wire::TimePrecision::Millis, time);
    peer_->send(testing::fix("FIX.4.4", "35=" + std::string{msg_type} +
                                            "|49=TRADER|56=VENUE|34=" + std::to_string(next_++) +
                                            "|52=" + std::string{time, size} + "|" +
                                            std::string{body}));
    for (int turn = 0; turn < 5'000; ++turn) {
      if (engine_->session(0).numbers().next_inbound == next_) return;
      poll(turn < 50 ? 0 : 1);
    }
    ADD_FAILURE() << log_.all();
  }
  // Timers that follow from timers have their own turn.
  void pass(std::chrono::milliseconds time) {
    clock_.advance(time);
    for (int turn = 0; turn < 4; ++turn) poll(0);
  }

  testing::TemporaryFolder folder_;
  testing::ManualClock clock_;
  testing::RecordingLog log_;
  Venue venue_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<testing::RawPeer> peer_;
  std::uint64_t next_ = 1;
};

TEST(VenueClock, seed_repeats_every_byte) {
  const std::string first = VenueRun{7}.bytes();
  EXPECT_EQ(VenueRun{7}.bytes(), first);
  EXPECT_NE(VenueRun{8}.bytes(), first);
}

TEST(VenueClock, run_has_what_the_rules_say) {
  const std::string bytes = testing::bar(VenueRun{7}.bytes());
  for (const std::string_view part :
       {"|58=no luck|", "|35=X|", "|35=W|", "|150=F|", "|55=B|", "|58=self-trade prevention"}) {
    EXPECT_TRUE(bytes.contains(part)) << part;
  }
}

}  // namespace
}  // namespace nexusfix::venue
