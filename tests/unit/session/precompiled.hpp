// The includes of nearly every test of this folder, precompiled. No test includes it by name.
#pragma once

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "unit/session/side.hpp"
