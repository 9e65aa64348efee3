#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "settings_fixture.hpp"

namespace nexusfix::config {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kMember = joined(kAcceptor,
                                   "Store=postgresql\n"     // 9
                                   "ClusterShard=shard1\n"  // 10
                                   "ClusterNode=a\n");      // 11

TEST(ClusterSettings, an_engine_of_a_cluster_waits_for_its_shard) {
  const Settings settings =
      accepted(kMember +
               "ClusterEtcd=http://e1:2379, http://[::1]:1/ e3\nClusterName=venues\n"
               "ClusterLeaseSeconds=10\n");
  const ClusterSettings& cluster = settings.cluster;
  EXPECT_EQ(cluster.shard, "shard1");
  EXPECT_EQ(cluster.node, "a");
  EXPECT_EQ(cluster.name, "venues");
  ASSERT_EQ(cluster.etcd.size(), 3U);
  EXPECT_EQ(cluster.etcd[0].host, "e1");
  EXPECT_EQ(cluster.etcd[1].host, "::1");
  EXPECT_EQ(cluster.etcd[1].port, 1);
  EXPECT_EQ(cluster.etcd[2].host, "e3");
  EXPECT_EQ(cluster.etcd[2].port, 2379);
  EXPECT_EQ(cluster.lease, std::chrono::seconds{10});
  EXPECT_EQ(settings.postgres.if_owned, store::IfOwned::Wait);
  EXPECT_EQ(settings.postgres.standby, store::StandbyPolicy::Strict);
  EXPECT_EQ(
      accepted(kMember + "ClusterEtcd=e\nPostgreSQLStoreStandby=available\n").postgres.standby,
      store::StandbyPolicy::Available);
  EXPECT_THAT(settings.warnings, IsEmpty());
}

TEST(ClusterSettings, what_a_shard_needs_is_named) {
  const auto found = errors(joined(kAcceptor, "ClusterShard=s\n"));
  EXPECT_THAT(found, Contains(HasSubstr("t.cfg:9: ClusterShard: ClusterNode is missing")));
  EXPECT_THAT(found, Contains(HasSubstr("t.cfg:9: ClusterShard: ClusterEtcd is missing")));
  EXPECT_THAT(found, Contains(HasSubstr("Store=postgresql was expected")));
  EXPECT_THAT(errors(kMember + "ClusterEtcd=e\nPostgreSQLStoreIfOwned=refuse\n"),
              ElementsAre(HasSubstr("t.cfg:13: PostgreSQLStoreIfOwned=refuse: an engine of a "
                                    "cluster waits")));
  EXPECT_THAT(texts(accepted(joined(kAcceptor, "ClusterNode=a\nClusterEtcd=e\n")).warnings),
              ElementsAre("t.cfg:9: ClusterNode: not used without ClusterShard",
                          "t.cfg:10: ClusterEtcd: not used without ClusterShard"));
}

TEST(ClusterSettings, half_of_a_lease_is_left_after_a_renewal_that_no_member_answered) {
  struct Row {
    const char* etcd;
    int lease_seconds;
    int renewal_millis;
    int request_millis;
  };
  for (const Row& row :
       {Row{"e1,e2,e3", 5, 1'000, 500}, Row{"e1", 2, 400, 600}, Row{"e1,e2,e3", 2, 400, 200},
        Row{"e1,e2,e3,e4,e5", 10, 1'000, 800}, Row{"e1", 60, 1'000, 10'000}}) {
    const ClusterSettings cluster =
        accepted(kMember + "ClusterEtcd=" + row.etcd +
                 "\nClusterLeaseSeconds=" + std::to_string(row.lease_seconds) + '\n')
            .cluster;
    EXPECT_EQ(cluster.renewal, milliseconds{row.renewal_millis}) << row.lease_seconds;
    EXPECT_EQ(cluster.request_timeout, milliseconds{row.request_millis}) << row.etcd;
    EXPECT_LE(
        2 * (cluster.renewal + static_cast<int>(cluster.etcd.size()) * cluster.request_timeout),
        cluster.lease);
  }
  const ClusterSettings plain = accepted(kMember + "ClusterEtcd=e1,e2,e3\n").cluster;
  EXPECT_EQ(plain.renewal, ClusterSettings{}.renewal);
  EXPECT_EQ(plain.request_timeout, ClusterSettings{}.request_timeout);
}

TEST(ClusterSettings, an_address_of_etcd_is_a_host_and_a_port) {
  for (const char* const wrong : {"ftp://e1:2379", "e1:0", "e1:65536", "e1:x", "http://",
                                  "::1:2379", "[::1", "e1/path", "user@e1"}) {
    EXPECT_THAT(errors(kMember + "ClusterEtcd=" + wrong + '\n'),
                Contains(HasSubstr("addresses of etcd, such as https://10.0.0.1:2379")))
        << wrong;
  }
}

TEST(ClusterSettings, etcd_may_want_tls_a_certificate_and_a_user) {
  const ClusterSettings cluster =
      accepted(kMember +
               "ClusterEtcd=https://e1,http://e2\nClusterEtcdAuthoritiesFile=ca.pem\n"
               "ClusterEtcdCertificateFile=c.pem\nClusterEtcdKeyFile=k.pem\n"
               "ClusterEtcdUser=engine\nClusterEtcdPassword=secret\n")
          .cluster;
  ASSERT_EQ(cluster.etcd.size(), 2U);
  EXPECT_TRUE(cluster.etcd[0].is_tls);
  EXPECT_EQ(cluster.etcd[0].port, 2379);
  EXPECT_FALSE(cluster.etcd[1].is_tls);
  EXPECT_EQ(cluster.etcd_authorities_file, "ca.pem");
  EXPECT_EQ(cluster.etcd_certificate_file, "c.pem");
  EXPECT_EQ(cluster.etcd_key_file, "k.pem");
  EXPECT_EQ(cluster.etcd_user, "engine");
  EXPECT_EQ(cluster.etcd_password, "secret");
}

TEST(ClusterSettings, an_address_of_etcd_without_tls_beside_one_with_it_is_a_warning) {
  for (const char* const mixed : {"https://e1,e2", "http://e1,https://e2"}) {
    EXPECT_THAT(texts(accepted(kMember + "ClusterEtcd=" + mixed + '\n').warnings),
                ElementsAre("t.cfg:12: ClusterEtcd: an address without https:// is asked without "
                            "TLS"));
  }
  EXPECT_THAT(texts(accepted(kMember + "ClusterEtcd=https://e1,https://e2\n").warnings), IsEmpty());
}

TEST(ClusterSettings, a_password_for_one_address_without_tls_is_a_warning) {
  EXPECT_THAT(texts(accepted(kMember + "ClusterEtcd=https://e1,e2\nClusterEtcdUser=u\n"
                                       "ClusterEtcdPassword=p\n")
                        .warnings),
              Contains(HasSubstr("t.cfg:14: ClusterEtcdPassword: it is sent without TLS")));
}

TEST(ClusterSettings, what_etcd_needs_beside_a_key_is_named) {
  const std::string secure = kMember + "ClusterEtcd=https://e\n";
  for (const auto& [one, other] : {std::pair{"ClusterEtcdCertificateFile", "ClusterEtcdKeyFile"},
                                   std::pair{"ClusterEtcdUser", "ClusterEtcdPassword"}}) {
    EXPECT_THAT(errors(secure + one + "=x\n"),
                ElementsAre(std::string{"t.cfg:13: "} + one + ": " + other + " is missing"));
    EXPECT_THAT(errors(secure + other + "=x\n"),
                ElementsAre(std::string{"t.cfg:13: "} + other + ": " + one + " is missing"));
  }
  const std::string plain = kMember + "ClusterEtcd=e\n";
  EXPECT_THAT(errors(plain + "ClusterEtcdAuthoritiesFile=ca.pem\n"),
              ElementsAre("t.cfg:13: ClusterEtcdAuthoritiesFile: ClusterEtcd has no address with "
                          "https://"));
  EXPECT_THAT(texts(accepted(plain + "ClusterEtcdUser=u\nClusterEtcdPassword=p\n").warnings),
              ElementsAre(HasSubstr("t.cfg:14: ClusterEtcdPassword: it is sent without TLS")));
}

}  // namespace
}  // namespace nexusfix::config
