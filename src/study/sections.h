#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/study.h"
#include "study/toml_reader.h"

namespace sotto {

// One function per section of study.toml. Each reads all its keys and refuses the rest.

struct StudyHead {
  std::string name;
  Solver solver = Solver::kDishuf;
};

[[nodiscard]] Result<StudyHead> read_study_section(TomlReader& section);
[[nodiscard]] Result<PrivacyTerms> read_privacy_section(TomlReader& section);
[[nodiscard]] Result<std::vector<PartyTerms>> read_parties(const toml::node* list,
                                                           const std::string& file);
[[nodiscard]] Result<Weights> read_graph_section(TomlReader& section,
                                                 const std::vector<PartyTerms>& parties);
[[nodiscard]] Result<GtTerms> read_gt_section(TomlReader& section);
[[nodiscard]] Result<DishufTerms> read_dishuf_section(TomlReader& section);
[[nodiscard]] Result<double> read_pairwise_section(TomlReader& section);  // g
[[nodiscard]] Result<ConsensusTerms> read_consensus_section(TomlReader& section);
[[nodiscard]] Result<SolveTerms> read_solve_section(TomlReader& section, Unit unit);
[[nodiscard]] Result<std::optional<Schema>> read_data_section(TomlReader& section,
                                                              const std::string& file);
[[nodiscard]] Result<NetworkTerms> read_network_section(TomlReader& section, std::size_t parties);
[[nodiscard]] Result<std::optional<ProblemSource>> read_problem_section(TomlReader& section);

}  // namespace sotto
