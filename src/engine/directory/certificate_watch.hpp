// Reports certificates before they expire, and reads them again on request.
#pragma once

#include <memory>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "engine/directory/reload/file_reader.hpp"
#include "engine/directory/reload/reload_job.hpp"
#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

class CertificateWatch {
 public:
  CertificateWatch(LoopContext& loop, FileReader& files) noexcept : loop_{loop}, files_{files} {}

  void check();
  // Reads all certificates again. reader: null: the event log has the result.
  void reload(std::unique_ptr<CertificatesJob::Reader> reader);
  void report_certificates(const std::vector<TlsContexts::Reloaded>& reloaded);

 private:
  void report_expiries();

  LoopContext& loop_;
  FileReader& files_;

  MonoTime check_at_ = MonoTime::min();  // the next check of the expiries
};

}  // namespace nexusfix::engine
