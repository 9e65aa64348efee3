// An acceptor of any version, for a test in another language: reads a configuration, and accepts
// every message.
#include <nexusfix/engine.hpp>

namespace {

struct Taker {
  nexusfix::MessageReply on_message(nexusfix::Session&, const nexusfix::MessageView&) {
    return nexusfix::accept();
  }
};

}  // namespace

int main(int argc, char** argv) {
  Taker taker;
  return argc == 2 ? nexusfix::run(argv[1], taker) : 2;
}
