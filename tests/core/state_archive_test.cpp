#include "core/state_archive.hpp"

#include <gtest/gtest.h>

#include <array>

#include "core/error.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace state_archive_test {

struct Inner {
  double a = 0.0;
  int b = 0;
  void state(StateArchive& archive) { archive(a, b); }
};

struct Outer {
  Eigen::VectorXd q = Eigen::VectorXd::Zero(3);
  Eigen::Matrix3d R = Eigen::Matrix3d::Zero();
  std::vector<Inner> inner = std::vector<Inner>(2);
  std::array<std::uint64_t, 2> counts{};
  std::vector<int> queue;
  bool flag = false;
  void state(StateArchive& archive) {
    archive.part("outer");
    archive(q, R, inner, counts, flag);
    archive.sized(queue);
  }
};

Outer filled() {
  Outer o;
  o.q << 1.0, -0.0, 3.5;
  o.R << 1, 2, 3, 4, 5, 6, 7, 8, 9;
  o.inner[1] = {2.5, 7};
  o.counts = {3, 1ULL << 60U};
  o.queue = {4, 5, 6};
  o.flag = true;
  return o;
}

std::vector<std::byte> saved(Outer& o) {
  std::vector<std::byte> bytes;
  StateArchive archive(bytes);
  archive(o);
  return bytes;
}

std::string error_of(std::span<const std::byte> bytes, Outer into = {}) {
  try {
    StateArchive archive(bytes);
    archive(into);
    archive.finish();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(StateArchive, LoadsWhatItSaved) {
  Outer from = filled(), to;
  const auto bytes = saved(from);
  StateArchive archive{std::span<const std::byte>(bytes)};
  archive(to);
  archive.finish();
  EXPECT_EQ(to.q, from.q);
  EXPECT_TRUE(std::signbit(to.q[1]));
  EXPECT_EQ(to.R, from.R);
  EXPECT_EQ(to.inner[1].a, 2.5);
  EXPECT_EQ(to.inner[1].b, 7);
  EXPECT_EQ(to.counts, from.counts);
  EXPECT_EQ(to.queue, from.queue);
  EXPECT_TRUE(to.flag);
  EXPECT_EQ(saved(to), bytes);
}

TEST(StateArchive, SavingIntoABufferWithRoomAllocatesNothing) {
  Outer from = filled();
  std::vector<std::byte> bytes;
  bytes.reserve(saved(from).size());
  test::AllocationCount count;
  StateArchive archive(bytes);
  archive(from);
  EXPECT_EQ(count.count(), 0u);
}

TEST(StateArchive, NamesWhatIsOfAnotherApp) {
  Outer from = filled(), other;
  other.q.resize(4);
  EXPECT_EQ(error_of(saved(from), other),
            "the snapshot is of another app: outer has 3 values there and 4 here");
  std::vector<std::byte> bytes;
  StateArchive archive(bytes);
  archive.part("another");
  EXPECT_EQ(error_of(bytes),
            "the snapshot is of another app: 'another' is where 'outer' should be");
}

TEST(StateArchive, EveryTruncationAndExcessIsAnError) {
  Outer from = filled();
  auto bytes = saved(from);
  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_NE(error_of(std::span(bytes).first(n)), "") << n << " bytes";
  EXPECT_EQ(error_of(bytes), "");
  bytes.push_back(std::byte{0});
  EXPECT_EQ(error_of(bytes), "the snapshot is longer than what it should restore, by 1 bytes");
}

}  // namespace state_archive_test
}  // namespace handspan
