#pragma once

#include <sotto/result.h>

#include <string>
#include <utility>

// What sotto itself needs of results, beside what others see of them (sotto/result.h): how an
// error is made, and how a function hands one on.
namespace sotto {

[[nodiscard]] Error bad_input(std::string name, std::string what, std::string fix);
[[nodiscard]] Error refused(std::string name, std::string what, std::string fix);
[[nodiscard]] Error failed(std::string name, std::string what, std::string fix);

// What a function does with a Result whose error is its caller's business:
//
//     SOTTO_TRY(check_network(study));                   // out with the error, if there is one
//     SOTTO_ASSIGN(const Plan plan, make_plan(study));   // the same, and the value
#define SOTTO_TRY(...) \
  if (auto sotto_result = (__VA_ARGS__); !sotto_result) return std::move(sotto_result).error()
#define SOTTO_ASSIGN(declaration, ...) \
  SOTTO_ASSIGN_VIA_(SOTTO_JOIN_(sotto_result_, __LINE__), declaration, __VA_ARGS__)
#define SOTTO_ASSIGN_VIA_(name, declaration, ...) \
  auto name = (__VA_ARGS__);                      \
  if (!name) return std::move(name).error();      \
  declaration = *std::move(name)
#define SOTTO_JOIN_(a, b) SOTTO_JOIN_NOW_(a, b)
#define SOTTO_JOIN_NOW_(a, b) a##b

}  // namespace sotto
