// Identity::save and load: two files in a folder.

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/files.h"
#include "network/identity.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKeyFile = "identity.key";
constexpr const char* kCertificateFile = "identity.crt";
// While a new key takes the place of an old one, and after it.
constexpr const char* kNextCertificateFile = "identity.next.crt";
constexpr const char* kFormerKeyFile = "identity.old.key";
constexpr const char* kFormerCertificateFile = "identity.old.crt";
constexpr std::size_t kMaxFileBytes = 65'536;
constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;
constexpr mode_t kOpenToOthers = S_IRWXG | S_IRWXO;

class File {
 public:
  explicit File(int number) : number_(number) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool open() const { return number_ >= 0; }

 private:
  int number_;
};

Error cannot_write(const fs::path& path, int error) {
  return failed("E-identity-write",
                fmt::format("cannot write {}: {}", path.string(), std::strerror(error)),
                "name a folder of your own, with --home or SOTTO_HOME");
}

Result<void> make_folder(const fs::path& named) {
  const fs::path folder = without_slash(named);
  if (const int error = make_folders(folder.parent_path(), Readers::kAsUsual); error != 0) {
    return cannot_write(folder, error);
  }
  if (::mkdir(folder.c_str(), S_IRWXU) == 0) {
    const int error = sync_folder(folder.parent_path());
    return error == 0 ? Result<void>() : cannot_write(folder, error);
  }
  if (errno != EEXIST) return cannot_write(folder, errno);
  struct stat about {};
  if (::stat(folder.c_str(), &about) != 0) return cannot_write(folder, errno);
  if (!S_ISDIR(about.st_mode)) return cannot_write(folder, ENOTDIR);
  if ((about.st_mode & kWritableByOthers) != 0) {
    return refused("E-identity-mode",
                   fmt::format("others can write to {}, and so exchange your key", folder.string()),
                   fmt::format("chmod 700 {}", folder.string()));
  }
  return {};
}

// The text of a file whose mode is without `forbidden`.
Result<std::string> read_identity_file(const fs::path& path, mode_t forbidden) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) {
    return failed("E-identity-missing",
                  fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)),
                  "make an identity with 'sotto keys new', or name its folder with --home");
  }
  struct stat about {};
  if (::fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return failed("E-identity-file", fmt::format("{} is not a file", path.string()),
                  "name the folder that holds identity.key and identity.crt");
  }
  if ((about.st_mode & forbidden) != 0) {
    return refused("E-identity-mode",
                   fmt::format("others can read {}, and so act in your name", path.string()),
                   fmt::format("chmod 600 {}; if they may have read it: a new identity, and its "
                               "fingerprint in the study",
                               path.string()));
  }
  std::string text(kMaxFileBytes, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t read = ::read(file.number(), text.data() + size, text.size() - size);
    if (read < 0 && errno == EINTR) continue;
    if (read <= 0) break;
    size += static_cast<std::size_t>(read);
  }
  // Shrinking keeps the buffer: no second copy of a key is left behind.
  text.resize(size);
  return text;
}

}  // namespace

Result<void> Identity::save(const std::string& folder) const {
  const fs::path home = folder;
  SOTTO_TRY(make_folder(home));
  const File lock(::open(home.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.open() || ::flock(lock.number(), LOCK_EX) != 0) return cannot_write(home, errno);
  struct stat about {};
  if (::lstat((home / kKeyFile).c_str(), &about) == 0) {
    return bad_input("E-identity-exists",
                     fmt::format("{} is there already, and a new key is a new party",
                                 (home / kKeyFile).string()),
                     "'sotto keys show' shows it; for another party name another folder "
                     "with --home");
  }
  // The key last: where there is a key, its certificate is there too.
  const auto write = [&](const char* name, const std::string& text, mode_t mode) -> Result<void> {
    const int error = replace_file(home / name, text, mode);
    if (error != 0) return cannot_write(home / name, error);
    return {};
  };
  SOTTO_TRY(write(kCertificateFile, certificate_pem_, 0644));
  SOTTO_TRY(write(kKeyFile, key_pem_, 0600));
  if (::fsync(lock.number()) != 0) return cannot_write(home, errno);
  return {};
}

Result<Identity> Identity::load(const std::string& folder) {
  const fs::path home = folder;
  SOTTO_ASSIGN(auto key, read_identity_file(home / kKeyFile, kOpenToOthers));
  auto certificate = read_identity_file(home / kCertificateFile, 0);
  if (!certificate) {
    OPENSSL_cleanse(key.data(), key.size());
    return certificate.error();
  }
  // Where a rotation ended between key and certificate, the next certificate is the key's.
  auto next = read_identity_file(home / kNextCertificateFile, 0);
  const bool fits = parse(std::string(*certificate), std::string(key)).has_value();
  std::string& chosen = !fits && next ? *next : *certificate;
  return parse(std::move(chosen), std::move(key)).at(home.string());
}

Result<Identity> Identity::rotate(const std::string& folder, std::uint64_t days) {
  const fs::path home = folder;
  const File lock(::open(home.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const bool locked = lock.open() && ::flock(lock.number(), LOCK_EX) == 0;
  const int why_not = errno;
  // Under the lock: what another rotation has just made is the old one of this.
  SOTTO_ASSIGN(const auto old, load(folder));
  if (!locked) return cannot_write(home, why_not);
  struct stat about {};
  if (::lstat((home / kFormerKeyFile).c_str(), &about) == 0) {
    SOTTO_ASSIGN(const auto former, load_former(folder));
    if (former && former->fingerprint() != old.fingerprint()) {
      return bad_input("E-identity-rotated",
                       fmt::format("the key before this one is still kept, {}",
                                   (home / kFormerKeyFile).string()),
                       "'sotto keys retire' removes it, when no study names it any more");
    }
  }
  SOTTO_ASSIGN(auto next, make(old.name(), old.hosts(), days));
  const auto write = [&](const char* name, const std::string& text, mode_t mode) -> Result<void> {
    const int error = replace_file(home / name, text, mode);
    if (error != 0) return cannot_write(home / name, error);
    return {};
  };
  // A rotation that was cut short has left its certificate beside its place, where this one's
  // comes.
  if (read_identity_file(home / kCertificateFile, 0).value_or("") != old.certificate_pem()) {
    SOTTO_TRY(write(kCertificateFile, old.certificate_pem(), 0644));
  }
  SOTTO_TRY(write(kFormerCertificateFile, old.certificate_pem(), 0644));
  SOTTO_TRY(write(kFormerKeyFile, old.key_pem(), 0600));
  SOTTO_TRY(write(kNextCertificateFile, next.certificate_pem(), 0644));
  // From here on the new key is the party's; its certificate is found beside it until it is in its
  // place.
  SOTTO_TRY(write(kKeyFile, next.key_pem(), 0600));
  SOTTO_TRY(write(kCertificateFile, next.certificate_pem(), 0644));
  (void)::unlink((home / kNextCertificateFile).c_str());
  if (::fsync(lock.number()) != 0) return cannot_write(home, errno);
  return next;
}

Result<std::optional<Identity>> Identity::load_former(const std::string& folder) {
  const fs::path home = folder;
  struct stat about {};
  if (::lstat((home / kFormerKeyFile).c_str(), &about) != 0) return std::optional<Identity>();
  SOTTO_ASSIGN(auto key, read_identity_file(home / kFormerKeyFile, kOpenToOthers));
  auto certificate = read_identity_file(home / kFormerCertificateFile, 0);
  if (!certificate) {
    OPENSSL_cleanse(key.data(), key.size());
    return certificate.error();
  }
  SOTTO_ASSIGN(auto identity,
               parse(std::move(*certificate), std::move(key)).at((home / kFormerKeyFile).string()));
  return std::optional<Identity>(std::move(identity));
}

Result<void> Identity::retire(const std::string& folder) {
  const fs::path home = folder;
  SOTTO_ASSIGN(const auto former, load_former(folder));
  if (!former) {
    return failed("E-identity-missing", fmt::format("no former key is kept in {}", folder),
                  "'sotto keys rotate' makes one the former");
  }
  if (::unlink((home / kFormerKeyFile).c_str()) != 0) {
    return cannot_write(home / kFormerKeyFile, errno);
  }
  (void)::unlink((home / kFormerCertificateFile).c_str());
  return {};
}

}  // namespace sotto
