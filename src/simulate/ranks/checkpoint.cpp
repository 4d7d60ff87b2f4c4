// The file of a long run: written by rank 0, beside the old one and then in its place.
#include "simulate/ranks/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>

#include "base/check.h"
#include "base/digest.h"
#include "base/json.h"

namespace sotto {
namespace checkpoint {

constexpr std::string_view kMagic = "sotto checkpoint\n";
constexpr std::size_t kDigestBytes = 32;
constexpr std::size_t kBlockBytes = std::size_t{1} << 23;
constexpr std::size_t kMaxHeaderBytes = std::size_t{1} << 30;
// A look at the clock is a message to all: one for so many rows.
constexpr std::size_t kRowsBetweenLooks = std::size_t{1} << 16;

std::size_t block_parties(std::size_t lanes) {
  return std::max<std::size_t>(1, kBlockBytes / (lanes * sizeof(double)));
}

std::string reason() {
  return std::generic_category().message(errno);
}

Error fault(const std::filesystem::path& file, const std::string& what) {
  return failed("E-checkpoint-file", fmt::format("{}: {}", file.string(), what),
                "a file that can be read and written, with room beside it");
}

Error damaged(const std::filesystem::path& file, const std::string& what) {
  return failed("E-checkpoint-damaged", fmt::format("{}: {}", file.string(), what),
                "delete it, and the run begins anew; or take an earlier copy");
}

// A new file that takes the old one's place when it is complete.
class Writer {
 public:
  explicit Writer(std::filesystem::path file)
      : file_(std::move(file)), beside_(file_.string() + ".new") {
    out_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    unfinished_ = out_ >= 0 && take();
    if (out_ >= 0 && !unfinished_) {
      say("another run is writing it");
    } else if (out_ < 0 || ::ftruncate(out_, 0) != 0) {
      say(reason());
    }
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() {
    if (unfinished_) ::unlink(beside_.c_str());
    if (out_ >= 0) ::close(out_);
  }

  [[nodiscard]] const Result<void>& result() const { return result_; }

  void add(std::string_view bytes) {
    digest_.add(bytes);
    put(bytes);
  }

  [[nodiscard]] Result<void> finish() {
    put(digest_.value());
    if (result_ && ::fsync(out_) != 0) say(reason());
    if (result_ && std::rename(beside_.c_str(), file_.c_str()) != 0) say(reason());
    if (result_) {
      unfinished_ = false;
      sync_folder();
    }
    return result_;
  }

 private:
  // Two runs with one file would write into each other. Whoever has the lock has the file that
  // stands there under this name, and not one that was renamed meanwhile. Disks that know no locks
  // go without.
  [[nodiscard]] bool take() const {
    if (::flock(out_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
    struct stat ours {};
    struct stat there {};
    return ::fstat(out_, &ours) == 0 && ::stat(beside_.c_str(), &there) == 0 &&
           ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
  }
  // A power cut must not bring the old one back. Not every disk can; either file is whole.
  void sync_folder() const {
    const auto folder = file_.has_parent_path() ? file_.parent_path() : ".";
    const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) return;
    ::fsync(opened);
    ::close(opened);
  }
  void put(std::string_view bytes) {
    while (result_ && !bytes.empty()) {
      const auto count = ::write(out_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return say(reason());
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  void say(const std::string& why) { result_ = fault(file_, "cannot be written: " + why); }

  std::filesystem::path file_;
  std::filesystem::path beside_;
  int out_ = -1;
  bool unfinished_ = false;  // what stands beside is ours
  ByteDigest digest_;
  Result<void> result_;
};

// Walks all parties in blocks, in their order. On rank 0 `block(rows)` is called with everybody's
// rows of each block, before they go out to the ranks or after they came from them.
class Blocks {
 public:
  Blocks(const NetworkPart& part, std::size_t lanes) : part_(part), lanes_(lanes) {}

  void gather(const double* rows, const std::function<void(std::span<double>)>& block) const {
    walk([&](const Share& parties, std::span<const std::uint32_t> own, auto& parcels) {
      std::vector<double>& mine = parcels[part_.ranks().rank()];
      for (const std::uint32_t place : own) {
        mine.insert(mine.end(), rows + place * lanes_, rows + (place + 1) * lanes_);
      }
      if (part_.ranks().rank() != 0) {
        if (!mine.empty()) part_.ranks().post_send(0, std::as_bytes(std::span(mine)));
        return part_.ranks().wait();
      }
      for (std::size_t other = 1; other < parcels.size(); ++other) {
        if (parcels[other].empty()) continue;
        part_.ranks().post_receive(other, std::as_writable_bytes(std::span(parcels[other])));
      }
      part_.ranks().wait();
      std::vector<double> all(parties.size() * lanes_);
      deal(parties, parcels,
           [&](double* theirs, std::size_t at) { std::copy_n(theirs, lanes_, &all[at * lanes_]); });
      block(all);
    });
  }

  void scatter(double* rows, const std::function<void(std::span<double>)>& block) const {
    walk([&](const Share& parties, std::span<const std::uint32_t> own, auto& parcels) {
      std::vector<double>& mine = parcels[part_.ranks().rank()];
      mine.resize(own.size() * lanes_);
      if (part_.ranks().rank() == 0) {
        std::vector<double> all(parties.size() * lanes_);
        block(all);
        deal(parties, parcels, [&](double* theirs, std::size_t at) {
          std::copy_n(&all[at * lanes_], lanes_, theirs);
        });
        for (std::size_t other = 1; other < parcels.size(); ++other) {
          if (parcels[other].empty()) continue;
          part_.ranks().post_send(other, std::as_bytes(std::span(parcels[other])));
        }
      } else if (!mine.empty()) {
        part_.ranks().post_receive(0, std::as_writable_bytes(std::span(mine)));
      }
      part_.ranks().wait();
      for (std::size_t k = 0; k < own.size(); ++k) {
        std::copy_n(&mine[k * lanes_], lanes_, rows + own[k] * lanes_);
      }
    });
  }

 private:
  using Rows = std::vector<std::vector<double>>;  // of each rank

  // step(parties, places of the own ones among them, rows); on rank 0 others' rows have their size.
  template <class Step>
  void walk(const Step& step) const {
    const std::size_t all = part_.network_size();
    std::span<const std::uint32_t> left = part_.by_number();
    for (std::size_t begin = 0; begin < all; begin += block_parties(lanes_)) {
      const Share parties{begin, std::min(all, begin + block_parties(lanes_))};
      std::size_t own = 0;
      while (own < left.size() && part_.own()[left[own]] < parties.end) ++own;
      Rows parcels(part_.ranks().count());
      if (part_.ranks().rank() == 0) {
        std::vector<std::size_t> counts(parcels.size(), 0);
        for (std::size_t p = parties.begin; p < parties.end; ++p) ++counts[part_.owners()[p]];
        for (std::size_t r = 1; r < parcels.size(); ++r) parcels[r].resize(counts[r] * lanes_);
      }
      step(parties, left.first(own), parcels);
      left = left.subspan(own);
    }
  }

  // take(row in its rank's parcel, place in the block) for every party.
  template <class Take>
  void deal(const Share& parties, Rows& parcels, const Take& take) const {
    std::vector<std::size_t> next(parcels.size(), 0);
    for (std::size_t p = parties.begin; p < parties.end; ++p) {
      const std::size_t owner = part_.owners()[p];
      take(&parcels[owner][next[owner]], p - parties.begin);
      next[owner] += lanes_;
    }
  }

  const NetworkPart& part_;
  std::size_t lanes_;
};

std::string_view as_text(std::span<const double> rows) {
  return {reinterpret_cast<const char*>(rows.data()), rows.size_bytes()};
}

// Which keys of two runs differ, in words.
std::string differences(const Json& kept, const Json& now) {
  std::string words;
  for (const auto& [key, value] : now.items()) {
    if (kept.contains(key) && kept[key] == value) continue;
    words += fmt::format("{}{} was {} and is {}", words.empty() ? "" : ", ", key,
                         kept.contains(key) ? json_line(kept[key]) : "nothing", json_line(value));
  }
  return words;
}

}  // namespace checkpoint

Checkpoint::Checkpoint(CheckpointOptions options, const NetworkPart& part, std::string run)
    : options_(std::move(options)), part_(&part), run_(std::move(run)) {
  if (options_.clock) last_seconds_ = options_.clock();
}

Result<std::unique_ptr<Checkpoint>> Checkpoint::open(CheckpointOptions options, const Json& run,
                                                     const NetworkPart& part) {
  std::unique_ptr<Checkpoint> result(new Checkpoint(std::move(options), part, json_line(run)));
  Ranks& ranks = part.ranks();
  Result<void> found;
  if (ranks.rank() == 0) found = result->read(run);
  SOTTO_TRY(agree(ranks, found));
  broadcast_text(ranks, 0, result->kept_notes_);
  std::array<std::uint64_t, 3> numbers{result->round_, result->lanes_, result->sets_};
  ranks.broadcast(0, std::as_writable_bytes(std::span(numbers)));
  result->round_ = static_cast<Round>(numbers[0]);
  result->lanes_ = numbers[1];
  result->sets_ = numbers[2];
  return result;
}

Result<void> Checkpoint::read(const Json& run) {
  using namespace checkpoint;
  const auto& file = options_.file;
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return {};
  std::ifstream in(file, std::ios::binary);
  const auto size = std::filesystem::file_size(file, none);
  if (!in || none) return fault(file, "cannot be read");
  std::string magic(kMagic.size(), '\0');
  in.read(magic.data(), static_cast<std::streamsize>(magic.size()));
  if (magic != kMagic) return damaged(file, "is no checkpoint of sotto");
  std::string header;
  if (!std::getline(in, header) || header.size() > kMaxHeaderBytes) {
    return damaged(file, "is cut short");
  }
  const Json json = parse_json(header);
  const auto number = [&](const char* key) {
    return json.contains(key) && json[key].is_number_unsigned() ? json[key].get<std::uint64_t>()
                                                                : 0;
  };
  const bool whole = json.is_object() && json.contains("run") && json.contains("notes") &&
                     json["notes"].is_string() && number("format") == 1;
  if (!whole) return damaged(file, "has a header that this version does not know");
  const std::uint64_t round = number("round");
  lanes_ = number("lanes");
  sets_ = number("sets");
  rows_at_ = kMagic.size() + header.size() + 1;
  const std::uint64_t parties = number("parties");
  if (parties > kMaxParties || lanes_ >> 32 != 0 || sets_ > 2 || round > kMaxRounds) {
    return damaged(file, "has a header with numbers out of range");
  }
  const std::uint64_t content = rows_at_ + parties * lanes_ * sets_ * sizeof(double);
  if (size != content + kDigestBytes) return damaged(file, "is cut short");

  in.seekg(0);
  ByteDigest digest;
  std::string block(kBlockBytes, '\0');
  for (std::uint64_t left = content; left > 0;) {
    const std::size_t count = std::min<std::uint64_t>(left, block.size());
    in.read(block.data(), static_cast<std::streamsize>(count));
    digest.add(std::string_view(block).substr(0, count));
    left -= count;
  }
  std::string kept(kDigestBytes, '\0');
  in.read(kept.data(), kDigestBytes);
  if (!in || kept != digest.value()) return damaged(file, "its digest is not that of its content");

  if (const std::string words = differences(json["run"], run); !words.empty()) {
    return bad_input("E-checkpoint-other",
                     fmt::format("{} is of another run: {}", file.string(), words),
                     "name another file, or delete this one");
  }
  if (parties != (round == 0 ? 0 : part_->network_size())) {
    return damaged(file, "has rows of another network");
  }
  kept_notes_ = json["notes"].get<std::string>();
  round_ = static_cast<Round>(round);
  return {};
}

Error Checkpoint::unlikely(const std::string& what) const {
  return checkpoint::damaged(options_.file, what);
}

Result<void> Checkpoint::require_rows(Round rounds, std::size_t lanes, std::size_t sets) const {
  if (round_ <= rounds && lanes_ == lanes && sets_ == sets) return {};
  return unlikely("has rows that no round of this run has");
}

void Checkpoint::restore(std::size_t lanes, double* now, double* before) {
  using namespace checkpoint;
  check(lanes == lanes_ && (before == nullptr ? 1U : 2U) == sets_, "the rows of this batch");
  std::ifstream in;
  if (part_->ranks().rank() == 0) {
    in.open(options_.file, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(rows_at_));
  }
  const Blocks blocks(*part_, lanes);
  for (double* rows : {now, before}) {
    if (rows == nullptr) continue;
    blocks.scatter(rows, [&](std::span<double> block) {
      in.read(reinterpret_cast<char*>(block.data()),
              static_cast<std::streamsize>(block.size_bytes()));
      check(static_cast<bool>(in), "a checkpoint that was read once can be read again");
    });
  }
}

bool Checkpoint::due() {
  std::uint8_t yes = 0;
  if (part_->ranks().rank() == 0 && options_.clock) {
    const double now = options_.clock();
    yes = now - last_seconds_ >= options_.every_seconds ? 1 : 0;
    if (yes == 1) last_seconds_ = now;
  }
  part_->ranks().broadcast(0, std::as_writable_bytes(std::span(&yes, 1)));
  return yes == 1;
}

void Checkpoint::after(Round round, std::size_t lanes, const double* now, const double* before) {
  if (until_look_ > 0) {
    --until_look_;
    return;
  }
  if (options_.every_seconds > 0) {
    until_look_ = static_cast<Round>(checkpoint::kRowsBetweenLooks / part_->network_size());
  }
  if (due()) write(round, lanes, now, before);
}

Result<void> Checkpoint::require_writable() {
  Result<void> possible;
  if (part_->ranks().rank() == 0) possible = checkpoint::Writer(options_.file).result();
  return agree(part_->ranks(), possible);
}

Result<void> Checkpoint::finished(bool last) {
  round_ = 0;
  if (last || due()) write(0, 0, nullptr, nullptr);
  return agree(part_->ranks(), written_);
}

void Checkpoint::write(Round round, std::size_t lanes, const double* now, const double* before) {
  using namespace checkpoint;
  const bool writes = part_->ranks().rank() == 0;
  std::optional<Writer> file;
  if (writes) {
    file.emplace(options_.file);
    Json header;
    header["format"] = 1;
    header["run"] = parse_json(run_);
    header["notes"] = notes_ ? notes_() : std::string();
    header["round"] = round;
    header["lanes"] = lanes;
    header["sets"] = (now == nullptr ? 0 : 1) + (before == nullptr ? 0 : 1);
    header["parties"] = now == nullptr ? 0 : part_->network_size();
    file->add(kMagic);
    file->add(json_line(header) + "\n");
  }
  for (const double* rows : {now, before}) {
    if (rows == nullptr) continue;
    Blocks(*part_, lanes).gather(rows, [&](std::span<double> block) { file->add(as_text(block)); });
  }
  if (!writes) return;
  if (auto done = file->finish(); !done && written_) written_ = done;
}

}  // namespace sotto
