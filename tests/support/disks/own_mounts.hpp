// A test body in a separate process that may mount file systems which no other process sees: as
// root or, if the kernel allows it, as any user.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nexusfix::testing {

inline constexpr int kCannotMount = 77;

inline bool write_text(const char* path, const std::string& text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool done = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(file);
  return done;
}

// In the child. False: this machine does not allow it.
inline bool own_mounts() {
  const uid_t user = ::getuid();
  const gid_t group = ::getgid();
  if (user == 0 && ::unshare(CLONE_NEWNS) == 0) {
    return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  }
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  return write_text("/proc/self/setgroups", "deny") &&
         write_text("/proc/self/uid_map", "0 " + std::to_string(user) + " 1") &&
         write_text("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
}

inline bool mount_tmpfs(const std::string& folder, const std::string& options) {
  return ::mount("tmpfs", folder.c_str(), "tmpfs", 0, options.c_str()) == 0;
}

// Runs body in a child, whose failures are the test's. Returns the child's exit status;
// kCannotMount means: skip the test.
inline int in_child(const std::function<int()>& body) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    const int status = body();
    std::fflush(stdout);
    std::_Exit(status != 0 ? status : ::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

}  // namespace nexusfix::testing
