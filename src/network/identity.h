#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "session/terms.h"

// Keys, certificates and signatures, for those who need not know OpenSSL.
namespace sotto {

// Who a party is: an Ed25519 key and a certificate that the party signed itself. The
// study pins the certificate by its fingerprint; the same key signs what the party says.
class Identity {
 public:
  // A new key from the operating system's generator. `name` is what people call the
  // party: 1 to 64 characters. `hosts` are DNS names and IP addresses (v4, v6), all of
  // them in the certificate; at least one. E-identity-name, E-identity-host.
  [[nodiscard]] static Result<Identity> make(const std::string& name,
                                             const std::vector<std::string>& hosts);

  // identity.key (mode 0600) and identity.crt in a folder of the party's own (0700 if
  // it has to be made; one that others can write to is refused). Refuses to overwrite:
  // a new key is a new party. After a crash at any instant either all of it is there
  // or no key is. E-identity-exists, E-identity-mode, E-identity-write.
  [[nodiscard]] Result<void> save(const std::string& folder) const;
  // E-identity-missing; E-identity-mode if others can read the key; E-identity-file if
  // the two files are not what save() wrote.
  [[nodiscard]] static Result<Identity> load(const std::string& folder);

  [[nodiscard]] const std::string& name() const { return name_; }
  // As people write them, each once, in the certificate's order.
  [[nodiscard]] const std::vector<std::string>& hosts() const { return hosts_; }
  [[nodiscard]] std::string fingerprint() const;  // sha256:64 hexadecimal digits, of the DER
  [[nodiscard]] std::string certificate_der() const;
  [[nodiscard]] const std::string& certificate_pem() const { return certificate_pem_; }
  [[nodiscard]] const std::string& key_pem() const { return key_pem_; }

  // By this machine's clock the certificate is still to be made.
  [[nodiscard]] bool from_the_future() const;

  // Ed25519, 64 bytes.
  [[nodiscard]] std::string sign(std::string_view text) const;

  ~Identity();
  Identity(Identity&&) noexcept = default;

 private:
  Identity() = default;
  // The name, hosts and match of a certificate and a key; E-identity-file.
  [[nodiscard]] static Result<Identity> parse(std::string certificate_pem, std::string key_pem);

  std::string name_;
  std::vector<std::string> hosts_;
  std::string certificate_pem_;
  std::string key_pem_;  // wiped on destruction
};

// Of a certificate that somebody sent; of the first one in a PEM text, which is the
// holder's own. Empty if it is none.
[[nodiscard]] std::string fingerprint_of_der(std::string_view der);
[[nodiscard]] std::string fingerprint_of_pem(std::string_view pem);

// Whether `signature` is the certificate holder's, Ed25519, over `text`. A certificate
// with a key of another kind has signed nothing.
[[nodiscard]] bool verify_signature(std::string_view certificate_der, std::string_view text,
                                    std::string_view signature);

// Signs with the party's own key; knows the others by the fingerprints in the study.
class IdentitySigner final : public Signer {
 public:
  // fingerprints[party]. `identity` outlives this.
  IdentitySigner(const Identity& identity, std::vector<std::string> fingerprints)
      : identity_(identity), fingerprints_(std::move(fingerprints)) {}

  [[nodiscard]] std::string certificate() const override { return identity_.certificate_der(); }
  [[nodiscard]] std::string sign(std::string_view text) const override {
    return identity_.sign(text);
  }
  [[nodiscard]] bool pinned(PartyId party, std::string_view certificate) const override {
    return party < fingerprints_.size() && fingerprint_of_der(certificate) == fingerprints_[party];
  }
  [[nodiscard]] bool verify(std::string_view certificate, std::string_view text,
                            std::string_view signature) const override {
    return verify_signature(certificate, text, signature);
  }

 private:
  const Identity& identity_;
  std::vector<std::string> fingerprints_;
};

}  // namespace sotto
