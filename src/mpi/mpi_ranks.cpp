// Ranks by MPI: messages without blocking, and nothing that MPI would have to know about their
// content.
#include "mpi/mpi_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/check.h"

#if defined(SOTTO_MPI)
#include <mpi.h>
#endif
#if defined(SOTTO_PTSCOTCH)
#include <ptscotch.h>
#endif

namespace sotto {
namespace {

// What launchers tell the processes that they start: Open MPI's mpirun; MPICH's, Intel's and
// Slurm's; PMIx, of all that have it.
bool launched() {
  return std::ranges::any_of(
      std::array{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"},
      [](const char* name) { return std::getenv(name) != nullptr; });
}

#if defined(SOTTO_MPI)

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    // Threads of a rank walk rows; only the first one speaks.
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    check(provided >= MPI_THREAD_FUNNELED, "an MPI that allows threads");
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

#endif

#if defined(SOTTO_PTSCOTCH)

// Below, the pieces of an order are as good, and PT-Scotch may leave a rank without a party.
constexpr std::size_t kScotchFrom = 1 << 10;

// Each rank's share of the parties; none where PT-Scotch fails.
std::vector<SCOTCH_Num> owners_of_share(const Graph& graph, const Share& share, std::size_t ranks) {
  std::vector<SCOTCH_Num> first{0};
  std::vector<SCOTCH_Num> adjacent;
  for (std::size_t party = share.begin; party < share.end; ++party) {
    const auto neighbours = graph.neighbours(static_cast<PartyId>(party));
    adjacent.insert(adjacent.end(), neighbours.begin(), neighbours.end());
    first.push_back(static_cast<SCOTCH_Num>(adjacent.size()));
  }
  const auto parties = static_cast<SCOTCH_Num>(share.size());
  const auto edges = static_cast<SCOTCH_Num>(adjacent.size());
  std::vector<SCOTCH_Num> owners(share.size());
  SCOTCH_Dgraph distributed;
  SCOTCH_Strat strategy;
  if (SCOTCH_dgraphInit(&distributed, MPI_COMM_WORLD) != 0) return {};
  SCOTCH_stratInit(&strategy);
  SCOTCH_stratDgraphMapBuild(&strategy, SCOTCH_STRATSPEED, static_cast<SCOTCH_Num>(ranks),
                             static_cast<SCOTCH_Num>(ranks), 0.01);
  const bool fine =
      SCOTCH_dgraphBuild(&distributed, 0, parties, parties, first.data(), first.data() + 1, nullptr,
                         nullptr, edges, edges, adjacent.data(), nullptr, nullptr) == 0 &&
      SCOTCH_dgraphPart(&distributed, static_cast<SCOTCH_Num>(ranks), &strategy, owners.data()) ==
          0;
  SCOTCH_stratExit(&strategy);
  SCOTCH_dgraphExit(&distributed);
  if (!fine) owners.clear();
  return owners;
}

// Nothing where a rank would be left without a party.
std::optional<Owners> scotch_owners(const Graph& graph, Ranks& ranks) {
  const auto share_at = [&](std::size_t rank) {
    return share_of(graph.size(), rank, ranks.count());
  };
  const auto mine = owners_of_share(graph, share_at(ranks.rank()), ranks.count());
  for (const std::uint8_t fine :
       all_gather(ranks, static_cast<std::uint8_t>(mine.empty() ? 0 : 1))) {
    if (fine == 0) return std::nullopt;
  }
  Owners owners(graph.size());
  std::ranges::copy(mine,
                    owners.begin() + static_cast<std::ptrdiff_t>(share_at(ranks.rank()).begin));
  for (std::size_t rank = 0; rank < ranks.count(); ++rank) {
    const Share share = share_at(rank);
    ranks.broadcast(rank,
                    std::as_writable_bytes(std::span(owners).subspan(share.begin, share.size())));
  }
  std::vector<bool> has(ranks.count(), false);
  for (const std::uint32_t owner : owners) has[owner] = true;
  if (!std::ranges::all_of(has, [](bool one) { return one; })) return std::nullopt;
  return owners;
}

#endif

}  // namespace

std::string mpi_about() {
#if defined(SOTTO_MPI)
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> words{};
  int size = 0;
  MPI_Get_library_version(words.data(), &size);
  // "Open MPI v4.1.4, package: Debian Open MPI, …"; MPICH's has lines.
  std::string library(words.data(), static_cast<std::size_t>(size));
  library = library.substr(0, library.find_first_of(",\n"));
  std::ranges::replace(library, '\t', ' ');
#if defined(SOTTO_PTSCOTCH)
  return fmt::format("{}, PT-Scotch {}.{}.{}", library, SCOTCH_VERSION, SCOTCH_RELEASE,
                     SCOTCH_PATCHLEVEL);
#else
  return library;
#endif
#else
  return "none (built without MPI)";
#endif
}

Result<std::unique_ptr<Ranks>> mpi_ranks() {
  if (!launched()) return std::unique_ptr<Ranks>();
#if defined(SOTTO_MPI)
  return std::unique_ptr<Ranks>(std::make_unique<MpiRanks>());
#else
  return bad_input("E-ranks-mpi", "started by mpirun, and this sotto was built without MPI",
                   "install libopenmpi-dev and libptscotch-dev and build it again, or start it "
                   "without mpirun")
      .at("sotto --version");
#endif
}

Owners mpi_partition(const Graph& graph, Ranks& ranks) {
  if (ranks.count() == 1) return Owners(graph.size(), 0);
#if defined(SOTTO_PTSCOTCH)
  if (graph.size() >= kScotchFrom) {
    if (auto owners = scotch_owners(graph, ranks)) return *std::move(owners);
  }
#endif
  return owners_by_order(graph, ranks.count());
}

}  // namespace sotto
