#include "transport/api/resolver.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <new>
#include <poll.h>
#include <semaphore>
#include <signal.h>
#include <sys/eventfd.h>

namespace nexusfix::transport {
namespace {

std::shared_ptr<Wakeup> make_wakeup() {
  auto wakeup = std::make_shared<Wakeup>();
  wakeup->descriptor = Descriptor{::eventfd(0, EFD_NONBLOCK)};
  return wakeup;
}

std::function<void()> telling(const std::shared_ptr<Wakeup>& wakeup) {
  return [wakeup] { wakeup->signal(); };
}

std::vector<ResolverAnswer> await_answers(Resolver& resolver, const Wakeup& wakeup) {
  std::vector<ResolverAnswer> answers;
  while (answers.empty()) {
    pollfd watched{wakeup.descriptor.get(), POLLIN, 0};
    if (::poll(&watched, 1, 20'000) != 1) break;
    std::uint64_t counter = 0;
    EXPECT_EQ(::read(wakeup.descriptor.get(), &counter, sizeof counter), 8);
    answers = resolver.consume_answers();
  }
  return answers;
}

TEST(Resolver, answers_carry_the_socket_that_asked) {
  const auto wakeup = make_wakeup();
  Resolver resolver{[](const Endpoint& endpoint) {
                      return Resolution{known_addresses({"127.0.0.9", endpoint.port})};
                    },
                    telling(wakeup)};
  resolver.ask(7, {"somewhere", 5001});
  const auto answers = await_answers(resolver, *wakeup);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].socket, 7U);
  EXPECT_EQ(answers[0].resolution.value().at(0).to_string(), "127.0.0.9:5001");
  EXPECT_TRUE(resolver.consume_answers().empty());
}

TEST(Resolver, resolves_again_after_its_thread_has_ended) {
  const auto wakeup = make_wakeup();
  Resolver resolver{[](const Endpoint&) -> Resolution { return std::unexpected{"no"}; },
                    telling(wakeup)};
  for (SocketId socket = 1; socket <= 20; ++socket) {
    resolver.ask(socket, {"somewhere", 5001});
    const auto answers = await_answers(resolver, *wakeup);
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].socket, socket);
    EXPECT_EQ(answers[0].resolution.error(), "no");
  }
}

TEST(Resolver, lookup_without_memory_is_an_answer) {
  const auto wakeup = make_wakeup();
  Resolver resolver{[](const Endpoint&) -> Resolution { throw std::bad_alloc{}; }, telling(wakeup)};
  resolver.ask(3, {"somewhere", 5001});
  const auto answers = await_answers(resolver, *wakeup);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].socket, 3U);
  EXPECT_EQ(answers[0].resolution.error(), "no memory");
}

// The handlers run on threads that the user knows of.
TEST(Resolver, its_thread_takes_no_signal_and_the_asking_thread_takes_its_own) {
  const auto wakeup = make_wakeup();
  const auto takes_term = [] {
    sigset_t blocked;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    return ::sigismember(&blocked, SIGTERM) == 0;
  };
  Resolver resolver{[&](const Endpoint&) -> Resolution {
                      return std::unexpected{takes_term() ? "takes it" : "blocks it"};
                    },
                    telling(wakeup)};
  ASSERT_TRUE(takes_term());
  resolver.ask(1, {"somewhere", 5001});
  EXPECT_TRUE(takes_term());
  const auto answers = await_answers(resolver, *wakeup);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].resolution.error(), "blocks it");
}

TEST(Resolver, may_be_destroyed_while_a_name_is_being_resolved) {
  const auto begun = std::make_shared<std::binary_semaphore>(0);
  const auto go_on = std::make_shared<std::binary_semaphore>(0);
  {
    Resolver resolver{[begun, go_on](const Endpoint&) -> Resolution {
                        begun->release();
                        go_on->acquire();
                        return std::unexpected{"late"};
                      },
                      telling(make_wakeup())};
    resolver.ask(1, {"slow", 1});
    resolver.ask(2, {"never asked", 1});
    begun->acquire();
  }
  go_on->release();
  EXPECT_FALSE(begun->try_acquire());  // the second name is not resolved
}

}  // namespace
}  // namespace nexusfix::transport
