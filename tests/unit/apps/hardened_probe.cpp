// Has the code that the flags of cmake/hardening.cmake guard, so that a test can check their
// effect.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

int main(int count, char** words) {
  char first[16];
  std::strcpy(first, words[0] + std::strlen(words[0]) - 3);
  // Only level 3 of _FORTIFY_SOURCE checks the size of this buffer.
  const auto size = static_cast<std::size_t>(count) * 8;
  char* const room = static_cast<char*>(std::malloc(size));
  if (room == nullptr) return 1;
  std::memset(room, 'x', std::strlen(words[0]));
  const std::vector<int> numbers(static_cast<std::size_t>(count));
  std::printf("%s %d %.*s\n", first, numbers[static_cast<std::size_t>(count) - 1],
              static_cast<int>(size), room);
  std::free(room);
}
