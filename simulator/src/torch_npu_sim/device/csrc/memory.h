// The figures of a caching allocator, kept by bookkeeping alone: the bytes themselves are host memory.
#pragma once
#include <c10/core/Allocator.h>
#include <c10/core/Device.h>
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

namespace npu_sim {

struct Stat {
  int64_t current = 0, peak = 0, allocated = 0, freed = 0;
  void change(int64_t amount) {
    current += amount;
    peak = std::max(peak, current);
    (amount > 0 ? allocated : freed) += amount > 0 ? amount : -amount;
  }
};
// All, small pool, large pool: as torch counts them.
using Stats = std::array<Stat, 3>;

enum Figure { ALLOCATION, SEGMENT, ACTIVE, INACTIVE_SPLIT, ALLOCATED_BYTES, RESERVED_BYTES, ACTIVE_BYTES,
              INACTIVE_SPLIT_BYTES, REQUESTED_BYTES, FIGURES };
constexpr std::array<const char*, FIGURES> kFigureNames{
    "allocation", "segment", "active", "inactive_split", "allocated_bytes",
    "reserved_bytes", "active_bytes", "inactive_split_bytes", "requested_bytes"};

struct DeviceFigures {
  std::array<Stats, FIGURES> pools;
  int64_t retries = 0, out_of_memory = 0, device_allocations = 0, device_frees = 0;
};

struct SegmentFigures {
  int64_t address, size, stream, pool;
  bool small;
  struct BlockFigures {
    int64_t address, size, requested;
    bool allocated;
  };
  std::vector<BlockFigures> blocks;
};

DeviceFigures figures(c10::DeviceIndex device);
std::vector<SegmentFigures> segments(c10::DeviceIndex device);
void empty_cache();
void reset_peaks(c10::DeviceIndex device);
void reset_totals(c10::DeviceIndex device);
void set_total(c10::DeviceIndex device, int64_t bytes);
void set_fraction(c10::DeviceIndex device, double fraction);
std::pair<int64_t, int64_t> free_and_total(c10::DeviceIndex device);
// Blocks of a pool are only reused within it. Returns the calling thread's pool before.
int64_t exchange_pool(int64_t pool);

// A pool whose segments are memory of their own that can be given up and taken back in place, and who is told of
// them: the device, the bytes and the address of a new one; the address of one that goes.
using SegmentMade = std::function<void(c10::DeviceIndex, int64_t, int64_t)>;
using SegmentGone = std::function<void(int64_t)>;
void set_mapped_pool(int64_t pool, SegmentMade made, SegmentGone gone);
void set_mapped(int64_t address, bool mapped);

// Memory that was made elsewhere on the host, counted from now on as the device's; copied into a mapped pool.
c10::DataPtr adopt(c10::DataPtr memory, size_t bytes, c10::DeviceIndex device);
// `full` also answers torch.accelerator's memory functions.
void register_allocator(bool full);
c10::Allocator* device_allocator();
bool is_pinned(const void* pointer);
c10::Allocator* pinned_allocator();
void register_pinned_allocator();

} // namespace npu_sim
