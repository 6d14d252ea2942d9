#include "runtime.h"
#include "memory.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Utils.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/DeviceCapability.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <pthread.h>
#include <array>
#include <chrono>

namespace npu_sim {
namespace {

c10::DeviceIndex devices = 8;
std::atomic<bool> used{false}, bad_fork{false};
thread_local c10::DeviceIndex now_device = 0;
thread_local std::array<int64_t, kMostDevices> now_stream{};

void check(c10::DeviceIndex index) {
  TORCH_CHECK(index >= 0 && index < devices, "Invalid NPU device ", int(index), ": there are ", int(devices));
}

// A seed and values as the CPU's engine draws them.
class Generator final : public c10::GeneratorImpl {
 public:
  explicit Generator(c10::DeviceIndex index)
      : GeneratorImpl({c10::kPrivateUse1, index}, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
        values(at::detail::createCPUGenerator(c10::default_rng_seed_val)) {}
  void set_current_seed(uint64_t seed) override {
    values.set_current_seed(seed);
    offset_ = 0;
  }
  // As with a counter-based engine: the same seed and offset give the same values.
  void set_offset(uint64_t offset) override {
    const auto seed = values.current_seed();
    offset_ = offset;
    values.set_current_seed(offset ? seed + offset * 0x9E3779B97F4A7C15ull : seed);
    if (offset)
      seed_at_offset_ = seed;
  }
  uint64_t get_offset() const override {
    return offset_;
  }
  uint64_t current_seed() const override {
    return seed_at_offset_ && offset_ ? *seed_at_offset_ : values.current_seed();
  }
  uint64_t seed() override {
    offset_ = 0;
    return values.seed();
  }
  void set_state(const c10::TensorImpl& state) override {
    values.unsafeGetGeneratorImpl()->set_state(state);
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    return values.unsafeGetGeneratorImpl()->get_state();
  }
  static c10::DeviceType device_type() {
    return c10::kPrivateUse1;
  }
  at::Generator values;

 private:
  Generator* clone_impl() const override {
    auto* copy = new Generator(device().index());
    copy->values = values.clone();
    copy->offset_ = offset_;
    copy->seed_at_offset_ = seed_at_offset_;
    return copy;
  }
  uint64_t offset_ = 0;
  std::optional<uint64_t> seed_at_offset_;
};

struct Event {
  std::chrono::steady_clock::time_point time;
  bool timed;
};

int64_t next_stream(c10::DeviceIndex index) {
  static std::array<std::atomic<int64_t>, kMostDevices> made{};
  return 1 + made[index]++ % 32;  // torch's pools have 32 streams, handed out in turn
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
  explicit Guard(c10::DeviceType = c10::kPrivateUse1) {}
  static constexpr c10::DeviceType static_type = c10::kPrivateUse1;

  static c10::DeviceIndex index_of(c10::Device d) {
    return d.has_index() ? d.index() : now_device;
  }
  static c10::Stream stream(c10::Device d, int64_t id) {
    return c10::Stream(c10::Stream::UNSAFE, c10::Device(static_type, index_of(d)), id);
  }
  c10::DeviceType type() const override {
    return static_type;
  }
  c10::Device exchangeDevice(c10::Device d) const override {
    return {static_type, exchange_device(index_of(d))};
  }
  c10::Device getDevice() const override {
    return {static_type, now_device};
  }
  void setDevice(c10::Device d) const override {
    exchange_device(index_of(d));
  }
  void uncheckedSetDevice(c10::Device d) const noexcept override {
    now_device = index_of(d);
  }
  c10::Stream getStream(c10::Device d) const noexcept override {
    return stream(d, now_stream[index_of(d)]);
  }
  c10::Stream getDefaultStream(c10::Device d) const override {
    return stream(d, 0);
  }
  c10::Stream getStreamFromGlobalPool(c10::Device d, bool) const override {
    return stream(d, next_stream(index_of(d)));
  }
  c10::Stream getNewStream(c10::Device d, int) const override {
    return stream(d, next_stream(index_of(d)));
  }
  c10::Stream exchangeStream(c10::Stream s) const noexcept override {
    return stream(s.device(), std::exchange(now_stream[s.device_index()], s.id()));
  }
  c10::DeviceIndex deviceCount() const noexcept override {
    return devices;
  }
  c10::DeviceCapability getDeviceCapability(c10::Device) const override {
    return {};
  }
  bool queryStream(const c10::Stream&) const override {
    return true;
  }
  void synchronizeStream(const c10::Stream&) const override {
    ++counters().waits;
  }
  void synchronizeDevice(const c10::DeviceIndex) const override {
    ++counters().waits;
  }
  void record(void** event, const c10::Stream& s, const c10::DeviceIndex index, const c10::EventFlag flag)
      const override {
    TORCH_CHECK(
        index == -1 || index == s.device_index(), "Event device index ", int(index),
        " does not match recording stream's device index ", int(s.device_index()), ".");
    if (!*event)
      *event = new Event{{}, flag == c10::EventFlag::BACKEND_DEFAULT};
    static_cast<Event*>(*event)->time = std::chrono::steady_clock::now();
  }
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override {
    return true;
  }
  void synchronizeEvent(void* event) const override {
    if (event)
      ++counters().waits;
  }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override {
    delete static_cast<Event*>(event);
  }
  double elapsedTime(void* first, void* last, const c10::DeviceIndex) const override {
    return elapsed(reinterpret_cast<int64_t>(first), reinterpret_cast<int64_t>(last));
  }
};

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override {
    return true;
  }
  bool isAvailable() const override {
    return devices > 0;
  }
  bool hasPrimaryContext(c10::DeviceIndex) const override {
    return started();
  }
  c10::DeviceIndex deviceCount() const override {
    return devices;
  }
  void setCurrentDevice(c10::DeviceIndex index) const override {
    exchange_device(index);
  }
  c10::DeviceIndex getCurrentDevice() const override {
    return now_device;
  }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override {
    return exchange_device(index);
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override {
    return index < 0 || index >= devices ? now_device : exchange_device(index);
  }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex index) const override {
    return default_generator(index);
  }
  at::Generator getNewGenerator(c10::DeviceIndex index) const override {
    return at::make_generator<Generator>(index < 0 ? now_device : index);
  }
  bool isPinnedPtr(const void* pointer) const override {
    return is_pinned(pointer);
  }
  c10::Allocator* getPinnedMemoryAllocator() const override {
    return pinned_allocator();
  }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
    const auto index = storage.device().index();
    auto memory = c10::GetAllocator(c10::kCPU)->allocate(bytes);
    if (memory.get() && storage.data())
      std::memcpy(memory.get(), storage.data(), std::min(bytes, storage.nbytes()));
    storage.unsafeGetStorageImpl()->set_data_ptr_noswap(adopt(std::move(memory), bytes, index));
    storage.unsafeGetStorageImpl()->set_nbytes(bytes);
  }
};

} // namespace

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

Counters& counters() {
  static auto* all = new Counters();
  return *all;
}
void start() {
  TORCH_CHECK(
      !bad_fork,
      "Cannot re-initialize NPU in forked subprocess. To use NPU with multiprocessing, you must use the 'spawn' "
      "start method");
  if (!used.exchange(true))
    pthread_atfork(nullptr, nullptr, [] { bad_fork = true; });
}
bool started() {
  return used && !bad_fork;
}
bool in_bad_fork() {
  return bad_fork;
}
c10::DeviceIndex device_count() {
  return devices;
}
void set_device_count(c10::DeviceIndex count) {
  TORCH_CHECK(count >= 0 && count <= kMostDevices, "The simulator has at most ", kMostDevices, " devices");
  devices = count;
}
c10::DeviceIndex current_device() {
  return now_device;
}
c10::DeviceIndex exchange_device(c10::DeviceIndex index) {
  check(index);
  return std::exchange(now_device, index);
}
int64_t current_stream(c10::DeviceIndex index) {
  return now_stream[index];
}
const at::Generator& default_generator(c10::DeviceIndex index) {
  static auto* all = [] {
    auto* made = new std::vector<at::Generator>();
    for (int i = 0; i < kMostDevices; ++i)
      made->push_back(at::make_generator<Generator>(i));
    return made;
  }();
  index = index < 0 ? now_device : index;
  check(index);
  return (*all)[index];
}
at::Generator engine(const at::Generator& generator) {
  return static_cast<Generator*>(generator.unsafeGetGeneratorImpl())->values;
}
double elapsed(int64_t first, int64_t last) {
  auto *a = reinterpret_cast<Event*>(first), *b = reinterpret_cast<Event*>(last);
  TORCH_CHECK(a && b, "Both events must be recorded before calculating elapsed time.");
  TORCH_CHECK(a->timed && b->timed, "Both events must be created with argument 'enable_timing=True'.");
  return std::chrono::duration<double, std::milli>(b->time - a->time).count();
}
void register_hooks() {
  static bool done = false;
  if (!std::exchange(done, true))
    at::RegisterPrivateUse1HooksInterface(new Hooks());
}

} // namespace npu_sim
