// Reports certificates before they expire, and reads them again on request.
#pragma once

#include <memory>
#include <vector>

#include <nexusfix/base/time.hpp>

#include "engine/loop/loop_context.hpp"
#include "engine/registry/reload_job.hpp"
#include "engine/registry/tls_contexts.hpp"

namespace nexusfix::engine {

class Reloader;

class CertificateWatch {
 public:
  CertificateWatch(LoopContext& loop, Reloader& reloader) noexcept
      : loop_{loop}, reloader_{reloader} {}

  void check();
  // Reads all certificates again. reader: null: the event log has the result.
  void reload(std::unique_ptr<CertificatesJob::Reader> reader);
  void report_certificates(const std::vector<TlsContexts::Reloaded>& reloaded);

 private:
  void report_expiries();

  LoopContext& loop_;
  Reloader& reloader_;

  MonoTime check_at_ = MonoTime::min();  // the next check of the expiries
};

}  // namespace nexusfix::engine
