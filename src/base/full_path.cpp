#include "base/api/full_path.hpp"

#include <atomic>

namespace nexusfix {
namespace {

std::atomic<unsigned> living{0};

}  // namespace

FullPathOnly::FullPathOnly() noexcept { living.fetch_add(1, std::memory_order_relaxed); }
FullPathOnly::~FullPathOnly() { living.fetch_sub(1, std::memory_order_relaxed); }
bool FullPathOnly::is_on() noexcept { return living.load(std::memory_order_relaxed) != 0; }

}  // namespace nexusfix
