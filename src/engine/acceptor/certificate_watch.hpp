// Reports certificates before they expire, and reads them again on request.
#pragma once

#include <vector>

#include <nexusfix/base/time.hpp>

#include "engine/loop/loop_context.hpp"
#include "engine/registry/tls_contexts.hpp"

namespace nexusfix::engine {

class Reloader;

class CertificateWatch {
 public:
  CertificateWatch(LoopContext& loop, Reloader& reloader) noexcept
      : loop_{loop}, reloader_{reloader} {}

  void check();
  void report_certificates(const std::vector<TlsContexts::Reloaded>& reloaded);

 private:
  void report_expiries();

  LoopContext& loop_;
  Reloader& reloader_;

  MonoTime check_at_ = MonoTime::min();  // the next check of the expiries
};

}  // namespace nexusfix::engine
