#pragma once

// Random numbers by a counter (Philox4x32-10; Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011). Every source of randomness has a stream of its own, told by name: to add one
// changes no other. The bits depend on no standard library's distributions.

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace handspan {

/// The Philox4x32-10 block of a counter and a key.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

/// The x with P(X <= x) = p of the standard normal distribution, 0 < p < 1; relative error 1e-15
/// (Wichura 1988, algorithm AS 241, PPND16).
double normal_quantile(double p);

/// Where a stream is: plain data, to be kept in a snapshot.
struct RandomState {
  std::uint64_t seed = 0;    // of the run: the key
  std::uint64_t stream = 0;  // hash of the stream's name: the counter's upper half
  std::uint64_t drawn = 0;   // numbers of 64 bits drawn so far; two are one block of the counter
};
static_assert(std::is_trivially_copyable_v<RandomState>);

/// A sequence of random numbers. Nothing here allocates or throws.
class RandomStream {
 public:
  /// The stream `name` ("camera.noise") of the run with this seed. Two streams of one seed overlap
  /// only when the 64-bit hashes of their names are equal.
  RandomStream(std::uint64_t seed, std::string_view name);

  /// Continues from a state.
  explicit RandomStream(const RandomState& state) : state_(state) {}

  const RandomState& state() const { return state_; }
  void restore(const RandomState& state) { state_ = state; }

  /// 64 random bits.
  std::uint64_t bits();

  /// Uniform in [0, 1), in steps of 2^-53.
  double uniform();

  /// Uniform in [low, high).
  double uniform(double low, double high);

  /// Normal of mean 0 and deviation 1, by one number of 64 bits; |x| < 8.3.
  double normal();

  /// Normal of the given mean and deviation.
  double normal(double mean, double deviation) { return mean + deviation * normal(); }

  /// Uniform in {0, ..., n - 1}, without bias; n > 0.
  std::uint64_t integer(std::uint64_t n);

  /// A direction (3), uniform on the unit sphere.
  Eigen::Vector3d direction();

 private:
  RandomState state_;
};

}  // namespace handspan
