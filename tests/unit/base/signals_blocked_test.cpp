#include "base/api/signals_blocked.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <thread>

namespace nexusfix {
namespace {

bool is_blocked(int signal) {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return sigismember(&blocked, signal) == 1;
}

TEST(SignalsBlocked, AThreadThatStartsMeanwhileGetsNoSignal) {
  bool blocks_interrupt = false;
  bool blocks_hangup = false;
  std::thread thread;
  {
    const SignalsBlocked blocked;
    thread = std::thread{[&] {
      blocks_interrupt = is_blocked(SIGINT);
      blocks_hangup = is_blocked(SIGHUP);
    }};
  }
  thread.join();
  EXPECT_TRUE(blocks_interrupt);
  EXPECT_TRUE(blocks_hangup);
}

TEST(SignalsBlocked, TheThreadThatStartsItGetsSignalsAsBefore) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &one, nullptr);
  {
    const SignalsBlocked blocked;
    EXPECT_TRUE(is_blocked(SIGINT));
  }
  EXPECT_FALSE(is_blocked(SIGINT));
  EXPECT_TRUE(is_blocked(SIGUSR1));
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

}  // namespace
}  // namespace nexusfix
