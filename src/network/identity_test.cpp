#include "network/identity.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <openssl/ec.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>
#include <rapidcheck/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "network/x509.h"
#include "support/certificates.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

Identity new_identity(const std::string& name = "north",
                      const std::vector<std::string>& hosts = {"north.example", "10.0.0.5",
                                                               "2001:db8::5"}) {
  auto identity = Identity::make(name, hosts);
  EXPECT_TRUE(identity) << identity.error().to_string();
  return std::move(*identity);
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

mode_t mode_of(const fs::path& path) {
  struct stat about {};
  EXPECT_EQ(::stat(path.c_str(), &about), 0) << path;
  return about.st_mode & 07777U;
}

class IdentityFolder : public testing::Test {
 protected:
  const TemporaryFolder folder_;
  const fs::path home_ = folder_ / "home";
};

TEST(Identity, SaysItsNameAndEveryHost) {
  const Identity identity = new_identity("Süd & Söhne");
  EXPECT_EQ(identity.name(), "Süd & Söhne");
  EXPECT_THAT(identity.hosts(), ElementsAre("north.example", "10.0.0.5", "2001:db8::5"));
}

TEST(Identity, CertificateIsForSigningAsServerAndClientAndLastsForTwentyYears) {
  const Identity identity = new_identity();
  const auto certificate = network::certificate_from_pem(identity.certificate_pem());
  ASSERT_TRUE(certificate);
  EXPECT_EQ(X509_get_key_usage(certificate.get()), std::uint32_t{KU_DIGITAL_SIGNATURE});
  EXPECT_EQ(X509_get_extended_key_usage(certificate.get()),
            std::uint32_t{XKU_SSL_SERVER | XKU_SSL_CLIENT});
  EXPECT_EQ(X509_check_ca(certificate.get()), 0);
  EXPECT_EQ(X509_verify(certificate.get(), X509_get0_pubkey(certificate.get())), 1);
  int days = 0;
  int seconds = 0;
  ASN1_TIME_diff(&days, &seconds, nullptr, X509_get0_notAfter(certificate.get()));
  EXPECT_GE(days, 20 * 365);
  EXPECT_EQ(X509_cmp_current_time(X509_get0_notBefore(certificate.get())), -1);
}

TEST(Identity, NoTwoAreTheSame) {
  const Identity one = new_identity();
  const Identity other = new_identity();
  EXPECT_NE(one.key_pem(), other.key_pem());
  EXPECT_NE(one.fingerprint(), other.fingerprint());
  const auto serial = [](const Identity& identity) {
    const auto certificate = network::certificate_from_pem(identity.certificate_pem());
    const ASN1_INTEGER* number = X509_get0_serialNumber(certificate.get());
    return std::string(reinterpret_cast<const char*>(number->data),
                       static_cast<std::size_t>(number->length));
  };
  EXPECT_NE(serial(one), serial(other));
}

TEST(Identity, FingerprintIsTheSha256OfTheCertificate) {
  const Identity identity = new_identity();
  EXPECT_THAT(identity.fingerprint(), testing::MatchesRegex("sha256:[0-9a-f]{64}"));
  EXPECT_EQ(fingerprint_of_der(identity.certificate_der()), identity.fingerprint());
  EXPECT_EQ(fingerprint_of_pem(identity.certificate_pem()), identity.fingerprint());
}

TEST(Identity, FingerprintOfWhatIsNoCertificateIsEmpty) {
  const Identity identity = new_identity();
  const std::string der = identity.certificate_der();
  EXPECT_EQ(fingerprint_of_der(""), "");
  EXPECT_EQ(fingerprint_of_der("sha256"), "");
  EXPECT_EQ(fingerprint_of_der(der.substr(0, der.size() - 1)), "");
  EXPECT_EQ(fingerprint_of_der(der + "x"), "");
  EXPECT_EQ(fingerprint_of_pem(identity.key_pem()), "");
  EXPECT_EQ(fingerprint_of_pem(""), "");
}

TEST(Identity, RefusesNamesAndHostsThatNobodyCanReach) {
  const auto refusal = [](const std::string& name, const std::vector<std::string>& hosts) {
    const auto identity = Identity::make(name, hosts);
    return identity ? std::string("accepted") : identity.error().name;
  };
  EXPECT_EQ(refusal("", {"north.example"}), "E-identity-name");
  EXPECT_EQ(refusal("a\nb", {"north.example"}), "E-identity-name");
  EXPECT_EQ(refusal("\xff\xfe", {"north.example"}), "E-identity-name");
  EXPECT_EQ(refusal(std::string(65, 'a'), {"north.example"}), "E-identity-name");
  EXPECT_EQ(refusal(std::string(64, 'a'), {"north.example"}), "accepted");
  EXPECT_EQ(refusal("north", {}), "E-identity-host");
  for (const char* host : {"", "north.example:7101", "a..b", ".a", "a b", "*.example", "häuser"}) {
    EXPECT_EQ(refusal("north", {"10.0.0.5", host}), "E-identity-host") << host;
  }
  EXPECT_EQ(refusal("north", std::vector<std::string>(65, "a")), "E-identity-host");
  EXPECT_THAT(new_identity("north", {"a", "a", "b"}).hosts(), ElementsAre("a", "b"));
}

TEST(Identity, SignaturesHoldForOneTextAndOneParty) {
  const Identity north = new_identity();
  const Identity south = new_identity("south");
  const std::string signature = north.sign("value 17");
  EXPECT_EQ(signature.size(), 64U);
  EXPECT_TRUE(verify_signature(north.certificate_der(), "value 17", signature));
  EXPECT_FALSE(verify_signature(north.certificate_der(), "value 18", signature));
  EXPECT_FALSE(verify_signature(south.certificate_der(), "value 17", signature));
  EXPECT_FALSE(verify_signature("no certificate", "value 17", signature));
  EXPECT_FALSE(verify_signature(north.certificate_der(), "value 17", ""));
  EXPECT_FALSE(verify_signature(north.certificate_der(), "value 17", signature + "x"));
}

RC_GTEST_PROP(IdentityProperty, NoFlippedBitKeepsASignatureValid, ()) {
  static const Identity kNorth = new_identity();
  const auto text = *rc::gen::arbitrary<std::string>();
  std::string signature = kNorth.sign(text);
  RC_ASSERT(verify_signature(kNorth.certificate_der(), text, signature));
  const auto place = *rc::gen::inRange<std::size_t>(0, signature.size());
  const auto bit = *rc::gen::inRange(0, 8);
  signature[place] = static_cast<char>(signature[place] ^ (1 << bit));
  RC_ASSERT(!verify_signature(kNorth.certificate_der(), text, signature));
}

// They sign, and OpenSSL would say that the signature is theirs.
TEST(Identity, AKeyOfAnotherKindHasSignedNothing) {
  for (EVP_PKEY* made : {EVP_RSA_gen(2048), EVP_EC_gen("P-256")}) {
    const network::Key key(made);
    const std::string der = network::to_der(certificate_of(key.get(), "north").get());
    ASSERT_NE(fingerprint_of_der(der), "") << "the certificate is one";
    const network::DigestContext context(EVP_MD_CTX_new());
    std::string signature(static_cast<std::size_t>(EVP_PKEY_get_size(key.get())), '\0');
    std::size_t size = signature.size();
    ASSERT_EQ(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()), 1);
    ASSERT_EQ(
        EVP_DigestSign(context.get(), network::bytes(signature), &size, network::bytes("a"), 1), 1);
    signature.resize(size);
    EXPECT_FALSE(verify_signature(der, "a", signature)) << EVP_PKEY_get0_type_name(key.get());
  }
}

TEST_F(IdentityFolder, IsTheSameAfterSavingAndLoading) {
  const Identity identity = new_identity();
  ASSERT_TRUE(identity.save(home_.string()));
  const auto loaded = Identity::load(home_.string());
  ASSERT_TRUE(loaded) << loaded.error().to_string();
  EXPECT_EQ(loaded->name(), identity.name());
  EXPECT_EQ(loaded->hosts(), identity.hosts());
  EXPECT_EQ(loaded->fingerprint(), identity.fingerprint());
  EXPECT_TRUE(verify_signature(identity.certificate_der(), "text", loaded->sign("text")));
}

TEST_F(IdentityFolder, OnlyTheOwnerCanReadTheKeyWhateverTheUmask) {
  const mode_t before = ::umask(0);
  const auto saved = new_identity().save(home_.string());
  ::umask(before);
  ASSERT_TRUE(saved);
  EXPECT_EQ(mode_of(home_), 0700U);
  EXPECT_EQ(mode_of(home_ / "identity.key"), 0600U);
  EXPECT_EQ(std::distance(fs::directory_iterator(home_), {}), 2) << "nothing else is left there";
}

TEST_F(IdentityFolder, IsNeverOverwritten) {
  const Identity identity = new_identity();
  ASSERT_TRUE(identity.save(home_.string()));
  const auto again = new_identity().save(home_.string());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().name, "E-identity-exists");
  EXPECT_EQ(text_of(home_ / "identity.key"), identity.key_pem());
  EXPECT_EQ(text_of(home_ / "identity.crt"), identity.certificate_pem());
}

TEST_F(IdentityFolder, OfSeveralThatAreSavedAtOnceOneIsKeptWhole) {
  std::vector<std::thread> threads;
  std::atomic<int> kept = 0;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&] {
      if (new_identity().save(home_.string())) ++kept;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(kept, 1);
  EXPECT_TRUE(Identity::load(home_.string()));
}

TEST_F(IdentityFolder, ACertificateWithoutAKeyIsWhatACrashLeavesAndNoObstacle) {
  ASSERT_TRUE(new_identity().save(home_.string()));
  fs::remove(home_ / "identity.key");
  std::ofstream(home_ / "identity.key.part") << "half a key";
  const Identity identity = new_identity();
  ASSERT_TRUE(identity.save(home_.string()));
  EXPECT_EQ(Identity::load(home_.string())->fingerprint(), identity.fingerprint());
}

TEST_F(IdentityFolder, AKeyThatOthersCanReadIsRefusedWithTheCommandThatHelps) {
  ASSERT_TRUE(new_identity().save(home_.string()));
  for (const mode_t mode : {0640U, 0604U, 0660U}) {
    ASSERT_EQ(::chmod((home_ / "identity.key").c_str(), mode), 0);
    const auto loaded = Identity::load(home_.string());
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().name, "E-identity-mode");
    EXPECT_EQ(loaded.error().status, Status::kRefused);
    EXPECT_THAT(loaded.error().fix, HasSubstr("chmod 600 " + (home_ / "identity.key").string()));
  }
  ASSERT_EQ(::chmod((home_ / "identity.key").c_str(), 0600), 0);
  EXPECT_TRUE(Identity::load(home_.string()));
}

TEST_F(IdentityFolder, AFolderThatOthersCanWriteToIsRefused) {
  fs::create_directory(home_);
  for (const mode_t mode : {0777U, 0770U, 0707U}) {
    ASSERT_EQ(::chmod(home_.c_str(), mode), 0);
    const auto saved = new_identity().save(home_.string());
    ASSERT_FALSE(saved) << mode;
    EXPECT_EQ(saved.error().name, "E-identity-mode");
    EXPECT_THAT(saved.error().fix, HasSubstr("chmod 700"));
  }
}

TEST(Identity, OfOnePartyIsNotPinnedForAnother) {
  const Identity one = new_identity("north");
  const Identity two = new_identity("south");
  const IdentitySigner signer(one, {{one.fingerprint()}, {two.fingerprint()}});
  EXPECT_TRUE(signer.pinned(1, two.certificate_der()));
  EXPECT_FALSE(signer.pinned(0, two.certificate_der()));
  EXPECT_FALSE(signer.pinned(1, one.certificate_der()));
}

TEST_F(IdentityFolder, SaysWhatIsWrongWithTheFiles) {
  const auto name_of_error = [&] {
    const auto loaded = Identity::load(home_.string());
    return loaded ? std::string("loaded") : loaded.error().name;
  };
  EXPECT_EQ(name_of_error(), "E-identity-missing");
  ASSERT_TRUE(new_identity().save(home_.string()));
  const std::string certificate = text_of(home_ / "identity.crt");
  std::ofstream(home_ / "identity.crt") << new_identity().certificate_pem();
  EXPECT_EQ(name_of_error(), "E-identity-file") << "the certificate of another key";
  std::ofstream(home_ / "identity.crt") << "nothing";
  EXPECT_EQ(name_of_error(), "E-identity-file");
  std::ofstream(home_ / "identity.crt") << certificate;
  EXPECT_EQ(name_of_error(), "loaded");
  std::ofstream(home_ / "identity.key") << "nothing";
  EXPECT_EQ(name_of_error(), "E-identity-file");
  fs::remove(home_ / "identity.crt");
  EXPECT_EQ(name_of_error(), "E-identity-missing");
  std::ofstream(folder_ / "file") << "no folder";
  EXPECT_EQ(new_identity().save((folder_ / "file").string()).error().name, "E-identity-write");
}

// Found by the fuzzer of identities: whoever asked how long it is valid ended the program.
TEST_F(IdentityFolder, WithACertificateWithoutDatesIsRefused) {
  const Identity sound = new_identity();
  ASSERT_TRUE(sound.save(home_.string()));
  const std::string der = sound.certificate_der();
  // UTCTime, 13 bytes: the month of each of the two dates.
  const std::string tag("\x17\x0d", 2);
  std::size_t dates = 0;
  for (auto at = der.find(tag); at != std::string::npos; at = der.find(tag, at + 1), ++dates) {
    std::string damaged = der;
    damaged.replace(at + tag.size() + 2, 2, "99");
    const auto certificate = network::certificate_from_der(damaged);
    ASSERT_TRUE(certificate);
    std::ofstream(home_ / "identity.crt") << network::to_pem(certificate.get());
    const auto identity = Identity::load(home_.string());
    ASSERT_FALSE(identity.has_value());
    EXPECT_EQ(identity.error().name, "E-identity-file");
    EXPECT_THAT(identity.error().what, HasSubstr("from when to when it is valid"));
  }
  EXPECT_EQ(dates, 2U);
}

TEST_F(IdentityFolder, ARotationKeepsTheOldKeyUntilItIsRetired) {
  ASSERT_TRUE(new_identity().save(home_.string()));
  const std::string old = Identity::load(home_.string())->fingerprint();
  EXPECT_FALSE(Identity::load_former(home_.string())->has_value());
  const auto next = Identity::rotate(home_.string());
  ASSERT_TRUE(next) << next.error().to_string();
  EXPECT_NE(next->fingerprint(), old);
  const auto loaded = Identity::load(home_.string());
  EXPECT_EQ(loaded->fingerprint(), next->fingerprint());
  EXPECT_EQ(loaded->name(), "north");
  EXPECT_EQ(loaded->hosts().size(), 3U);
  EXPECT_EQ((*Identity::load_former(home_.string()))->fingerprint(), old);
  EXPECT_EQ(mode_of(home_ / "identity.old.key"), 0600U);
  EXPECT_EQ(Identity::rotate(home_.string()).error().name, "E-identity-rotated");
  ASSERT_TRUE(Identity::retire(home_.string()));
  EXPECT_FALSE(Identity::load_former(home_.string())->has_value());
  EXPECT_EQ(Identity::retire(home_.string()).error().name, "E-identity-missing");
  EXPECT_TRUE(Identity::rotate(home_.string()));
}

// A power cut between the new key and its certificate, and one before the key.
TEST_F(IdentityFolder, ARotationThatWasCutShortLeavesAWholeKey) {
  ASSERT_TRUE(new_identity().save(home_.string()));
  const Identity old = std::move(*Identity::load(home_.string()));
  const Identity next = new_identity();
  const auto leave = [&](const std::string& name, const std::string& text) {
    std::ofstream(home_ / name) << text;
    ASSERT_EQ(::chmod((home_ / name).c_str(), 0600), 0);
  };
  leave("identity.old.crt", old.certificate_pem());
  leave("identity.old.key", old.key_pem());
  leave("identity.next.crt", next.certificate_pem());
  EXPECT_EQ(Identity::load(home_.string())->fingerprint(), old.fingerprint());
  leave("identity.key", next.key_pem());
  EXPECT_EQ(Identity::load(home_.string())->fingerprint(), next.fingerprint());
  // The old key is retired, and the power goes a second time, when the third key is to be written.
  ASSERT_TRUE(Identity::retire(home_.string()));
  const fs::path in_the_way = home_ / fmt::format("identity.key.{}.part", ::getpid());
  fs::create_directory(in_the_way);
  EXPECT_EQ(Identity::rotate(home_.string()).error().name, "E-identity-write");
  ASSERT_TRUE(fs::exists(home_ / "identity.next.crt"));
  const auto still = Identity::load(home_.string());
  ASSERT_TRUE(still) << still.error().to_string();
  EXPECT_EQ(still->fingerprint(), next.fingerprint());
  fs::remove(in_the_way);
  const auto third = Identity::rotate(home_.string());
  ASSERT_TRUE(third) << third.error().to_string();
  EXPECT_EQ(Identity::load(home_.string())->fingerprint(), third->fingerprint());
  EXPECT_EQ((*Identity::load_former(home_.string()))->fingerprint(), next.fingerprint());
}

// Both have begun before either has the folder to itself.
TEST_F(IdentityFolder, OfTwoRotationsAtOnceOneIsRefusedAndTheOthersKeyStays) {
  ASSERT_TRUE(new_identity().save(home_.string()));
  const int folder = ::open(home_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(folder, LOCK_EX), 0);
  std::vector<std::string> made(2);
  std::vector<std::thread> threads;
  for (std::string& mine : made) {
    threads.emplace_back([&] {
      const auto next = Identity::rotate(home_.string());
      mine = next ? next->fingerprint() : next.error().name;
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ::close(folder);
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(made, testing::UnorderedElementsAre("E-identity-rotated",
                                                  Identity::load(home_.string())->fingerprint()));
}

TEST_F(IdentityFolder, IsPrivateUnderANameWithASlashAtItsEndToo) {
  const mode_t before = ::umask(002);
  const auto saved = new_identity().save(home_.string() + "/");
  const auto dotted = new_identity().save((folder_ / "dotted" / ".").string());
  ::umask(before);
  ASSERT_TRUE(saved) << saved.error().to_string();
  ASSERT_TRUE(dotted) << dotted.error().to_string();
  EXPECT_EQ(mode_of(home_), 0700U);
  EXPECT_EQ(mode_of(folder_ / "dotted"), 0700U);
}

TEST(Identity, SaysHowLongItsCertificateIsValid) {
  constexpr std::int64_t kDay = 86400;
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  const auto soon = Identity::make("north", {"north.example"}, 30);
  EXPECT_NEAR(static_cast<double>(soon->valid_until() - now), 30.0 * kDay, 60);
  EXPECT_GT(new_identity().valid_until() - now, 19 * (365 * kDay));
}

TEST(Identity, AStudyMayNameTwoFingerprintsOfAParty) {
  const Identity one = new_identity("north");
  const Identity two = new_identity("north");
  const Identity other = new_identity("north");
  const IdentitySigner signer(one, {{one.fingerprint(), two.fingerprint()}});
  EXPECT_TRUE(signer.pinned(0, one.certificate_der()));
  EXPECT_TRUE(signer.pinned(0, two.certificate_der()));
  EXPECT_FALSE(signer.pinned(0, other.certificate_der()));
  EXPECT_FALSE(signer.pinned(1, one.certificate_der()));
}

}  // namespace
}  // namespace sotto
