#include "station/certificate.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>

#include "core/error.hpp"
#include "core/own_file.hpp"

namespace handspan {
namespace {

constexpr long kValid = 365L * 24 * 3600, kLeft = 24L * 3600;  // [s]

template <auto free_it>
struct Free {
  template <class T>
  void operator()(T* p) const {
    free_it(p);
  }
};
using X509Ptr = std::unique_ptr<X509, Free<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using BioPtr = std::unique_ptr<BIO, Free<BIO_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;

void require(bool good) {
  if (!good) throw std::runtime_error("OpenSSL cannot make a certificate");
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

bool is_address(const std::string& name) {
  in6_addr address;
  return inet_pton(AF_INET, name.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, name.c_str(), &address) == 1;
}

// "DNS:localhost,IP:127.0.0.1"
std::string alternative_names(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", is_address(name) ? "IP" : "DNS", name);
  return text;
}

void extend(X509* certificate, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str()));
  require(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

std::string fingerprint_of(const X509* certificate) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  require(X509_digest(certificate, EVP_sha256(), digest, &size) == 1);
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{}{:02X}", i == 0 ? "" : ":", digest[i]);
  return text;
}

Certificate make(const std::vector<std::string>& names, std::time_t now) {
  const KeyPtr key(EVP_EC_gen("P-256"));
  const X509Ptr certificate(X509_new());
  require(key && certificate);
  unsigned char serial[8];
  require(RAND_bytes(serial, sizeof serial) == 1);
  std::uint64_t number = 0;
  for (const unsigned char byte : serial) number = number << 8U | byte;
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), number >> 1U);
  require(X509_time_adj(X509_getm_notBefore(certificate.get()), -kLeft, &now) != nullptr &&
          X509_time_adj(X509_getm_notAfter(certificate.get()), kValid, &now) != nullptr);
  require(X509_set_pubkey(certificate.get(), key.get()) == 1);
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("handspan"), -1, -1, 0);
  require(X509_set_issuer_name(certificate.get(), subject) == 1);
  extend(certificate.get(), NID_subject_alt_name, alternative_names(names));
  extend(certificate.get(), NID_basic_constraints, "critical,CA:FALSE");
  extend(certificate.get(), NID_ext_key_usage, "serverAuth");
  require(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
  const BioPtr of_certificate(BIO_new(BIO_s_mem())), of_key(BIO_new(BIO_s_mem()));
  require(PEM_write_bio_X509(of_certificate.get(), certificate.get()) == 1 &&
          PEM_write_bio_PrivateKey(of_key.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                   nullptr) == 1);
  return {text_of(of_certificate.get()), text_of(of_key.get()), fingerprint_of(certificate.get()),
          names};
}

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

X509Ptr parse(const std::string& pem) {
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return X509Ptr(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

KeyPtr parse_key(const std::string& pem) {
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return KeyPtr(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
}

bool has_names(X509* certificate, const std::vector<std::string>& names) {
  return std::ranges::all_of(names, [&](const std::string& name) {
    return is_address(name)
               ? X509_check_ip_asc(certificate, name.c_str(), 0) == 1
               : X509_check_host(certificate, name.data(), name.size(), 0, nullptr) == 1;
  });
}

// Those that everybody can reach and that stay: temporary ones change daily, and a certificate with
// their names with them. The file's columns: address, interface, prefix, scope, flags, name.
std::vector<std::string> lasting_ipv6() {
  constexpr unsigned kTemporary = 0x01, kDeprecated = 0x20, kTentative = 0x40;
  std::vector<std::string> found;
  std::ifstream file("/proc/net/if_inet6");
  std::string digits, interface;
  for (unsigned index, prefix, scope, flags;
       file >> digits >> std::hex >> index >> prefix >> scope >> flags >> interface;) {
    if (scope != 0 || (flags & (kTemporary | kDeprecated | kTentative)) != 0) continue;
    std::string groups;
    for (std::size_t i = 0; i < digits.size(); ++i)
      groups += (i > 0 && i % 4 == 0 ? ":" : "") + digits.substr(i, 1);
    in6_addr address;
    char text[INET6_ADDRSTRLEN] = {};
    if (inet_pton(AF_INET6, groups.c_str(), &address) == 1 &&
        inet_ntop(AF_INET6, &address, text, sizeof text) != nullptr)
      found.emplace_back(text);
  }
  return found;
}

}  // namespace

std::vector<std::string> lan_addresses() {
  std::vector<std::string> found;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return found;
  for (const ifaddrs* i = all; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET ||
        (i->ifa_flags & IFF_UP) == 0 || (i->ifa_flags & IFF_LOOPBACK) != 0)
      continue;
    char text[INET_ADDRSTRLEN] = {};
    const auto* address = reinterpret_cast<const sockaddr_in*>(i->ifa_addr);
    if (inet_ntop(AF_INET, &address->sin_addr, text, sizeof text) != nullptr)
      found.emplace_back(text);
  }
  freeifaddrs(all);
  for (std::string& address : lasting_ipv6()) found.push_back(std::move(address));
  return found;
}

Certificate own_certificate(const std::filesystem::path& folder, std::vector<std::string> names,
                            std::time_t now) {
  for (const char* own : {"localhost", "127.0.0.1", "::1"})
    if (!std::ranges::count(names, own)) names.emplace_back(own);
  const auto certificate_file = folder / "certificate.pem", key_file = folder / "key.pem";
  const std::string pem = read(certificate_file), key = read(key_file);
  const X509Ptr kept = parse(pem);
  const KeyPtr kept_key = parse_key(key);
  std::time_t then = now + kLeft;
  if (kept && kept_key && X509_check_private_key(kept.get(), kept_key.get()) == 1 &&
      X509_cmp_time(X509_get0_notBefore(kept.get()), &now) < 0 &&
      X509_cmp_time(X509_get0_notAfter(kept.get()), &then) > 0 && has_names(kept.get(), names))
    return {pem, key, fingerprint_of(kept.get()), names};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  Certificate made = make(names, now);
  const bool written = write_own_file(key_file, made.key, 0600) &&
                       write_own_file(certificate_file, made.certificate, 0644);
  if (!written)
    throw InputError(fmt::format("{}: the certificate cannot be written; make the folder writable",
                                 folder.string()));
  return made;
}

std::string random_pass() {
  unsigned char bytes[16];
  require(RAND_bytes(bytes, sizeof bytes) == 1);
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::string pairing_code() {
  std::uint32_t number = 0;
  // the few beyond a multiple of a million would make some codes likelier
  constexpr std::uint32_t kLast = 4'294'000'000U;
  do {
    unsigned char bytes[4];
    require(RAND_bytes(bytes, sizeof bytes) == 1);
    number =
        static_cast<std::uint32_t>(bytes[0]) << 24U | bytes[1] << 16U | bytes[2] << 8U | bytes[3];
  } while (number >= kLast);
  return fmt::format("{:06}", number % 1'000'000U);
}

}  // namespace handspan
