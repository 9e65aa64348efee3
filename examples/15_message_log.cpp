// A message log of your own: every received and sent message becomes a line of spdlog. The event
// loop only copies the message into a queue, which takes nanoseconds; another thread writes it.
//
// Usage: example_15_message_log 15_message_log.cfg messages.log
#include <algorithm>
#include <cstdio>
#include <memory>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>
#include <string>
#include <string_view>

#include <nexusfix/deferred.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/observe/logs.hpp>

namespace deferred = nexusfix::deferred;
namespace observe = nexusfix::observe;

namespace {

// [messages]
// For one event loop, which is the only producer of the queue. With EventLoops above 1, keep one
// queue for each LoggedMessage::loop.
class SpdlogMessages final : public observe::MessageLog {
 public:
  explicit SpdlogMessages(const std::string& path)
      : file_{spdlog::basic_logger_st("messages", path)} {
    file_->set_pattern("%v");
  }

  // False: a thread could not start.
  bool start() {
    return queue_.start([this](const Line& line) { write_line(line.bytes()); }).has_value();
  }
  // Call it after the engine's end. It returns when every line is in the file.
  void stop() {
    queue_.stop();
    const deferred::DeferredStats stats = queue_.stats();
    if (const auto lost = stats.refused_full + stats.refused_too_long; lost != 0) {
      file_->error("{} messages were too long, or found no room in the queue", lost);
    }
    file_->flush();
  }

  // On the event loop's thread: no lock, no allocation, no system call. A full queue refuses and
  // counts the message. The values of passwords are *** already.
  void write(const observe::LoggedMessage& message) override {
    const char direction = message.kind == observe::MessageKind::Sent ? '>' : '<';
    line_.assign(1, direction).append(message.session).append(" ").append(message.bytes);
    static_cast<void>(queue_.submit(line_, message.time));  // stop() reports what was refused
  }

 private:
  using Line = deferred::MessageBuffer<4'096>;

  void write_line(std::string_view bytes) {
    std::string line{bytes};
    std::ranges::replace(line, '\x01', '|');
    file_->info("{}", line);
  }

  std::shared_ptr<spdlog::logger> file_;
  std::string line_;  // grows to the longest message, and is then allocated no more
  deferred::DeferredProcessor<Line, 4'096> queue_{
      {.when_full = deferred::WhenFull::Refuse, .idle = deferred::Idle::Sleep}};
};
// [end]

struct Venue {
  void on_message(nexusfix::Session&, const nexusfix::MessageView&) {}
};

}  // namespace

int main(int argc, char** argv) {
  SpdlogMessages messages{argc > 2 ? argv[2] : "messages.log"};
  if (!messages.start()) return 1;
  Venue venue;
  nexusfix::EngineOptions options;
  options.message_log = &messages;
  const int result = nexusfix::run(argc > 1 ? argv[1] : "15_message_log.cfg", venue, options);
  messages.stop();
  return result;
}
