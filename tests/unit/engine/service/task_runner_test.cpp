// TaskRunner without an EventLoop: posted tasks run on the session of their handle.
#include "engine/service/inbox/task_runner.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/service/inbox/remote_state.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

class TaskRunnerComponent : public testing::FloorsTest {
 protected:
  void open_runner() {
    open();
    runner.emplace(loop(), sessions().registry, sessions().transactor);
    remote.emplace(std::make_shared<detail::RemoteState>(loop().shared.remotes, nullptr));
    runner->inbox().serve_here();
  }
  void TearDown() override {
    remote.reset();
    runner.reset();
  }
  [[nodiscard]] SessionHandle handle(std::size_t index = 0) {
    return entry(index).session.handle();
  }
  template <class Task>
  void post(SessionHandle session, Task task) {
    const auto keep = [this](const PostResult& result) { ended.push_back(result); };
    ASSERT_TRUE(remote->post(session, std::move(task), keep).has_value());
  }
  std::vector<PostResult> results() { return std::exchange(ended, {}); }

  std::optional<TaskRunner> runner;
  std::optional<Remote> remote;
  std::vector<PostResult> ended;
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
  const auto all = results();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[2].token, 3u);
  EXPECT_EQ(all[2].outcome, PostResult::Outcome::Done);
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
  post({.loop = loop().index, .key = 77}, [&has_run](Session&) { has_run = true; });
  runner->run_posted_tasks();
  const auto all = results();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].outcome, PostResult::Outcome::NoSession);
  EXPECT_EQ(all[0].text, "no such session");
  EXPECT_FALSE(has_run);
}

TEST_F(TaskRunnerComponent, task_that_throws_is_reported_and_the_next_one_runs) {
  open_runner();
  bool has_run = false;
  post(handle(), [](Session&) { throw std::runtime_error{"no price"}; });
  post(handle(), [&has_run](Session&) { has_run = true; });
  runner->run_posted_tasks();
  EXPECT_TRUE(has_run);
  const auto all = results();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].outcome, PostResult::Outcome::Threw);
  EXPECT_EQ(all[0].text, "no price");
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
  const auto all = results();
  ASSERT_EQ(all.size(), 1u);
  ASSERT_TRUE(all[0].sent.has_value()) << all[0].text;
  EXPECT_EQ(all[0].sent->msg_seq_num, 2u);
  EXPECT_TRUE(testing::contains(sent_to(accepted.peer), "|35=B|")) << log.all();
}

TEST_F(TaskRunnerComponent, close_answers_what_was_not_begun_and_accepts_no_task) {
  open_runner();
  bool has_run = false;
  post(handle(), [&has_run](Session&) { has_run = true; });
  runner->close();
  runner->close();
  EXPECT_FALSE(has_run);
  const auto all = results();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].outcome, PostResult::Outcome::Stopped);
  const auto posted = remote->post(handle(), [](Session&) {});
  ASSERT_FALSE(posted.has_value());
  EXPECT_EQ(posted.error().failure, RemoteError::Failure::Stopped);
}

}  // namespace
}  // namespace nexusfix::engine
