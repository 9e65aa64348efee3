// What nearly every test of this folder includes, precompiled. No test includes it by name.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "store/api/journal.hpp"
#include "store/api/journal_format.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/disks/temporary_folder.hpp"
#include "unit/store/store_fixture.hpp"
