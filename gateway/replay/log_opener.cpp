#include "gateway/replay/log_opener.hpp"

#include <utility>

namespace nexusfix::gateway {
namespace {

// A journal as one of several kinds of logs.
class JournalLog final : public store::LogFollower {
 public:
  explicit JournalLog(store::JournalFollower follower) : follower_{std::move(follower)} {}

  std::expected<bool, std::string> next(Visitor visit) override { return follower_.next(visit); }
  const store::JournalCursor& cursor() const noexcept override { return follower_.cursor(); }
  store::LogPosition end_of_log() override { return follower_.end_of_log(); }
  std::optional<store::StoreEvent> next_event() override { return std::nullopt; }
  std::expected<std::unique_ptr<store::LogFollower>, std::string> fork() const override {
    auto second = follower_.fork();
    if (!second) return std::unexpected{std::move(second.error())};
    return std::make_unique<JournalLog>(std::move(*second));
  }

 private:
  store::JournalFollower follower_;
};

}  // namespace

OpenLog journal_opener(Disk& disk, std::string folder) {
  return [&disk, folder = std::move(folder)](const store::FollowOptions& options)
             -> std::expected<std::unique_ptr<store::LogFollower>, std::string> {
    auto follower = store::JournalFollower::open(disk, folder, options);
    if (!follower) return std::unexpected{std::move(follower.error())};
    return std::make_unique<JournalLog>(std::move(*follower));
  };
}

}  // namespace nexusfix::gateway
