// Signals go to the threads of the program that expect them, not to those that a layer starts.
#pragma once

#include <csignal>

namespace nexusfix {

// While an object of this class lives, the calling thread gets no signal, and neither does a thread
// that it starts meanwhile, as long as that one runs. The thread that made the object destroys it.
class SignalsBlocked {
 public:
  // All signals wait from now on.
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  // The calling thread gets signals as before.
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace nexusfix
