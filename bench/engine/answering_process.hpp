// A second process, for rows of what two processes exchange.
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/measure/background.hpp"

namespace nexusfix::bench {

// What the two processes share besides what is measured.
struct Shared {
  std::atomic<bool> is_running{false};
  std::atomic<bool> is_ready{false};
  std::atomic<std::uint64_t> one_way{0};  // in ticks
};

// The process that answers, on the cores that this one does not use. While it does not run, it
// waits for a byte in the kernel.
class AnsweringProcess {
 public:
  // make() is called in the new process. Its result has resume(), called before the first turn()
  // after each pause, and turn(Shared&), which returns after some work.
  template <class Make>
  explicit AnsweringProcess(Make make) {
    void* const memory =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error{"no shared memory"};
    shared_ = new (memory) Shared;
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets_.data()) != 0)
      throw std::runtime_error{"no socket"};
    const StartElsewhere elsewhere;
    child_ = ::fork();
    if (child_ < 0) throw std::runtime_error{"no process"};
    if (child_ > 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close(sockets_[0]);
    try {
      answer(make());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "the answering process: %s\n", error.what());
    }
    ::_exit(1);
  }
  AnsweringProcess(const AnsweringProcess&) = delete;
  AnsweringProcess& operator=(const AnsweringProcess&) = delete;
  ~AnsweringProcess() {
    ::close(sockets_[0]);
    ::close(sockets_[1]);
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    ::munmap(shared_, sizeof(Shared));
  }

  void resume() {
    shared_->is_running = true;
    if (::send(sockets_[0], "", 1, MSG_NOSIGNAL) != 1) std::abort();
    while (!shared_->is_ready) {
      if (::waitpid(child_, nullptr, WNOHANG) != 0)
        throw std::runtime_error{"the answering process has ended"};
    }
  }
  void pause() {
    shared_->is_running = false;
    while (shared_->is_ready) continue;
  }
  // This end of a connection to the process. pause() and resume() use it, too.
  [[nodiscard]] int socket() const { return sockets_[0]; }
  [[nodiscard]] const Shared& shared() const { return *shared_; }

 private:
  template <class Answering>
  void answer(Answering answering) {
    for (char byte = 0; ::recv(sockets_[1], &byte, 1, 0) == 1;) {
      answering->resume();
      shared_->is_ready = true;
      while (shared_->is_running) answering->turn(*shared_);
      shared_->is_ready = false;
    }
  }

  std::array<int, 2> sockets_{-1, -1};
  Shared* shared_ = nullptr;
  pid_t child_ = -1;
};

}  // namespace nexusfix::bench
