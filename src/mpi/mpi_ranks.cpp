// Finds the module, loads it, and makes of its cut the owners that all ranks share.
#include "mpi/mpi_ranks.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/check.h"
#include "base/version.h"
#include "mpi/mpi_module.h"

namespace sotto {
namespace {

constexpr const char* kFile = "sotto-mpi.so";

// What launchers tell the processes that they start: Open MPI's mpirun; MPICH's, Intel's and
// Slurm's; PMIx, of all that have it.
bool launched() {
  return std::ranges::any_of(
      std::array{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"},
      [](const char* name) { return std::getenv(name) != nullptr; });
}

Error no_module(std::string what, std::string fix) {
  return bad_input("E-ranks-mpi", std::move(what),
                   std::move(fix) + "; or start sotto without mpirun")
      .at("sotto --version");
}

// Only what stands beside the program, or was installed with it: whoever may write there may as
// well write the program. Full paths, so that no search path of the loader's has a say.
Result<std::filesystem::path> find_module() {
  std::error_code none;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  const auto installed = (program / SOTTO_MODULE_FOLDER).lexically_normal();
  for (const auto& folder : {program, installed}) {
    if (std::filesystem::exists(folder / kFile, none)) return folder / kFile;
  }
  return no_module(
      fmt::format("there is no {} in {} or {}", kFile, program.string(), installed.string()),
      "install the package sotto-mpi, or build sotto where libopenmpi-dev and libptscotch-dev are");
}

Result<const MpiModule*> load_module() {
  SOTTO_ASSIGN(const auto file, find_module());
  // Open MPI loads parts of its own, which look for its names among everybody's: RTLD_GLOBAL. It is
  // never unloaded, because its libraries cannot be.
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    return no_module(fmt::format("{} cannot be loaded: {}", file.string(), dlerror()),
                     "install the MPI and PT-Scotch that it was built with");
  }
  void* const function = dlsym(library, "sotto_mpi_module");
  if (function == nullptr) {
    return no_module(fmt::format("{} is no module of sotto", file.string()),
                     fmt::format("put that of sotto {} there", sotto_version()));
  }
  const MpiModule* const module = reinterpret_cast<decltype(&sotto_mpi_module)>(function)();
  if (module->version != sotto_version()) {
    return no_module(fmt::format("{} is of sotto {}, and this is {}", file.string(),
                                 module->version, sotto_version()),
                     "install both in one version");
  }
  return module;
}

// Loaded once, by whoever asks first.
const Result<const MpiModule*>& module() {
  static const Result<const MpiModule*> kLoaded = load_module();
  return kLoaded;
}

// Below, the pieces of an order are as good, and PT-Scotch may leave a rank without a party.
constexpr std::size_t kCutFrom = 1 << 10;

// Nothing where the module has no cut, or one that leaves a rank without a party.
std::optional<Owners> cut_owners(const MpiModule& cutter, const Graph& graph, Ranks& ranks) {
  const auto share_at = [&](std::size_t rank) {
    return share_of(graph.size(), rank, ranks.count());
  };
  const Share share = share_at(ranks.rank());
  std::vector<std::uint64_t> first{0};
  std::vector<std::uint32_t> adjacent;
  for (std::size_t party = share.begin; party < share.end; ++party) {
    const auto neighbours = graph.neighbours(static_cast<PartyId>(party));
    adjacent.insert(adjacent.end(), neighbours.begin(), neighbours.end());
    first.push_back(adjacent.size());
  }
  const auto mine = cutter.cut(first, adjacent, ranks.count());
  for (const std::uint8_t fine :
       all_gather(ranks, static_cast<std::uint8_t>(mine.empty() ? 0 : 1))) {
    if (fine == 0) return std::nullopt;
  }
  Owners owners(graph.size());
  std::ranges::copy(mine, owners.begin() + static_cast<std::ptrdiff_t>(share.begin));
  for (std::size_t rank = 0; rank < ranks.count(); ++rank) {
    const Share theirs = share_at(rank);
    ranks.broadcast(rank,
                    std::as_writable_bytes(std::span(owners).subspan(theirs.begin, theirs.size())));
  }
  std::vector<bool> has(ranks.count(), false);
  for (const std::uint32_t owner : owners) {
    if (owner >= has.size()) return std::nullopt;
    has[owner] = true;
  }
  if (!std::ranges::all_of(has, [](bool one) { return one; })) return std::nullopt;
  return owners;
}

}  // namespace

std::string mpi_about() {
  const auto& loaded = module();
  return loaded ? (*loaded)->about() : fmt::format("none: {}", loaded.error().what);
}

Result<std::unique_ptr<Ranks>> mpi_ranks() {
  if (!launched()) return std::unique_ptr<Ranks>();
  SOTTO_ASSIGN(const auto* loaded, module());
  auto ranks = loaded->start();
  check(ranks != nullptr, "an MPI that allows threads");
  return ranks;
}

Owners mpi_partition(const Graph& graph, Ranks& ranks) {
  if (ranks.count() == 1) return Owners(graph.size(), 0);
  if (graph.size() >= kCutFrom && module()) {
    if (auto owners = cut_owners(**module(), graph, ranks)) return *std::move(owners);
  }
  return owners_by_order(graph, ranks.count());
}

}  // namespace sotto
