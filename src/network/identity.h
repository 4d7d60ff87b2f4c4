#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
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
  // The certificate is valid for `days`. Nobody is kept out by its dates; people are warned.
  [[nodiscard]] static Result<Identity> make(const std::string& name,
                                             const std::vector<std::string>& hosts,
                                             std::uint64_t days = kValidDays);
  static constexpr std::uint64_t kValidDays = std::uint64_t{20} * 366;

  // identity.key (mode 0600) and identity.crt in a folder of the party's own (0700 if
  // it has to be made; one that others can write to is refused). Refuses to overwrite:
  // a new key is a new party. After a crash at any instant either all of it is there
  // or no key is. E-identity-exists, E-identity-mode, E-identity-write.
  [[nodiscard]] Result<void> save(const std::string& folder) const;
  // E-identity-missing; E-identity-mode if others can read the key; E-identity-file if
  // the two files are not what save() wrote.
  [[nodiscard]] static Result<Identity> load(const std::string& folder);

  // A new key and certificate for the same name and hosts in the place of the old ones, which stay
  // beside them until retire(): studies name the one or the other, or for a time both. After a
  // crash at any instant one of the two is the party's key, whole. E-identity-rotated if an old one
  // is still kept.
  [[nodiscard]] static Result<Identity> rotate(const std::string& folder,
                                               std::uint64_t days = kValidDays);
  // The key before the last rotation; none if there is none.
  [[nodiscard]] static Result<std::optional<Identity>> load_former(const std::string& folder);
  // Removes it, for ever. E-identity-missing if there is none.
  [[nodiscard]] static Result<void> retire(const std::string& folder);

  [[nodiscard]] const std::string& name() const { return name_; }
  // As people write them, each once, in the certificate's order.
  [[nodiscard]] const std::vector<std::string>& hosts() const { return hosts_; }
  [[nodiscard]] std::string fingerprint() const;  // sha256:64 hexadecimal digits, of the DER
  [[nodiscard]] std::string certificate_der() const;
  [[nodiscard]] const std::string& certificate_pem() const { return certificate_pem_; }
  [[nodiscard]] const std::string& key_pem() const { return key_pem_; }

  // Seconds since 1970.
  [[nodiscard]] std::int64_t valid_until() const;
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
  // fingerprints[party]: one, or two while a key is exchanged. `identity` outlives this.
  IdentitySigner(const Identity& identity, std::vector<std::vector<std::string>> fingerprints)
      : identity_(identity), fingerprints_(std::move(fingerprints)) {}

  [[nodiscard]] std::string certificate() const override { return identity_.certificate_der(); }
  [[nodiscard]] std::string sign(std::string_view text) const override {
    return identity_.sign(text);
  }
  [[nodiscard]] bool pinned(PartyId party, std::string_view certificate) const override {
    if (party >= fingerprints_.size()) return false;
    const std::string shown = fingerprint_of_der(certificate);
    return std::ranges::find(fingerprints_[party], shown) != fingerprints_[party].end();
  }
  [[nodiscard]] bool verify(std::string_view certificate, std::string_view text,
                            std::string_view signature) const override {
    return verify_signature(certificate, text, signature);
  }

 private:
  const Identity& identity_;
  std::vector<std::vector<std::string>> fingerprints_;
};

}  // namespace sotto
