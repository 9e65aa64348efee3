// Jobs of a running engine: they read its configuration with all its files, or its certificates.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine.hpp>

#include "engine/directory/reload/file_reader.hpp"
#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

class LoopDirectory;
class ReloadOrder;

class CertificateWatch;
class Reloader;

// The configuration of one event loop, with the content of its files: its sessions have their
// dictionaries and TLS contexts.
struct FreshShare {
  Settings settings;
  InDictionaries dictionaries;
};

struct FreshConfiguration {
  bool is_same = false;            // the text did not change: nothing else was read
  std::vector<FreshShare> shares;  // one for each loop
  TlsContexts::Contexts contexts;  // for TlsContexts::keep()
};

class ReloadJob final : public FileJob {
 public:
  using Found = FreshConfiguration;
  struct Start {
    std::string file;
    std::shared_ptr<const std::string> known;  // the text in effect
    std::shared_ptr<const TlsContexts> tls;    // null: no session had TLS at the start
    std::shared_ptr<LoopDirectory> directory;  // null: there is one loop
    std::shared_ptr<ReloadOrder> order;        // null: the event log has the result
    Parts parts{};
    SettingsCheck check_settings{};
  };
  ReloadJob(Reloader& reloader, Start start) : reloader_{reloader}, start_{std::move(start)} {}

  void read(Disk& disk) override;
  void finish() override;
  void fail(std::string_view why) override;

  // Once, after read().
  [[nodiscard]] std::expected<Found, EngineError> consume_found() { return std::move(found_); }
  [[nodiscard]] const std::shared_ptr<ReloadOrder>& order() const noexcept { return start_.order; }

 private:
  Reloader& reloader_;
  const Start start_;
  std::expected<Found, EngineError> found_{};
};

class CertificatesJob final : public FileJob {
 public:
  // Gets the result, on the loop's thread.
  class Reader {
   public:
    virtual ~Reader() = default;
    virtual void read(const std::vector<TlsContexts::Reloaded>& contexts) = 0;
  };
  // reader: null: only the event log has the result.
  CertificatesJob(CertificateWatch& watch, std::shared_ptr<TlsContexts> tls,
                  std::unique_ptr<Reader> reader)
      : watch_{watch}, tls_{std::move(tls)}, reader_{std::move(reader)} {}

  void read(Disk& disk) override { reloaded_ = tls_->reload(disk); }
  void finish() override;
  void fail(std::string_view why) override;

 private:
  CertificateWatch& watch_;
  const std::shared_ptr<TlsContexts> tls_;
  const std::unique_ptr<Reader> reader_;
  std::vector<TlsContexts::Reloaded> reloaded_;
};

// Reports certificates before they expire, and reads them again on request.
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
