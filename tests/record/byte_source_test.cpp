#include "record/byte_source.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <limits>
#include <random>

#include "core/error.hpp"
#include "record_support.hpp"

namespace handspan {
namespace byte_source_test {

using test::error_of;
using test::Folder;

Bytes noise(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random() & 0xffU);
  return bytes;
}

std::string bytes_error_of(const ByteSource& source, std::uint64_t offset, std::uint64_t size) {
  try {
    source.read(offset, size);
  } catch (const BytesError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ByteSource, AFileAndMemoryGiveTheSameBytesAtAnyPlace) {
  const Folder folder;
  const Bytes bytes = noise(5000, 1);
  test::write_bytes(folder / "some", bytes);
  const auto file = ByteSource::file(folder / "some");
  const auto memory = ByteSource::memory(bytes, "some bytes");
  EXPECT_EQ(file->size(), bytes.size());
  EXPECT_EQ(memory->size(), bytes.size());
  EXPECT_EQ(file->name(), (folder / "some").string());
  EXPECT_EQ(memory->name(), "some bytes");
  std::mt19937_64 random(2);
  for (int i = 0; i < 200; ++i) {
    const std::size_t offset = random() % (bytes.size() + 1);
    const std::size_t size = random() % (bytes.size() - offset + 1);
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
    const Bytes part(first, first + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(file->read(offset, size), part) << "seed 2, " << offset << " " << size;
    EXPECT_EQ(memory->read(offset, size), part) << "seed 2, " << offset << " " << size;
  }
}

TEST(ByteSource, TheLastByteIsThereAndTheNextIsNot) {
  const auto source = ByteSource::memory(noise(10, 3), "ten");
  EXPECT_EQ(source->read(9, 1).size(), 1U);
  EXPECT_TRUE(source->read(10, 0).empty());
  EXPECT_EQ(bytes_error_of(*source, 10, 1), "1 bytes from byte 10 are not in the file's 10");
  EXPECT_EQ(bytes_error_of(*source, 11, 0), "0 bytes from byte 11 are not in the file's 10");
  EXPECT_EQ(bytes_error_of(*source, 0, 11), "11 bytes from byte 0 are not in the file's 10");
}

// offset + size must not come round to a small number, and nothing may be allocated for it
TEST(ByteSource, SizesThatDoNotFitAreRefusedBeforeThereIsRoomForThem) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const auto source = ByteSource::memory(noise(10, 4), "ten");
  EXPECT_NE(bytes_error_of(*source, 5, kMost), "no error");
  EXPECT_NE(bytes_error_of(*source, kMost, 5), "no error");
  EXPECT_NE(bytes_error_of(*source, kMost - 3, 8), "no error");
  EXPECT_NE(bytes_error_of(*source, 5, std::uint64_t{1} << 50U), "no error");
}

TEST(ByteSource, SaysWhatIsNotThereOrNoPlainFile) {
  const Folder folder;
  const std::string missing = (folder / "missing").string();
  EXPECT_EQ(error_of([&] { ByteSource::file(missing); }),
            missing +
                ": cannot be read (No such file or directory); see that it is there and "
                "yours to read");
  const std::string itself = (folder / ".").string();
  EXPECT_EQ(error_of([&] { ByteSource::file(itself); }),
            itself + ": is not a plain file; name a log");
  // a pipe to which nobody writes is refused at once, and not waited for
  const std::string pipe = (folder / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { ByteSource::file(pipe); }), pipe + ": is not a plain file; name a log");
  // a name with a control character does not reach the terminal
  EXPECT_EQ(error_of([&] { ByteSource::file(folder / "a\x1b[2Jb"); }).find('\x1b'),
            std::string::npos);
}

TEST(ByteSource, AFileThatBecameShorterIsSaidWithTheByte) {
  const Folder folder;
  const std::string path = (folder / "some").string();
  test::write_bytes(path, noise(3000, 5));
  const auto source = ByteSource::file(path);
  std::filesystem::resize_file(path, 1000);
  EXPECT_EQ(source->read(0, 1000).size(), 1000U);
  EXPECT_EQ(error_of([&] { source->read(500, 1500); }),
            path + ": byte 1000: cannot be read (it became shorter); copy it to another disk");
}

}  // namespace byte_source_test
}  // namespace handspan
