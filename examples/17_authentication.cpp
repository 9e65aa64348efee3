// Users and passwords of your own: a thread asks a slow directory at each Logon, while the event
// loop serves the other sessions. Here, the directory is the program at standard input and output:
// it gets the name of a user, and answers with the password of this user, or an empty line.
//
// Usage: example_17_authentication 17_authentication.cfg
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <iostream>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <nexusfix/engine.hpp>
#include <nexusfix/engine/remote.hpp>

namespace {

struct Check {
  nexusfix::SessionHandle session;
  std::uint64_t logon = 0;  // LogonRequest::id
  std::string user;
  std::string password;
};

// The thread that may wait for the directory. A client of a real one has a time limit: the end of
// this program waits for the answer.
class Directory {
 public:
  void start(nexusfix::Remote remote) {
    thread_ = std::jthread{[this, remote = std::move(remote)](std::stop_token stop) mutable {
      while (const auto check = next(stop)) answer(remote, *check);
    }};
  }
  void ask(Check check) {
    {
      const std::lock_guard lock{mutex_};
      checks_.push_back(std::move(check));
    }
    has_checks_.notify_one();
  }

 private:
  std::optional<Check> next(const std::stop_token& stop) {
    std::unique_lock lock{mutex_};
    if (!has_checks_.wait(lock, stop, [&] { return !checks_.empty(); })) return std::nullopt;
    Check check = std::move(checks_.front());
    checks_.pop_front();
    return check;
  }

  static bool is_valid(const Check& check) {
    std::printf("directory: %s?\n", check.user.c_str());
    std::string known;
    return std::getline(std::cin, known) && !known.empty() && known == check.password;
  }

  // [answer]
  // The answer reaches the session on its own thread. It has no effect if the connection has ended
  // or LogonTimeout has passed: the engine has refused the Logon then.
  static void answer(nexusfix::Remote& remote, const Check& check) {
    const bool is_known = is_valid(check);
    const auto answer = [logon = check.logon, is_known](nexusfix::Session& session) {
      session.answer_logon(logon, is_known
                                      ? nexusfix::LogonAnswer::accept()
                                      : nexusfix::LogonAnswer::refuse("wrong user or password"));
    };
    // NoSession: the session was removed meanwhile.
    const auto posted = remote.post(check.session, answer, [](const nexusfix::PostResult&) {});
    if (!posted) std::fprintf(stderr, "no answer: %s\n", posted.error().what().c_str());
  }
  // [end]

  std::mutex mutex_;
  std::condition_variable_any has_checks_;
  std::deque<Check> checks_;
  std::jthread thread_;  // the last member: it uses the others
};

// [request]
struct Venue {
  // The views of the request end with the callback: the check has copies.
  std::optional<nexusfix::LogonAnswer> on_logon_request(nexusfix::Session& session,
                                                        const nexusfix::LogonRequest& request) {
    constexpr int kUsername = 553;
    constexpr int kPassword = 554;
    const auto user = request.message[kUsername];
    const auto password = request.message[kPassword];
    if (!user || !password) {
      return nexusfix::LogonAnswer::refuse("Username and Password are missing");
    }
    directory.ask({session.handle(), request.id, std::string{*user}, std::string{*password}});
    return std::nullopt;  // later
  }

  Directory directory;
};
// [end]

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  Venue venue;
  auto engine = nexusfix::Engine::open(argc > 1 ? argv[1] : "17_authentication.cfg", venue);
  if (!engine) {
    std::fprintf(stderr, "%s\n", engine.error().what().c_str());
    return 1;
  }
  venue.directory.start(engine->remote());
  const nexusfix::StopSignals signals{*engine};
  return engine->run();
}
