// Which sotto-mpi.so the program takes, and what it says where there is none that it could take:
// with copies of both, in folders of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/version.h"
#include "support/program.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::filesystem::path kProgram = SOTTO_PROGRAM;
const std::filesystem::path kModule = kProgram.parent_path() / "sotto-mpi.so";

class MpiModuleTest : public ProgramTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder() / "bin");
    std::filesystem::copy_file(kProgram, folder() / "bin/sotto");
    write("study.toml", paper_text(6).text());
  }

  // What the shell's `words` end with, in the folder.
  [[nodiscard]] Finished shell(const std::string& words) const {
    const int state =
        std::system(fmt::format("cd '{}' && {} > .out 2> .err", folder().string(), words).c_str());
    return {.status = WIFEXITED(state) ? WEXITSTATUS(state) : -1,
            .out = read_text(folder() / ".out"),
            .err = read_text(folder() / ".err")};
  }
  // As mpirun would start the copy.
  [[nodiscard]] Finished launched(const std::string& before = "") const {
    return shell("PMIX_RANK=0 " + before + " bin/sotto simulate study.toml");
  }
  // The module beside the copy with other words in it, of the same length.
  void put_changed(const std::string& was, const std::string& is) const {
    std::string bytes = read_text(kModule);
    ASSERT_NE(bytes.find(was), std::string::npos);
    for (auto at = bytes.find(was); at != std::string::npos; at = bytes.find(was, at + 1)) {
      bytes.replace(at, is.size(), is);
    }
    write("bin/sotto-mpi.so", bytes);
  }
};

TEST_F(MpiModuleTest, IsNotLoadedWithoutALauncher) {
  if (std::filesystem::exists(kModule)) {
    std::filesystem::copy_file(kModule, folder() / "bin/sotto-mpi.so");
  }
  const Finished run = shell("LD_DEBUG=files bin/sotto simulate study.toml");
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("libcrypto")) << "the loader says what it loads";
  EXPECT_THAT(run.err, AllOf(Not(HasSubstr("sotto-mpi")), Not(HasSubstr("libmpi")),
                             Not(HasSubstr("scotch"))));
}

TEST_F(MpiModuleTest, ThatIsMissingIsSaidToWhomALauncherHasStarted) {
  const Finished run = launched();
  expect_error(run, 2, "E-ranks-mpi");
  EXPECT_THAT(run.err, HasSubstr("there is no sotto-mpi.so in "));
  EXPECT_THAT(run.err, HasSubstr("install the package sotto-mpi"));
  EXPECT_THAT(shell("bin/sotto --version").out, HasSubstr("ranks: none: there is no sotto-mpi.so"));
  EXPECT_EQ(shell("PMIX_RANK=0 bin/sotto plan study.toml").status, 0) << "no other verb asks";
}

TEST_F(MpiModuleTest, IsNotTakenFromWhereOthersMayPutIt) {
  write("sotto-mpi.so", "of the working directory");
  expect_error(launched("LD_LIBRARY_PATH=."), 2, "E-ranks-mpi");
  EXPECT_THAT(launched("LD_LIBRARY_PATH=.").err, HasSubstr("there is no sotto-mpi.so in "));
}

TEST_F(MpiModuleTest, ThatIsNoneIsSaid) {
  write("bin/sotto-mpi.so", "of somebody else");
  expect_error(launched(), 2, "E-ranks-mpi");
  EXPECT_THAT(launched().err, HasSubstr("bin/sotto-mpi.so cannot be loaded"));
  EXPECT_THAT(shell("bin/sotto --version").out, HasSubstr("ranks: none: "));
}

TEST_F(MpiModuleTest, OfAnotherBuildOrMachineIsSaid) {
  if (!std::filesystem::exists(kModule)) GTEST_SKIP() << "NOT TESTED: sotto was built without MPI";
  const std::string end(1, '\0');
  const std::string version = sotto_version();
  std::string other = version;
  other.back() = other.back() == '9' ? '8' : '9';
  put_changed(end + version + end, end + other + end);
  expect_error(launched(), 2, "E-ranks-mpi");
  EXPECT_THAT(launched().err,
              HasSubstr(fmt::format("is of sotto {}, and this is {}", other, version)));

  put_changed("sotto_mpi_module", "sotto_abc_module");
  EXPECT_THAT(launched().err, HasSubstr("is no module of sotto"));

  // As where MPI is not installed.
  put_changed(end + "libmpi", end + "libabc");
  expect_error(launched(), 2, "E-ranks-mpi");
  EXPECT_THAT(launched().err, AllOf(HasSubstr("cannot be loaded: libabc"),
                                    HasSubstr("install the MPI and PT-Scotch")));
}

TEST_F(MpiModuleTest, IsTakenFromWhereItIsInstalled) {
  if (!std::filesystem::exists(kModule)) GTEST_SKIP() << "NOT TESTED: sotto was built without MPI";
  const auto installed = (folder() / "bin" / SOTTO_MODULE_FOLDER).lexically_normal();
  std::filesystem::create_directories(installed);
  std::filesystem::copy_file(kModule, installed / "sotto-mpi.so");
  const Finished here = shell("bin/sotto --version");
  EXPECT_THAT(here.out, AllOf(HasSubstr("ranks: "), Not(HasSubstr("none"))));
  // Wherever it is called from.
  std::filesystem::create_symlink(folder() / "bin/sotto", folder() / "link");
  EXPECT_EQ(shell("./link --version").out, here.out);
}

}  // namespace
}  // namespace sotto
