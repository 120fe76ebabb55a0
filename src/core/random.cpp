#include "core/random.hpp"

#include <cassert>
#include <cmath>

namespace handspan {
namespace {

__extension__ using Uint128 = unsigned __int128;

std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32U); }

// FNV-1a, then the finalizer of splitmix64, since FNV alone mixes short names badly
std::uint64_t hash(std::string_view name) {
  std::uint64_t h = 0xCBF29CE484222325U;
  for (const char c : name) {
    h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  }
  h = (h ^ (h >> 30U)) * 0xBF58476D1CE4E5B9U;
  h = (h ^ (h >> 27U)) * 0x94D049BB133111EBU;
  return h ^ (h >> 31U);
}

// c[0] + c[1] x + ... + c[7] x^7
double polynomial(const std::array<double, 8>& c, double x) {
  double sum = c[7];
  for (std::size_t i = 7; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

// numerators and denominators for |p - 1/2| <= 0.425, for r <= 5 and for r > 5
constexpr std::array<double, 8> kA{3.3871328727963666080e0,  1.3314166789178437745e+2,
                                   1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                   4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                   3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr std::array<double, 8> kB{1.0,
                                   4.2313330701600911252e+1,
                                   6.8718700749205790830e+2,
                                   5.3941960214247511077e+3,
                                   2.1213794301586595867e+4,
                                   3.9307895800092710610e+4,
                                   2.8729085735721942674e+4,
                                   5.2264952788528545610e+3};
constexpr std::array<double, 8> kC{1.42343711074968357734e0,  4.63033784615654529590e0,
                                   5.76949722146069140550e0,  3.64784832476320460504e0,
                                   1.27045825245236838258e0,  2.41780725177450611770e-1,
                                   2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr std::array<double, 8> kD{1.0,
                                   2.05319162663775882187e0,
                                   1.67638483018380384940e0,
                                   6.89767334985100004550e-1,
                                   1.48103976427480074590e-1,
                                   1.51986665636164571966e-2,
                                   5.47593808499534494600e-4,
                                   1.05075007164441684324e-9};
constexpr std::array<double, 8> kE{6.65790464350110377720e0,  5.46378491116411436990e0,
                                   1.78482653991729133580e0,  2.96560571828504891230e-1,
                                   2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                   2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr std::array<double, 8> kF{1.0,
                                   5.99832206555887937690e-1,
                                   1.36929880922735805310e-1,
                                   1.48753612908506148525e-2,
                                   7.86869131145613259100e-4,
                                   1.84631831751005468180e-5,
                                   1.42151175831644588870e-7,
                                   2.04426310338993978564e-15};

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53U} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {high(b) ^ counter[1] ^ key[0], low(b), high(a) ^ counter[3] ^ key[1], low(a)};
    key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
  }
  return counter;
}

double normal_quantile(double p) {
  assert(p > 0.0 && p < 1.0);
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kA, r) / polynomial(kB, r);
  }
  const double r = std::sqrt(-std::log(q < 0.0 ? p : 1.0 - p));
  const double x = r <= 5.0 ? polynomial(kC, r - 1.6) / polynomial(kD, r - 1.6)
                            : polynomial(kE, r - 5.0) / polynomial(kF, r - 5.0);
  return q < 0.0 ? -x : x;
}

RandomStream::RandomStream(std::uint64_t seed, std::string_view name)
    : state_{seed, hash(name), 0} {}

std::uint64_t RandomStream::bits() {
  const std::uint64_t block = state_.drawn / 2;
  const auto out = philox4x32({low(block), high(block), low(state_.stream), high(state_.stream)},
                              {low(state_.seed), high(state_.seed)});
  const std::size_t half = state_.drawn % 2 == 0 ? 0 : 2;
  ++state_.drawn;
  return std::uint64_t{out[half]} | std::uint64_t{out[half + 1]} << 32U;
}

double RandomStream::uniform() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }

double RandomStream::uniform(double low, double high) {
  const double x = low + (high - low) * uniform();
  // the sum may round up to the open end
  return x < high ? x : std::nextafter(high, low);
}

double RandomStream::normal() {
  // 52 bits and a half, so that neither 0 nor 1 can come out
  return normal_quantile((static_cast<double>(bits() >> 12U) + 0.5) * 0x1p-52);
}

std::uint64_t RandomStream::integer(std::uint64_t n) {
  assert(n > 0);
  // Lemire 2019: the upper half of a product, redrawn in the few cases that would bias it
  const std::uint64_t threshold = (0 - n) % n;
  Uint128 product = Uint128{bits()} * n;
  while (static_cast<std::uint64_t>(product) < threshold) product = Uint128{bits()} * n;
  return static_cast<std::uint64_t>(product >> 64U);
}

Eigen::Vector3d RandomStream::direction() {
  Eigen::Vector3d v;
  do {
    // one statement a number: the order of evaluation of arguments is the compiler's choice
    v.x() = normal();
    v.y() = normal();
    v.z() = normal();
  } while (v.squaredNorm() < 1e-12);
  return v.normalized();
}

}  // namespace handspan
