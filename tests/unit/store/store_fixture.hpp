// What the tests of the stores share.
#pragma once

#include <gtest/gtest.h>
#include <utility>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>
#include <nexusfix/testing/store_case.hpp>

#include "store/api/journal.hpp"

namespace nexusfix::store {

inline OpenedJournal open_or_fail(Disk& disk, const JournalOptions& options) {
  auto opened = open_journal(disk, options, at_second(50));
  EXPECT_TRUE(opened) << opened.error().text;
  return opened ? std::move(*opened) : OpenedJournal{};
}

}  // namespace nexusfix::store
