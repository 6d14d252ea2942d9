#include "memory.h"
#include "runtime.h"

#include <ATen/core/CachingHostAllocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <sys/mman.h>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace npu_sim {
namespace {

constexpr int64_t KiB = 1024, MiB = 1024 * KiB;
// The constants of torch's and torch_npu's caching allocators.
constexpr int64_t kRound = 512, kSmall = MiB, kSmallSegment = 2 * MiB, kLargeSegment = 20 * MiB;
constexpr int64_t kOwnSegment = 10 * MiB, kRoundSegment = 2 * MiB;

thread_local int64_t current_pool = 0;

struct MappedPool {
  SegmentMade made;
  SegmentGone gone;
};
std::mutex pools_mutex;
std::map<int64_t, std::shared_ptr<MappedPool>> mapped_pools;

std::shared_ptr<MappedPool> mapped_pool(int64_t pool) {
  std::lock_guard<std::mutex> lock(pools_mutex);
  const auto found = mapped_pools.find(pool);
  return found == mapped_pools.end() ? nullptr : found->second;
}

struct Segment;
struct Block {
  Segment* segment;
  int64_t address, size, requested = 0;
  Block *before = nullptr, *after = nullptr;
  bool used = false;
  bool split() const {
    return before || after;
  }
};
struct Segment {
  int64_t address, size, stream, pool;
  bool small;
  Block* first = nullptr;
  // Of a mapped pool: the address is memory, and whether it is there now.
  bool memory = false, mapped = true;
};
struct ByPlace {
  static auto key(const Block* b) {
    return std::make_tuple(b->segment->small, b->segment->pool, b->segment->stream, b->size, b->address);
  }
  bool operator()(const Block* a, const Block* b) const {
    return key(a) < key(b);
  }
};

std::string readable(int64_t bytes) {
  char text[32];
  const char* unit = bytes >= 1024 * MiB ? "GiB" : bytes >= MiB ? "MiB" : bytes >= KiB ? "KiB" : "bytes";
  double part = bytes >= 1024 * MiB ? 1024.0 * MiB : bytes >= MiB ? MiB : KiB;
  if (bytes < KiB)
    snprintf(text, sizeof text, "%ld bytes", static_cast<long>(bytes));
  else
    snprintf(text, sizeof text, "%.2f %s", bytes / part, unit);
  return text;
}

class Device {
 public:
  Block* take(int64_t requested, int64_t stream, c10::DeviceIndex index) {
    const Segment* grown = nullptr;
    Block* block = take(requested, stream, index, grown);
    // Whoever is told may use the allocator, or wait for a thread that does.
    if (grown && grown->memory)
      mapped_pool(grown->pool)->made(index, grown->size, grown->address);
    return block;
  }

  void give(Block* block) {
    std::lock_guard<std::mutex> lock(mutex_);
    give_back(block);
  }

  void empty() {
    std::vector<std::unique_ptr<Segment>> gone;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      gone = release(true);
    }
    tell(gone);
  }

  bool set_mapped(int64_t address, bool mapped, c10::DeviceIndex index) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = segments_.find(address);
    if (found == segments_.end() || !found->second->memory)
      return false;
    Segment& segment = *found->second;
    if (segment.mapped == mapped)
      return true;
    if (mapped)
      make_room(segment.size, index);
    else
      madvise(reinterpret_cast<void*>(segment.address), segment.size, MADV_DONTNEED);
    segment.mapped = mapped;
    unmapped_ += mapped ? -segment.size : segment.size;
    return true;
  }

  DeviceFigures figures() {
    std::lock_guard<std::mutex> lock(mutex_);
    return figures_;
  }

  std::vector<SegmentFigures> segments() {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<SegmentFigures> all;
    for (const auto& [address, segment] : segments_) {
      SegmentFigures one{address, segment->size, segment->stream, segment->pool, segment->small, {}};
      for (Block* b = segment->first; b; b = b->after)
        one.blocks.push_back({b->address, b->size, b->requested, b->used});
      all.push_back(std::move(one));
    }
    return all;
  }

  void reset(bool peaks) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (Stats& stats : figures_.pools)
      for (Stat& stat : stats) {
        if (peaks)
          stat.peak = stat.current;
        else
          stat.allocated = stat.freed = 0;
      }
    if (!peaks)
      figures_.retries = figures_.out_of_memory = figures_.device_allocations = figures_.device_frees = 0;
  }

  // What the device has no more for others.
  int64_t held() const {
    return figures_.pools[RESERVED_BYTES][0].current - unmapped_;
  }

  int64_t total = 0;
  double fraction = 1.0;

 private:
  Block* take(int64_t requested, int64_t stream, c10::DeviceIndex index, const Segment*& grown) {
    std::lock_guard<std::mutex> lock(mutex_);
    const int64_t size = std::max(kRound, (requested + kRound - 1) / kRound * kRound);
    const bool small = size <= kSmall;
    Segment wanted{0, 0, stream, current_pool, small};
    Block key{&wanted, 0, size};
    auto found = free_.lower_bound(&key);
    Block* block = nullptr;
    if (found != free_.end() && (*found)->segment->small == small && (*found)->segment->pool == wanted.pool &&
        (*found)->segment->stream == stream) {
      block = *found;
      leave(block);
    } else {
      block = grow(size, wanted, index);
      grown = block->segment;
    }
    const int64_t rest = block->size - size;
    if (small ? rest >= kRound : rest > kSmall) {
      auto* tail = new Block{block->segment, block->address + size, rest, 0, block, block->after};
      if (tail->after)
        tail->after->before = tail;
      block->after = tail;
      block->size = size;
      enter(tail);
    }
    block->requested = requested;
    block->used = true;
    count(block, 1);
    return block;
  }

  void give_back(Block* block) {
    count(block, -1);
    block->used = false;
    block->requested = 0;
    for (Block* other : {block->before, block->after}) {
      if (!other || other->used)
        continue;
      leave(other);
      Block *left = other == block->before ? other : block, *right = left == other ? block : other;
      left->size += right->size;
      left->after = right->after;
      if (left->after)
        left->after->before = left;
      delete right;
      block = left;
    }
    enter(block);
  }

  void add(Figure figure, bool small, int64_t amount) {
    Stats& stats = figures_.pools[figure];
    stats[0].change(amount);
    stats[small ? 1 : 2].change(amount);
  }
  void count(Block* b, int64_t sign) {
    const bool small = b->segment->small;
    add(ALLOCATION, small, sign);
    add(ACTIVE, small, sign);
    add(ALLOCATED_BYTES, small, sign * b->size);
    add(ACTIVE_BYTES, small, sign * b->size);
    add(REQUESTED_BYTES, small, sign * b->requested);
  }
  // Into and out of the free blocks. A free part of a segment in use is a fragment.
  void enter(Block* b) {
    free_.insert(b);
    if (b->split()) {
      add(INACTIVE_SPLIT, b->segment->small, 1);
      add(INACTIVE_SPLIT_BYTES, b->segment->small, b->size);
    }
  }
  void leave(Block* b) {
    free_.erase(b);
    if (b->split()) {
      add(INACTIVE_SPLIT, b->segment->small, -1);
      add(INACTIVE_SPLIT_BYTES, b->segment->small, -b->size);
    }
  }

  // Segments of which nothing is in use; those of mapped pools only where somebody can be told.
  std::vector<std::unique_ptr<Segment>> release(bool mapped_too) {
    std::vector<std::unique_ptr<Segment>> gone;
    for (auto i = free_.begin(); i != free_.end();) {
      Block* b = *i;
      if (b->split() || (b->segment->memory && !mapped_too)) {
        ++i;
        continue;
      }
      i = free_.erase(i);
      add(SEGMENT, b->segment->small, -1);
      add(RESERVED_BYTES, b->segment->small, -b->segment->size);
      ++figures_.device_frees;
      unmapped_ -= b->segment->mapped ? 0 : b->segment->size;
      auto found = segments_.find(b->segment->address);
      gone.push_back(std::move(found->second));
      segments_.erase(found);
      delete b;
    }
    return gone;
  }

  static void tell(const std::vector<std::unique_ptr<Segment>>& gone) {
    for (const auto& segment : gone)
      if (segment->memory) {
        mapped_pool(segment->pool)->gone(segment->address);
        munmap(reinterpret_cast<void*>(segment->address), segment->size);
      }
  }

  // Raises the device's error when the bytes do not fit.
  void make_room(int64_t bytes, c10::DeviceIndex index) {
    const auto limit = static_cast<int64_t>(total * fraction);
    if (held() + bytes <= limit)
      return;
    ++figures_.out_of_memory;
    const auto current = [&](Figure figure) { return readable(figures_.pools[figure][0].current); };
    const std::string allowed = fraction < 1.0 ? readable(limit) + " allowed; " : "";
    TORCH_CHECK_WITH(
        OutOfMemoryError, false, "NPU out of memory. Tried to allocate ", readable(bytes), " (NPU ", int(index), "; ",
        readable(total), " total capacity; ", current(ALLOCATED_BYTES), " already allocated; ",
        current(ACTIVE_BYTES), " current active; ", readable(total - held()), " free; ", allowed,
        current(RESERVED_BYTES), " reserved in total by PyTorch). If reserved memory is >> allocated memory try ",
        "setting max_split_size_mb to avoid fragmentation.");
  }

  Block* grow(int64_t size, const Segment& like, c10::DeviceIndex index) {
    const int64_t bytes = like.small ? kSmallSegment
        : size < kOwnSegment         ? kLargeSegment
                                     : (size + kRoundSegment - 1) / kRoundSegment * kRoundSegment;
    if (held() + bytes > static_cast<int64_t>(total * fraction)) {
      ++figures_.retries;
      release(false);
    }
    make_room(bytes, index);
    auto segment = std::make_unique<Segment>(like);
    segment->address = next_address_;
    segment->size = bytes;
    if (mapped_pool(like.pool)) {
      void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      TORCH_CHECK(memory != MAP_FAILED, "The host has no ", readable(bytes), " for a pool of the device");
      segment->address = reinterpret_cast<int64_t>(memory);
      segment->memory = true;
    } else {
      next_address_ += bytes;
    }
    auto* block = segment->first = new Block{segment.get(), segment->address, bytes};
    segments_[segment->address] = std::move(segment);
    add(SEGMENT, like.small, 1);
    add(RESERVED_BYTES, like.small, bytes);
    ++figures_.device_allocations;
    return block;
  }

  std::mutex mutex_;
  DeviceFigures figures_;
  std::map<int64_t, std::unique_ptr<Segment>> segments_;
  std::set<Block*, ByPlace> free_;
  int64_t next_address_ = kRoundSegment, unmapped_ = 0;
};

// Never destroyed: tensors of static objects are freed after everything else.
Device& device(c10::DeviceIndex index) {
  static auto* all = new std::array<Device, kMostDevices>();
  TORCH_CHECK(index >= 0 && index < device_count(), "Invalid NPU device ", int(index));
  return (*all)[index];
}

// Where the block's own memory is, if it has any.
void* memory_of(const Block* block) {
  return block->segment->memory ? reinterpret_cast<void*>(block->address) : nullptr;
}

struct Held {
  c10::DataPtr memory;
  Block* block;
  Device* device;
};
void release_held(void* context) {
  std::unique_ptr<Held> held(static_cast<Held*>(context));
  held->device->give(held->block);
}

template <class Base>
class Allocator : public Base {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    const auto index = current_device();
    start();
    if (bytes == 0)
      return {nullptr, nullptr, &c10::detail::deleteNothing, c10::Device(c10::kPrivateUse1, index)};
    Device& place = device(index);
    Block* block = place.take(static_cast<int64_t>(bytes), current_stream(index), index);
    c10::DataPtr memory;
    void* data = memory_of(block);
    if (!data) {
      try {
        memory = c10::GetCPUAllocator()->allocate(bytes);
      } catch (...) {
        place.give(block);
        throw;
      }
      data = memory.get();
    }
    ++counters().allocations;
    return {data, new Held{std::move(memory), block, &place}, &release_held, c10::Device(c10::kPrivateUse1, index)};
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return nullptr;
  }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
};

using Plain = Allocator<c10::Allocator>;

class Full final : public Allocator<c10::DeviceAllocator> {
 public:
  bool initialized() override {
    return true;
  }
  void emptyCache(c10::MempoolId_t = {0, 0}) override {
    empty_cache();
  }
  void recordStream(const c10::DataPtr&, c10::Stream) override {}
  void resetAccumulatedStats(c10::DeviceIndex index) override {
    reset_totals(index);
  }
  void resetPeakStats(c10::DeviceIndex index) override {
    reset_peaks(index);
  }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex index) {
    return free_and_total(index);
  }
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex index) override {
    const auto now = npu_sim::figures(index);
    c10::CachingDeviceAllocator::DeviceStats all;
    const auto fill = [&](auto& into, Figure figure) {
      for (size_t i = 0; i < 3; ++i) {
        const Stat& stat = now.pools[figure][i];
        into[i].current = stat.current, into[i].peak = stat.peak;
        into[i].allocated = stat.allocated, into[i].freed = stat.freed;
      }
    };
    fill(all.allocation, ALLOCATION);
    fill(all.segment, SEGMENT);
    fill(all.active, ACTIVE);
    fill(all.inactive_split, INACTIVE_SPLIT);
    fill(all.allocated_bytes, ALLOCATED_BYTES);
    fill(all.reserved_bytes, RESERVED_BYTES);
    fill(all.active_bytes, ACTIVE_BYTES);
    fill(all.inactive_split_bytes, INACTIVE_SPLIT_BYTES);
    fill(all.requested_bytes, REQUESTED_BYTES);
    all.num_alloc_retries = now.retries;
    all.num_ooms = now.out_of_memory;
    all.num_device_alloc = now.device_allocations;
    all.num_device_free = now.device_frees;
    return all;
  }
};

// Host memory that counts as pinned: known by its addresses.
std::mutex pinned_mutex;
std::map<const char*, size_t> pinned_ranges;

void release_pinned(void* data) {
  {
    std::lock_guard<std::mutex> lock(pinned_mutex);
    pinned_ranges.erase(static_cast<const char*>(data));
  }
  c10::free_cpu(data);
}

class Pinned final : public at::HostAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    void* data = c10::alloc_cpu(std::max<size_t>(bytes, 1));
    std::lock_guard<std::mutex> lock(pinned_mutex);
    pinned_ranges[static_cast<const char*>(data)] = std::max<size_t>(bytes, 1);
    return {data, data, &release_pinned, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return &release_pinned;
  }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
  bool record_event(void*, void*, c10::Stream) override {
    return true;
  }
  void empty_cache() override {}
  at::HostStats get_stats() override {
    return {};
  }
  void reset_accumulated_stats() override {}
  void reset_peak_stats() override {}
};

Pinned pinned;
c10::Allocator* chosen = nullptr;

} // namespace

DeviceFigures figures(c10::DeviceIndex index) {
  return device(index).figures();
}
std::vector<SegmentFigures> segments(c10::DeviceIndex index) {
  return device(index).segments();
}
void empty_cache() {
  for (c10::DeviceIndex i = 0; i < device_count(); ++i)
    device(i).empty();
}
void reset_peaks(c10::DeviceIndex index) {
  device(index).reset(true);
}
void reset_totals(c10::DeviceIndex index) {
  device(index).reset(false);
}
void set_total(c10::DeviceIndex index, int64_t bytes) {
  device(index).total = bytes;
}
void set_fraction(c10::DeviceIndex index, double fraction) {
  device(index).fraction = fraction;
}
std::pair<int64_t, int64_t> free_and_total(c10::DeviceIndex index) {
  Device& place = device(index);
  return {place.total - place.held(), place.total};
}
void set_mapped_pool(int64_t pool, SegmentMade made, SegmentGone gone) {
  std::lock_guard<std::mutex> lock(pools_mutex);
  mapped_pools[pool] = std::make_shared<MappedPool>(MappedPool{std::move(made), std::move(gone)});
}
void set_mapped(int64_t address, bool mapped) {
  bool found = false;
  for (c10::DeviceIndex i = 0; i < device_count() && !found; ++i)
    found = device(i).set_mapped(address, mapped, i);
  TORCH_CHECK(found, "No segment of a mapped pool begins at ", address);
}
int64_t exchange_pool(int64_t pool) {
  return std::exchange(current_pool, pool);
}

c10::DataPtr adopt(c10::DataPtr memory, size_t bytes, c10::DeviceIndex index) {
  start();
  void* data = memory.get();
  if (!data || bytes == 0)
    return {nullptr, nullptr, &c10::detail::deleteNothing, c10::Device(c10::kPrivateUse1, index)};
  Device& place = device(index);
  Block* block = place.take(static_cast<int64_t>(bytes), current_stream(index), index);
  ++counters().allocations;
  if (void* own = memory_of(block)) {
    std::memcpy(own, data, bytes);
    data = own;
    memory.clear();
  }
  return {data, new Held{std::move(memory), block, &place}, &release_held, c10::Device(c10::kPrivateUse1, index)};
}

void register_allocator(bool full) {
  chosen = full ? static_cast<c10::Allocator*>(new Full()) : new Plain();
  c10::SetAllocator(c10::kPrivateUse1, chosen);
}
c10::Allocator* device_allocator() {
  return chosen;
}
bool is_pinned(const void* pointer) {
  std::lock_guard<std::mutex> lock(pinned_mutex);
  auto after = pinned_ranges.upper_bound(static_cast<const char*>(pointer));
  if (after == pinned_ranges.begin())
    return false;
  const auto& [start_of, size] = *std::prev(after);
  return static_cast<const char*>(pointer) < start_of + size;
}
c10::Allocator* pinned_allocator() {
  return &pinned;
}
void register_pinned_allocator() {
  at::setHostAllocator(c10::kPrivateUse1, &pinned);
}

} // namespace npu_sim
