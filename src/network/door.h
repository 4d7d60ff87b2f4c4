#pragma once

#include <grpcpp/grpcpp.h>
#include <link.grpc.pb.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "network/transport_core.h"

namespace sotto::network {

// gRPC's settings that both ends have in common, by name.
[[nodiscard]] std::vector<std::pair<std::string, int>> common_settings(
    const TransportLimits& limits);

// A listening port, and the transports behind it: one of a study each. Whoever comes says which
// study it means; who means none that is here comes to one that knows it, and the two find out how
// their studies differ.
class Door {
 public:
  [[nodiscard]] static Result<std::shared_ptr<Door>> open(const Identity& identity,
                                                          const std::string& address,
                                                          const TransportLimits& limits);
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  ~Door();

  // E-listen if the study has one already.
  [[nodiscard]] Result<void> add(const std::shared_ptr<TransportCore>& core);
  void remove(const TransportCore* core);
  // A study that will be here, and who takes part in it: they are let in and told to come back
  // until it is, whatever other study knows them.
  void expect(const std::string& study, const std::vector<std::string>& fingerprints);
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] const std::string& fingerprint() const { return fingerprint_; }

 private:
  class Service final : public Link::CallbackService {
   public:
    explicit Service(Door& door) : door_(door) {}
    grpc::ServerBidiReactor<Packet, Packet>* Open(grpc::CallbackServerContext* context) override;

   private:
    Door& door_;
  };
  Door(std::string fingerprint, const TransportLimits& limits)
      : fingerprint_(std::move(fingerprint)), limits_(limits), service_(*this) {}

  [[nodiscard]] std::shared_ptr<TransportCore> core_for(const std::string& study,
                                                        const std::string& fingerprint);
  [[nodiscard]] bool knows(const std::string& fingerprint);
  void saw_stranger(const Sighting& seen);

  const std::string fingerprint_;
  const TransportLimits limits_;
  Service service_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<TransportCore>> cores_;  // by study
  std::set<std::string> expected_;                               // fingerprints
  std::set<std::string> expected_studies_;
  std::unique_ptr<grpc::Server> server_;
  std::uint16_t port_ = 0;
};

}  // namespace sotto::network
