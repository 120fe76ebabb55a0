#pragma once
// This machine's own certificate for TLS: headsets give WebXR to secure pages only. Signed by
// itself: what says that it is the right one is its fingerprint on the terminal.
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

namespace handspan {

struct Certificate {
  std::string certificate, key;    // PEM
  std::string fingerprint;         // SHA-256, "AB:CD:..."
  std::vector<std::string> names;  // its alternative names: hosts and addresses
};

/// Addresses of this host's interfaces that are up, without loopback: "10.0.0.7", then those of
/// IPv6 that last; "fe80..." not, browsers do not take them.
std::vector<std::string> lan_addresses();

/// The one kept in the folder when it is good now and for another day and has these names; else a
/// new one (ECDSA P-256, a year), kept there, the key readable by its owner only. One that is not
/// valid yet was made while the clock was ahead.
/// @param names hosts and addresses; localhost and loopback come with them
/// @param now by the wall clock [s]
/// @throws InputError when the folder cannot be written
Certificate own_certificate(const std::filesystem::path& folder, std::vector<std::string> names,
                            std::time_t now = std::time(nullptr));

/// Six digits from the system's random numbers.
std::string pairing_code();

/// 32 hexadecimal digits from there.
std::string random_pass();

}  // namespace handspan
