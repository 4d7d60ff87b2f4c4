#pragma once

#include <string>
#include <string_view>

#include "data/sql/push_down.h"
#include "data/table.h"
#include "moments/moments.h"

// Sums that a database has made (data/sql/push_down.h). They are data, as all sums are.
namespace sotto {

// What the query's answer says. E-push-down-answer: it is not of this `mark` and schema, or was cut
// short. E-push-down-rows: some fields cannot be read, or rows could not be put inside their bound.
[[nodiscard]] Result<TableMoments> moments_of_answer(const Schema& schema, std::string_view mark,
                                                     std::string_view answer);

// Asks the database of `request`, which has to be PostgreSQL: E-data-options. Errors of
// push_down_query(), data/sql/postgres.h and moments_of_answer().
struct PushedMoments {
  TableMoments table;
  SourceFacts facts;
};
[[nodiscard]] Result<PushedMoments> push_down_moments(const TableRequest& request,
                                                      const Schema& schema,
                                                      const std::string& mark);

}  // namespace sotto
