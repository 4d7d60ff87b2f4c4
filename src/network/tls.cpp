// gRPC's experimental TLS options, and the verifier that asks for pins.

#include "network/tls.h"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <cstdlib>
#include <mutex>

#include "network/x509.h"

namespace sotto::network {
namespace {

using grpc::experimental::ExternalCertificateVerifier;
using grpc::experimental::IdentityKeyCertPair;
using grpc::experimental::StaticDataCertificateProvider;
using grpc::experimental::TlsChannelCredentialsOptions;
using grpc::experimental::TlsCustomVerificationCheckRequest;
using grpc::experimental::TlsServerCredentialsOptions;

// gRPC reads these once, when it first speaks TLS.
void prepare_grpc() {
  static std::once_flag once;
  std::call_once(once, [] {
    ::setenv("GRPC_SSL_CIPHER_SUITES", "ECDHE-RSA-AES256-GCM-SHA384", 1);
    // Names as every other program of the machine finds them (hosts, mDNS, DNS).
    ::setenv("GRPC_DNS_RESOLVER", "native", 0);
    // What goes wrong is told in events; gRPC's own lines on standard error are for
    // those who ask for them.
    ::setenv("GRPC_VERBOSITY", "NONE", 0);
  });
}

class PinVerifier final : public ExternalCertificateVerifier {
 public:
  explicit PinVerifier(Pins pins) : pins_(std::move(pins)) {}

  bool Verify(TlsCustomVerificationCheckRequest* request,
              std::function<void(grpc::Status)> /*callback*/, grpc::Status* status) override {
    const grpc::string_ref pem = request->peer_cert();
    const Sighting sighting = look_at({pem.data(), pem.size()});
    pins_.seen(sighting);
    *status = sighting.pinned
                  ? grpc::Status::OK
                  : grpc::Status(grpc::StatusCode::UNAUTHENTICATED, "not a pinned certificate");
    return true;
  }
  void Cancel(TlsCustomVerificationCheckRequest* /*request*/) override {}

 private:
  [[nodiscard]] Sighting look_at(std::string_view pem) const {
    const Certificate certificate = certificate_from_pem(pem);
    if (!certificate) return {};
    const EVP_PKEY* key = X509_get0_pubkey(certificate.get());
    Sighting sighting{.pinned = false,
                      .fingerprint = fingerprint_of(certificate.get()),
                      .name = common_name(certificate.get())};
    sighting.pinned =
        key != nullptr && EVP_PKEY_is_a(key, "ED25519") == 1 && pins_.allowed(sighting.fingerprint);
    return sighting;
  }
  Pins pins_;
};

template <class Options>
void use(Options& options, const std::shared_ptr<StaticDataCertificateProvider>& own, Pins pins) {
  options.set_certificate_provider(own);
  options.watch_identity_key_cert_pairs();
  options.set_check_call_host(false);
  options.set_certificate_verifier(
      ExternalCertificateVerifier::Create<PinVerifier>(std::move(pins)));
}

std::shared_ptr<StaticDataCertificateProvider> provider(const Identity& identity) {
  // gRPC would load the system's authorities if it had no root, for each connection,
  // to ask none of them.
  return std::make_shared<StaticDataCertificateProvider>(
      identity.certificate_pem(),
      std::vector<IdentityKeyCertPair>{
          {.private_key = identity.key_pem(), .certificate_chain = identity.certificate_pem()}});
}

}  // namespace

std::shared_ptr<grpc::ServerCredentials> server_credentials(const Identity& identity, Pins pins) {
  prepare_grpc();
  const auto own = provider(identity);
  TlsServerCredentialsOptions options(own);
  use(options, own, std::move(pins));
  // "Don't verify" is about authorities: the verifier is asked, and the handshake
  // still checks that the client has the key.
  options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_BUT_DONT_VERIFY);
  return grpc::experimental::TlsServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> dial_credentials(const Identity& identity, Pins pins) {
  prepare_grpc();
  TlsChannelCredentialsOptions options;
  use(options, provider(identity), std::move(pins));
  options.watch_root_certs();
  options.set_verify_server_certs(false);
  return grpc::experimental::TlsCredentials(options);
}

}  // namespace sotto::network
