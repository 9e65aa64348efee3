// TaskRunner without an EventLoop: posted tasks run on the session of their handle.
#include "engine/loop/task_runner.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/service/inbox/inbox_state.hpp"
#include "unit/engine/floors/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

class TaskRunnerComponent : public testing::FloorsTest {
 protected:
  void open_runner() {
    open();
    runner.emplace(loop(), sessions().registry, sessions().transactor);
    auto state = std::make_unique<detail::MailboxState>();
    state->waiter = std::make_shared<Waiter>();
    auto lane = std::make_shared<TaskChannel>(state->waiter);
    state->ways.push_back({lane, runner->shared_inbox()});
    runner->inbox().add(std::move(lane));
    runner->inbox().serve_here();
    mailbox.emplace(std::move(state));
  }
  void TearDown() override {
    mailbox.reset();
    runner.reset();
  }
  [[nodiscard]] SessionHandle handle(std::size_t index = 0) {
    return entry(index).session.handle();
  }
  template <class Task>
  void post(SessionHandle session, Task task) {
    ASSERT_TRUE(mailbox->post(session, std::move(task)).has_value());
  }
  std::vector<PostResult> results() {
    std::vector<PostResult> all;
    mailbox->collect([&](const PostResult& result) { all.push_back(result); });
    return all;
  }

  std::optional<TaskRunner> runner;
  std::optional<Mailbox> mailbox;
};

TEST_F(TaskRunnerComponent, tasks_run_once_in_the_order_of_their_posts) {
  open_runner();
  std::string order;
  for (const char name : {'a', 'b', 'c'}) {
    post(handle(), [&order, name](Session&) { order += name; });
  }
  EXPECT_EQ(order, "");
  runner->run_posted_tasks();
  runner->run_posted_tasks();
  EXPECT_EQ(order, "abc");
  const auto ended = results();
  ASSERT_EQ(ended.size(), 3u);
  EXPECT_EQ(ended[2].token, 3u);
  EXPECT_EQ(ended[2].outcome, PostOutcome::Done);
  EXPECT_EQ(loop().stats.posted_tasks.read(), 3u);
}

TEST_F(TaskRunnerComponent, task_gets_the_session_of_its_handle) {
  open_runner();
  std::string name;
  post(handle(1), [&name](Session& session) { name = session.name(); });
  runner->run_posted_tasks();
  EXPECT_EQ(name, entry(1).name);
}

TEST_F(TaskRunnerComponent, task_of_an_unknown_session_is_not_run) {
  open_runner();
  bool has_run = false;
  for (const SessionHandle unknown :
       {SessionHandle{.loop = loop().index, .key = 77},
        SessionHandle{.loop = loop().index + 1, .key = handle().key}}) {
    post(unknown, [&has_run](Session&) { has_run = true; });
    runner->run_posted_tasks();
    const auto ended = results();
    ASSERT_EQ(ended.size(), 1u);
    EXPECT_EQ(ended[0].outcome, PostOutcome::NoSession);
    EXPECT_EQ(ended[0].text, "no such session");
  }
  EXPECT_FALSE(has_run);
}

TEST_F(TaskRunnerComponent, task_that_throws_is_reported_and_the_next_one_runs) {
  open_runner();
  bool has_run = false;
  post(handle(), [](Session&) { throw std::runtime_error{"no price"}; });
  post(handle(), [&has_run](Session&) { has_run = true; });
  runner->run_posted_tasks();
  EXPECT_TRUE(has_run);
  const auto ended = results();
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].outcome, PostOutcome::Threw);
  EXPECT_EQ(ended[0].text, "no price");
  EXPECT_TRUE(log.has(EventId::PostedTaskThrew, "a posted task threw: no price")) << log.all();
  EXPECT_TRUE(sessions().transactor.is_idle());
}

TEST_F(TaskRunnerComponent, message_of_a_task_is_sent) {
  open_runner();
  const Accepted accepted = log_on(entry());
  post(handle(), [](Session& session) {
    wire::Encoder news = session.begin("B");
    news.field(148, "closed");
    return session.finish(news);
  });
  runner->run_posted_tasks();
  const auto ended = results();
  ASSERT_EQ(ended.size(), 1u);
  ASSERT_TRUE(ended[0].sent.has_value()) << ended[0].text;
  EXPECT_EQ(ended[0].sent->msg_seq_num, 2u);
  EXPECT_TRUE(testing::contains(sent_to(accepted.peer), "|35=B|")) << log.all();
}

TEST_F(TaskRunnerComponent, close_answers_what_was_not_begun_and_accepts_no_task) {
  open_runner();
  bool has_run = false;
  post(handle(), [&has_run](Session&) { has_run = true; });
  runner->close();
  runner->close();
  EXPECT_FALSE(has_run);
  const auto ended = results();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].outcome, PostOutcome::Stopped);
  const auto posted = mailbox->post(handle(), [](Session&) {});
  ASSERT_FALSE(posted.has_value());
  EXPECT_EQ(posted.error(), PostError::Stopped);
}

}  // namespace
}  // namespace nexusfix::engine
