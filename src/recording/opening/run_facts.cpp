#include "recording/opening/run_facts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/os/machine.hpp"
#include "base/process/environment_variable.hpp"
#include "recording/opening/git_commit.hpp"

namespace reel::capture {
namespace {

// Who starts the processes of a job, and the variables by which it tells them who they are. The
// innermost comes first: torchrun's processes inherit the variables of the srun or mpirun that
// started torchrun, one for each node.
struct Launcher {
  const char* only_with;  // a variable that must be there as well
  const char *rank, *ranks, *local_rank;
};
constexpr std::array launchers = std::to_array<Launcher>({
    {"TORCHELASTIC_RUN_ID", "RANK", "WORLD_SIZE", "LOCAL_RANK"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE",
     "MV2_COMM_WORLD_LOCAL_RANK"},
    {"PMI_RANK", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    // A batch script has SLURM_PROCID=0 without being a rank: only srun sets a step.
    {"SLURM_STEP_ID", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"},
    {"PMIX_RANK", "PMIX_RANK", "PMIX_SIZE", "PMIX_LOCAL_RANK"},
    // Words that others use as well, so only together.
    {"WORLD_SIZE", "RANK", "WORLD_SIZE", "LOCAL_RANK"},
});

// What names the run as a whole; the scheduler's own number first, by which people know it.
constexpr std::array jobs = {"SLURM_JOB_ID",        "PBS_JOBID", "LSB_JOBID",
                             "FLUX_JOB_ID",         "JOB_ID",    "PMIX_NAMESPACE",
                             "TORCHELASTIC_RUN_ID", "PMI_JOBID", "OMPI_MCA_ess_base_jobid"};
constexpr std::array nodes = {"SLURM_NODEID", "GROUP_RANK"};
constexpr std::array commits = {"GITHUB_SHA",          "CI_COMMIT_SHA",
                                "GIT_COMMIT",          "BUILDKITE_COMMIT",
                                "CIRCLE_SHA1",         "TRAVIS_COMMIT",
                                "BITBUCKET_COMMIT",    "DRONE_COMMIT_SHA",
                                "BUILD_SOURCEVERSION", "CODEBUILD_RESOLVED_SOURCE_VERSION",
                                "SEMAPHORE_GIT_SHA",   "APPVEYOR_REPO_COMMIT"};

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 10 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string number_in(const char* name) {
  const auto value = environment_variable(name);
  return is_number(value) ? std::string(value) : std::string();
}

template <class Names, class Fits>
std::string first_of(const Names& names, const Fits& fits) {
  for (const char* name : names)
    if (const auto value = environment_variable(name); fits(value)) return std::string(value);
  return {};
}

const Launcher* launcher() {
  for (const Launcher& one : launchers)
    if (!environment_variable(one.only_with).empty() && is_number(environment_variable(one.rank)))
      return &one;
  return nullptr;
}

std::string rank() {
  const Launcher* const by = launcher();
  return by ? number_in(by->rank) : std::string();
}

std::string job() {
  // torchrun's default is a word, the same for every run; Sun Grid Engine's variable may be
  // anybody's.
  return first_of(jobs, [](std::string_view value) {
    return !value.empty() && value.size() <= 200 && value != "none";
  });
}

std::string host() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::string container() {
  if (std::string id = os::container_id(); !id.empty()) return id;
  return first_of(std::array{"APPTAINER_NAME", "SINGULARITY_NAME", "container"},
                  [](std::string_view value) { return !value.empty() && value.size() <= 200; });
}

std::string commit() {
  std::string told = first_of(commits, is_commit);
  return told.empty() ? commit_of_checkout() : told;
}

document::Facts found_facts() {
  document::Facts facts;
  const auto add = [&](const char* name, std::string value) {
    if (!value.empty()) facts.emplace(name, std::move(value));
  };
  if (const Launcher* const by = launcher()) {
    add("rank", number_in(by->rank));
    add("ranks", number_in(by->ranks));
    std::string local = number_in(by->local_rank);
    // Of MPICH started by srun, PMI tells the rank, and only Slurm its number on the node.
    if (local.empty() && number_in("SLURM_PROCID") == number_in(by->rank))
      local = number_in("SLURM_LOCALID");
    add("local_rank", std::move(local));
  }
  add("node", first_of(nodes, is_number));
  add("job", job());
  add("host", host());
  add("boot_id", os::boot_id());
  add("container", container());
  add("commit", commit());
  return facts;
}

constexpr std::string_view variable = "REEL_CAPTURE_FACTS";

}  // namespace

RunFacts run_facts(const document::Facts& users) {
  RunFacts result;
  result.facts = found_facts();
  const auto put = [&](const document::Facts& from, std::string_view whose) {
    for (const auto& [name, value] : from) {
      const auto known = result.facts.find(name);
      if (known != result.facts.end() && known->second != value)
        result.notes.push_back(
            fmt::format("The fact '{}' is '{}' because {} says so; '{}' was found otherwise.", name,
                        value, whose, known->second));
      result.facts.insert_or_assign(name, value);
    }
  };
  try {
    put(parse_facts(environment_variable(variable.data())), variable);
  } catch (const std::exception& error) {
    result.notes.push_back(fmt::format("{} is left out: {}", variable, error.what()));
  }
  put(users, "the program");
  return result;
}

std::optional<std::string> run_fact(std::string_view name, const document::Facts& users) {
  const auto in = [&](const document::Facts& facts) -> std::optional<std::string> {
    const auto found = facts.find(std::string(name));
    if (found == facts.end() || found->second.empty()) return std::nullopt;
    return found->second;
  };
  if (auto value = in(users)) return value;
  try {
    if (auto value = in(parse_facts(environment_variable(variable.data())))) return value;
  } catch (const std::exception&) {  // told by whoever opens the document
  }
  std::string value = name == "rank" ? rank() : name == "host" ? host() : job();
  return value.empty() ? std::nullopt : std::optional(std::move(value));
}

}  // namespace reel::capture
