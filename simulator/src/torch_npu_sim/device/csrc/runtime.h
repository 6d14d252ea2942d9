// Devices, streams, events, generators and counters: everything happens at once and in order.
#pragma once
#include <ATen/core/Generator.h>
#include <c10/core/Device.h>
#include <atomic>

namespace npu_sim {

constexpr int kMostDevices = 16;

struct Counters {
  std::atomic<int64_t> host_to_device{0}, device_to_host{0}, device_to_device{0};
  std::atomic<int64_t> host_to_device_bytes{0}, device_to_host_bytes{0}, device_to_device_bytes{0};
  std::atomic<int64_t> waits{0}, allocations{0}, operators{0};
};
Counters& counters();

// The first use of a device by the process; refused in a fork of one that had used it.
void start();
bool started();
bool in_bad_fork();

c10::DeviceIndex device_count();
void set_device_count(c10::DeviceIndex count);
c10::DeviceIndex current_device();
c10::DeviceIndex exchange_device(c10::DeviceIndex index);
int64_t current_stream(c10::DeviceIndex index);

const at::Generator& default_generator(c10::DeviceIndex index);
// The engine of the CPU that draws a device generator's values; counted as used.
at::Generator engine(const at::Generator& generator);

// Milliseconds between two events by their ids.
double elapsed(int64_t first, int64_t last);

void register_hooks();

} // namespace npu_sim
