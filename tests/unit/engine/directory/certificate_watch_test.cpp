// CertificateWatch without an EventLoop: when certificates are read again, and what is reported.
#include <chrono>
#include <memory>
#include <vector>

#include "engine/directory/reload/reload_job.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

class CertificateWatchComponent : public testing::FloorsTest {
 protected:
  [[nodiscard]] CertificateWatch& watch() { return floors().directory.certificates; }
  [[nodiscard]] config::FileReader& files() { return floors().directory.files; }
};

TEST_F(CertificateWatchComponent, only_the_first_loop_reads_them_again_and_once_a_request) {
  dependencies.shared.tls = std::make_shared<TlsContexts>();
  TlsContexts& tls = *dependencies.shared.tls;
  dependencies.index = 1;
  tls.want_reload();
  make_floors();
  watch().check();
  EXPECT_FALSE(files().is_busy()) << "the second loop";
  const auto shared = loop().shared.tls;
  dependencies.shared.tls = shared;
  dependencies.index = 0;
  make_floors();
  watch().check();
  EXPECT_TRUE(files().is_busy());
  files().serve(clock.now().mono);
  watch().check();
  EXPECT_FALSE(files().is_busy());
}

TEST_F(CertificateWatchComponent, engine_without_tls_has_nothing_to_watch) {
  make_floors();
  watch().check();
  EXPECT_FALSE(files().is_busy());
  EXPECT_EQ(loop().time.wakes_at(), kNever);
}

TEST_F(CertificateWatchComponent, each_result_is_an_event_and_a_failure_says_what_stays) {
  dependencies.shared.tls = std::make_shared<TlsContexts>();
  make_floors();
  watch().report_certificates({{.is_valid = true, .text = "venue.pem"},
                               {.is_valid = false, .text = "trader.pem: no such file"}});
  EXPECT_TRUE(log.has(EventId::CertificatesReloaded, "read again: venue.pem")) << log.all();
  EXPECT_TRUE(log.has(EventId::CertificatesNotReloaded,
                      "certificates stay as they were: trader.pem: no such file"))
      << log.all();
  EXPECT_EQ(loop().time.wakes_at(), clock.now().mono + std::chrono::hours{24})
      << "their expiry is looked at each day";
}

}  // namespace
}  // namespace nexusfix::engine
