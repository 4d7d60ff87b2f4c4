#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "support/temporary_folder.h"
#include "view/view.h"

// Five parties that have run a study, made once for all tests of a program: something to look at.
// SOTTO_PROGRAM makes it.
namespace sotto {

class ViewedDemo {
 public:
  static const ViewedDemo& get() {
    static const ViewedDemo demo;
    return demo;
  }

  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] bool made() const { return made_; }
  [[nodiscard]] std::string home(int party) const {
    return fmt::format("{}/party-{}", folder_, party);
  }
  [[nodiscard]] std::vector<view::Home> homes() const {
    return view::find_homes(folder_).value_or(std::vector<view::Home>{});
  }

 private:
  ViewedDemo() {
    made_ =
        std::system(fmt::format("'{}' demo --solver pairwise --rows 4000 --out '{}' >'{}/log' 2>&1",
                                SOTTO_PROGRAM, folder_, top_.path().string())
                        .c_str()) == 0;
    std::ofstream(folder_ + "/twenty.toml") << twenty_columns();
  }

  // Twenty columns that are numbers, over ten parties.
  static std::string twenty_columns() {
    std::string text =
        "[study]\nname = \"twenty\"\nsolver = \"dishuf\"\n\n[privacy]\nepsilon = 1.0  # agreed in "
        "March\ndelta = 1e-6\nunit = \"record\"\nneighbours = \"add-remove\"\ncolluders = "
        "1\n\n[graph]\ntopology = \"cycle\"\nparties = 10\nweight = "
        "\"metropolis\"\n\n[data]\ntarget "
        "= { column = \"y\", bounds = [0, 100] }\n";
    for (int k = 1; k <= 20; ++k) {
      text += fmt::format("[[data.feature]]\ncolumn = \"x{}\"\nbounds = [0, {}]\n", k, 10 * k);
    }
    return text;
  }

  const TemporaryFolder top_;
  const std::string folder_ = top_ / "demo";
  bool made_ = false;
};

}  // namespace sotto
