// Has what the flags of cmake/hardening.cmake guard, so that a test can look for their traces.
#include <cstdio>
#include <cstring>
#include <vector>

int main(int count, char** words) {
  char first[16];
  std::strcpy(first, words[0] + std::strlen(words[0]) - 3);
  const std::vector<int> numbers(static_cast<std::size_t>(count));
  std::printf("%s %d\n", first, numbers[static_cast<std::size_t>(count) - 1]);
}
