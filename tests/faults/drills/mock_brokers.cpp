// Three brokers of Kafka in one process: librdkafka's own mock, a server of the protocol that keeps
// everything in memory. For tests that must be quick and need no Java.
//
//   mock_brokers
//
// Prints their addresses. Commands on standard input: "down", "up" (all brokers), "error CODE
// COUNT" (the next produce requests fail), "quit".
#include <cstdio>
#include <iostream>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <sstream>
#include <string>

int main() {
  constexpr int kBrokers = 3;
  char error[512] = {};
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  rd_kafka_t* const kafka = rd_kafka_new(RD_KAFKA_PRODUCER, conf, error, sizeof error);
  if (kafka == nullptr) {
    std::fprintf(stderr, "%s\n", error);
    return 1;
  }
  rd_kafka_mock_cluster_t* const cluster = rd_kafka_mock_cluster_new(kafka, kBrokers);
  std::cout << rd_kafka_mock_cluster_bootstraps(cluster) << std::endl;
  std::string line;
  while (std::getline(std::cin, line) && line != "quit") {
    std::istringstream words{line};
    std::string command;
    words >> command;
    if (command == "down" || command == "up") {
      for (int id = 1; id <= kBrokers; ++id) {
        command == "up" ? rd_kafka_mock_broker_set_up(cluster, id)
                        : rd_kafka_mock_broker_set_down(cluster, id);
      }
    } else if (command == "error") {
      int code = 0;
      int count = 0;
      words >> code >> count;
      constexpr std::int16_t kProduce = 0;
      for (int i = 0; i < count; ++i) {
        rd_kafka_mock_push_request_errors(cluster, kProduce, 1,
                                          static_cast<rd_kafka_resp_err_t>(code));
      }
    }
    std::cout << "ok" << std::endl;
  }
  rd_kafka_mock_cluster_destroy(cluster);
  rd_kafka_destroy(kafka);
}
