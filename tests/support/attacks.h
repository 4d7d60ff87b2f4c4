#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>

#include "support/party_processes.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

// An attack of examples/attacks/ as people run it, and the table that it prints.
namespace sotto {

class AttackExample {
 public:
  explicit AttackExample(const std::string& script) {
    const TemporaryFolder folder;
    const auto file = std::filesystem::path(SOTTO_SOURCE_DIR) / "examples" / "attacks" / script;
    Child child({"python3", file.string(), SOTTO_PROGRAM}, folder / "out", folder / "err",
                {"PYTHONDONTWRITEBYTECODE=1"});
    status_ = child.wait(std::chrono::minutes(10)).value_or(-1);
    out_ = read_text(folder / "out");
    err_ = read_text(folder / "err");
  }

  // It ends with 0 where the guards hold, and says so in its last lines.
  void expect_verdict(const std::string& words) const {
    EXPECT_EQ(status_, 0) << out_ << err_;
    EXPECT_THAT(out_, testing::HasSubstr("\nverdict: " + words));
  }
  // docs/ATTACKS.md shows what it prints.
  void expect_on_its_page() const {
    const auto page = std::filesystem::path(SOTTO_SOURCE_DIR) / "docs" / "ATTACKS.md";
    EXPECT_THAT(read_text(page), testing::HasSubstr("```\n" + out_ + "```"));
  }
  void expect_says(const std::string& words) const { EXPECT_THAT(out_, testing::HasSubstr(words)); }

  // A row of its table: what stands under `shared` and under `per-neighbour`. The nth that begins
  // with these words.
  [[nodiscard]] std::array<std::string, 2> words(const std::string& label, int nth = 1) const {
    std::istringstream lines(out_);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t begin = line.find_first_not_of(' ');
      if (begin == std::string::npos || !line.substr(begin).starts_with(label) || --nth > 0)
        continue;
      // Of widths that tools.py fixes: two blanks, 56 for the words, then 10 and 14.
      const auto column = [&](std::size_t from, std::size_t width) {
        const std::string all = line.substr(from, width);
        return all.substr(std::min(all.size(), all.find_first_not_of(' ')));
      };
      return {column(59, 10), column(70, 14)};
    }
    ADD_FAILURE() << "no row \"" << label << "\" in\n" << out_ << err_;
    return {"nan", "nan"};
  }
  [[nodiscard]] std::array<double, 2> numbers(const std::string& label, int nth = 1) const {
    const auto found = words(label, nth);
    return {std::stod(found[0]), std::stod(found[1])};
  }

 private:
  int status_ = -1;
  std::string out_;
  std::string err_;
};

}  // namespace sotto
