#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "run/refit/refit.h"

// What `sotto refit` answers beside models: for a person, and for a script.
namespace sotto {

[[nodiscard]] std::string search_text(const Chosen& chosen);
[[nodiscard]] nlohmann::ordered_json search_json(const Chosen& chosen);

[[nodiscard]] std::string correlations_text(const Release& release, const Correlations& found);
[[nodiscard]] nlohmann::ordered_json correlations_json(const Release& release,
                                                       const Correlations& found);

[[nodiscard]] std::string components_text(const Release& release, const Components& found);
[[nodiscard]] nlohmann::ordered_json components_json(const Release& release,
                                                     const Components& found);

// `target`, and what the larger model has more.
[[nodiscard]] std::string comparison_text(const std::string& target, const NestedTest& test);
[[nodiscard]] nlohmann::ordered_json comparison_json(const std::string& target,
                                                     const NestedTest& test);

}  // namespace sotto
