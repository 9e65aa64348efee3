// Gives its engine proxies and passwords.
#include <cstdio>
#include <string>

#include <nexusfix/engine.hpp>
#include <nexusfix/passwords.hpp>
#include <nexusfix/proxy.hpp>
#include <nexusfix/settings.hpp>

namespace {

struct Venue {};

// "opened", or why not.
std::string open(const std::string& more_keys) {
  const std::string text =
      "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\nStore=memory\n" + more_keys +
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n";
  auto settings = nexusfix::parse_settings(text, "venue.cfg");
  if (!settings) return settings.error().front().what();
  nexusfix::EngineOptions options;
  options.parts.proxy = nexusfix::transport::proxy_part();
  options.parts.passwords = nexusfix::engine::password_part();
  Venue venue;
  const auto opened = nexusfix::Engine::open(std::move(*settings), venue, options);
  return opened ? "opened" : opened.error().what();
}

}  // namespace

int main() {
  std::printf("proxies: %s\n", open("UseTCPProxy=Y\nTrustedProxies=127.0.0.1\n").c_str());
  const std::string asked = open("PasswordFile=/nonexistent/users\n");
  const bool is_asked = asked.starts_with("venue.cfg:5: PasswordFile: /nonexistent/users: stat ");
  std::printf("passwords: %s\n", is_asked ? "the file is asked for" : asked.c_str());
  return 0;
}
