// How the tests of the engine open one.
#pragma once

#include <expected>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>

#include <nexusfix/engine.hpp>

#include "config/api/settings.hpp"

namespace nexusfix::testing {

// Size of a journal segment that takes no time to prepare.
inline constexpr std::uint64_t kSegmentBytes = 1U << 20U;

// A configuration and what a program passes to Engine::open(). A test changes both before it opens
// the engine, once:
//
//   EngineUnderTest opening = under_test();
//   opening.options.disk = &disk;
//   opening.open(acceptor, venue);
class EngineUnderTest {
 public:
  using Parsed = std::expected<config::Settings, config::SettingsErrors>;

  // Fails the test if the configuration is invalid.
  EngineUnderTest(Parsed parsed, const EngineOptions& given) : options{given} {
    EXPECT_TRUE(parsed.has_value()) << parsed.error().front().what();
    if (parsed) settings = std::move(*parsed);
    settings.segment_bytes = kSegmentBytes;
  }

  // Fails the test if the engine does not open. application outlives the engine.
  template <class Application>
  void open(std::optional<Engine>& place, Application& application) {
    auto opened = try_open(application);
    ASSERT_TRUE(opened.has_value()) << opened.error().what();
    place.emplace(std::move(*opened));
  }
  template <class Application>
  [[nodiscard]] std::expected<Engine, engine::EngineError> try_open(Application& application) {
    return Engine::open(std::move(settings), application, options);
  }
  // Why it does not open. "opened": it does.
  template <class Application>
  [[nodiscard]] std::string refusal(Application& application) {
    const auto opened = try_open(application);
    return opened ? "opened" : opened.error().what();
  }

  config::Settings settings;
  EngineOptions options;
};

}  // namespace nexusfix::testing
