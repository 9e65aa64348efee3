// Runs a venue and a trader in virtual time.
#include <chrono>
#include <cstdio>
#include <functional>

#include <nexusfix/engine.hpp>
#include <nexusfix/simulator.hpp>

struct Party {
  int& logons;
  void on_logon(nexusfix::Session&) { ++logons; }
};

int main() {
  nexusfix::simulator::World world{{.seed = 1, .faults = {}}};
  int logons = 0;
  world.add_process<Party>("venue",
                           "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=5001\n"
                           "FileStorePath=/journal\nNonStopSession=Y\n[SESSION]\n"
                           "BeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n",
                           std::ref(logons));
  world.add_process<Party>("trader",
                           "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=venue\n"
                           "SocketConnectPort=5001\nHeartBtInt=30\nFileStorePath=/journal\n"
                           "NonStopSession=Y\n"
                           "[SESSION]\n"
                           "BeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n",
                           std::ref(logons));
  world.run(std::chrono::hours{1});
  std::printf("logons in an hour: %d\n", logons);
}
