// Readings of clocks that drift, are set and sleep, by a known amount: what is told is what was.
#include "recording/writing/clock_jumps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <utility>

#include "reel/units.hpp"

namespace reel::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t second = 1'000'000'000, millisecond = 1'000'000;

// A machine whose real-time clock drifts, and is read with errors.
class Machine {
 public:
  explicit Machine(std::uint64_t seed) : random_(seed) {
    drift_ = std::uniform_real_distribution<double>(-500e-6, 500e-6)(random_);
  }

  void run(std::int64_t ns) {
    monotonic_ += ns;
    real_ += ns + static_cast<std::int64_t>(drift_ * static_cast<double>(ns));
  }
  void sleep(std::int64_t ns) { slept_ += ns, real_ += ns; }
  void set(std::int64_t by_ns) { real_ += by_ns; }

  std::vector<std::string> look() {
    const auto error = static_cast<std::int64_t>(random_() % 20'000);
    const auto wrong = static_cast<std::int64_t>(random_() % (2 * 20'000)) - 20'000;
    const capture::ClockLook now{{ClockKind::real, static_cast<std::uint64_t>(monotonic_),
                                  static_cast<std::uint64_t>(real_ + wrong * error / 20'000),
                                  static_cast<std::uint64_t>(error)},
                                 slept_};
    const auto before = std::exchange(last_, now);
    return before ? capture::jumps_between(*before, now) : std::vector<std::string>();
  }
  std::int64_t any(std::int64_t from, std::int64_t to) {
    return from + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(to - from));
  }

 private:
  std::mt19937_64 random_;
  double drift_ = 0;
  std::int64_t monotonic_ = 1'000 * second, real_ = 1'700'000'000 * second, slept_ = 5 * second;
  std::optional<capture::ClockLook> last_;
};

TEST(ClockJumps, OfASteadyClockNothingIsTold) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Machine machine(seed);
    for (int i = 0; i < 50; ++i) {
      EXPECT_THAT(machine.look(), IsEmpty()) << seed;
      machine.run(machine.any(second / 10, 3 * second));
    }
  }
}

TEST(ClockJumps, ClocksThatAreSetAreTold) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Machine machine(seed);
    machine.look();
    const std::int64_t size = machine.any(4 * millisecond, 7200 * second);
    const bool is_forward = seed % 2 == 0;
    machine.run(machine.any(second / 2, second));
    machine.set(is_forward ? size : -size);
    machine.run(machine.any(0, second / 2));
    const auto told = machine.look();
    ASSERT_EQ(told.size(), 1u) << seed << ": " << size;
    EXPECT_THAT(told[0], HasSubstr(is_forward ? "was set forward by" : "was set back by")) << seed;
    // As it drifts meanwhile, by half a millisecond at most, and is read with errors.
    const std::string number = told[0].substr(told[0].find(" by ") + 4);
    const double unit = number.find(" ms ") == std::string::npos ? 1 : 1e-3;
    EXPECT_NEAR(std::stod(number) * unit, static_cast<double>(size) / 1e9, 2e-3) << told[0];
    machine.run(second);
    EXPECT_THAT(machine.look(), IsEmpty()) << "told once";
  }
}

TEST(ClockJumps, MachinesThatSleepAreTold) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Machine machine(seed);
    machine.look();
    const std::int64_t size = machine.any(2 * millisecond, 36'000 * second);
    machine.run(second / 2);
    machine.sleep(size);
    machine.run(second / 2);
    EXPECT_THAT(machine.look(),
                ElementsAre(HasSubstr("slept for " + time_text(static_cast<std::uint64_t>(size)))));
    // A clock that is set while the machine sleeps is told as well.
    machine.sleep(3 * second);
    machine.set(-60 * second);
    machine.run(second);
    EXPECT_THAT(machine.look(), ElementsAre(HasSubstr("slept for"), HasSubstr("was set back by")));
  }
}

}  // namespace
}  // namespace reel::test
