#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

// What an observer of simulated runs has seen, for those who attack it: and, apart from it, what
// was drawn. Over made-up costs only.
namespace sotto {

// Who watches: nobody of the parties, some of them who pool what they hold, or all.
struct TranscriptObserver {
  std::string name;              // as it was asked for
  std::vector<PartyId> members;  // none: the eavesdropper
};

// "eavesdropper", "neighbour:3", "coalition:1,4" or "all"; parties count from 1. E-observer.
[[nodiscard]] Result<TranscriptObserver> transcript_observer_from(const std::string& words,
                                                                  std::size_t parties);

struct TranscriptRequest {
  std::uint64_t seed = 0;
  std::size_t trials = 1;
  TranscriptObserver observer;
  std::string version;
};

// Both as lines of JSON, a head and then one line a trial.
//
//   seen   head: version, study, solver, seed, what is public of the plan, the observer's row and,
//          of its members, their own θ; a trial: releases[party][entry] (gt: θ of G and H). The
//          rounds are a function of these and of the public weights, and tell nothing more.
//          Members add looks[]: what each decrypts of a neighbour, a_{j→i}(T̄_j − T̄_i), also as
//          integers in steps of the grid, with its own multiplier and masks (dishuf); masks[] of
//          their edges (pairwise); own[], their noise.
//   truth  head: θ of all parties; a trial: gamma[party][entry], and eta[] with multipliers, or
//          masks[], edge by edge.
struct Transcript {
  std::string seen;
  std::string truth;
};

// E-transcript-wide where the shuffle's numbers are past machine words (lemma1's).
[[nodiscard]] Result<Transcript> record_transcript(const PlannedStudy& planned,
                                                   const Problem& problem,
                                                   const TranscriptRequest& request);

}  // namespace sotto
