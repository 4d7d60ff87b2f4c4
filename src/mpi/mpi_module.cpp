// sotto-mpi.so: ranks by MPI, messages without blocking, and nothing that MPI would have to know
// about their content; and PT-Scotch's cut of a network.
#include "mpi/mpi_module.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#if defined(SOTTO_PTSCOTCH)
#include <ptscotch.h>
#endif

namespace sotto {
namespace {

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    rank_ = number(MPI_Comm_rank, MPI_COMM_WORLD);
    count_ = number(MPI_Comm_size, MPI_COMM_WORLD);
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    here_ = number(MPI_Comm_size, machine);
    MPI_Comm_free(&machine);
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  ~MpiRanks() override { MPI_Finalize(); }

  [[nodiscard]] std::size_t rank() const override { return rank_; }
  [[nodiscard]] std::size_t count() const override { return count_; }
  [[nodiscard]] std::size_t here() const override { return here_; }

  void post_send(std::size_t to, std::span<const std::byte> bytes) override {
    pieces(bytes, [&](std::span<const std::byte> piece) {
      MPI_Isend(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, static_cast<int>(to), 0,
                MPI_COMM_WORLD, &under_way_.emplace_back());
    });
  }
  void post_receive(std::size_t from, std::span<std::byte> bytes) override {
    pieces(bytes, [&](std::span<std::byte> piece) {
      MPI_Irecv(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, static_cast<int>(from), 0,
                MPI_COMM_WORLD, &under_way_.emplace_back());
    });
  }
  void progress() override {
    int done = 0;
    MPI_Testall(static_cast<int>(under_way_.size()), under_way_.data(), &done, MPI_STATUSES_IGNORE);
    if (done != 0) under_way_.clear();
  }
  void wait() override {
    MPI_Waitall(static_cast<int>(under_way_.size()), under_way_.data(), MPI_STATUSES_IGNORE);
    under_way_.clear();
  }
  void broadcast(std::size_t from, std::span<std::byte> bytes) override {
    pieces(bytes, [&](std::span<std::byte> piece) {
      MPI_Bcast(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, static_cast<int>(from),
                MPI_COMM_WORLD);
    });
  }
  [[noreturn]] void abandon(int status) override {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::abort();
  }

 private:
  // MPI counts in int.
  static constexpr std::size_t kPiece = std::size_t{1} << 30;

  template <class Bytes, class Use>
  static void pieces(Bytes bytes, const Use& use) {
    while (!bytes.empty()) {
      const std::size_t size = std::min(kPiece, bytes.size());
      use(bytes.first(size));
      bytes = bytes.subspan(size);
    }
  }
  template <class Ask>
  static std::size_t number(Ask ask, MPI_Comm of) {
    int value = 0;
    ask(of, &value);
    return static_cast<std::size_t>(value);
  }

  std::size_t rank_ = 0;
  std::size_t count_ = 1;
  std::size_t here_ = 1;
  std::vector<MPI_Request> under_way_;
};

std::string about() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> words{};
  int size = 0;
  MPI_Get_library_version(words.data(), &size);
  // "Open MPI v4.1.4, package: Debian Open MPI, …"; MPICH's has lines.
  std::string library(words.data(), static_cast<std::size_t>(size));
  library = library.substr(0, library.find_first_of(",\n"));
  std::ranges::replace(library, '\t', ' ');
#if defined(SOTTO_PTSCOTCH)
  library += ", PT-Scotch " + std::to_string(SCOTCH_VERSION) + '.' +
             std::to_string(SCOTCH_RELEASE) + '.' + std::to_string(SCOTCH_PATCHLEVEL);
#endif
  return library;
}

std::unique_ptr<Ranks> start() {
  int provided = 0;
  // Threads of a rank walk rows; only the first one speaks.
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED) return nullptr;
  return std::make_unique<MpiRanks>();
}

#if defined(SOTTO_PTSCOTCH)

std::vector<std::uint32_t> cut(std::span<const std::uint64_t> first,
                               std::span<const std::uint32_t> adjacent, std::size_t ranks) {
  std::vector<SCOTCH_Num> starts(first.begin(), first.end());
  std::vector<SCOTCH_Num> neighbours(adjacent.begin(), adjacent.end());
  const auto parties = static_cast<SCOTCH_Num>(starts.size() - 1);
  const auto edges = static_cast<SCOTCH_Num>(neighbours.size());
  const auto parts = static_cast<SCOTCH_Num>(ranks);
  std::vector<SCOTCH_Num> owners(starts.size() - 1);
  SCOTCH_Dgraph distributed;
  SCOTCH_Strat strategy;
  if (SCOTCH_dgraphInit(&distributed, MPI_COMM_WORLD) != 0) return {};
  SCOTCH_stratInit(&strategy);
  SCOTCH_stratDgraphMapBuild(&strategy, SCOTCH_STRATSPEED, parts, parts, 0.01);
  const bool fine = SCOTCH_dgraphBuild(&distributed, 0, parties, parties, starts.data(),
                                       starts.data() + 1, nullptr, nullptr, edges, edges,
                                       neighbours.data(), nullptr, nullptr) == 0 &&
                    SCOTCH_dgraphPart(&distributed, parts, &strategy, owners.data()) == 0;
  SCOTCH_stratExit(&strategy);
  SCOTCH_dgraphExit(&distributed);
  if (!fine) return {};
  return {owners.begin(), owners.end()};
}

#else

std::vector<std::uint32_t> cut(std::span<const std::uint64_t>, std::span<const std::uint32_t>,
                               std::size_t) {
  return {};
}

#endif

}  // namespace
}  // namespace sotto

const sotto::MpiModule* sotto_mpi_module() {
  static constexpr sotto::MpiModule kModule{
      .version = SOTTO_VERSION, .about = sotto::about, .start = sotto::start, .cut = sotto::cut};
  return &kModule;
}
