// What Python sees of the device: npu_sim as a module of functions.
#include "alias.h"
#include "memory.h"
#include "runtime.h"

#include <torch/csrc/utils/pybind.h>

namespace npu_sim {
namespace {

py::dict counted() {
  const Counters& all = counters();
  py::dict d;
  d["host_to_device"] = all.host_to_device.load();
  d["device_to_host"] = all.device_to_host.load();
  d["device_to_device"] = all.device_to_device.load();
  d["host_to_device_bytes"] = all.host_to_device_bytes.load();
  d["device_to_host_bytes"] = all.device_to_host_bytes.load();
  d["device_to_device_bytes"] = all.device_to_device_bytes.load();
  d["waits"] = all.waits.load();
  d["allocations"] = all.allocations.load();
  d["operators"] = all.operators.load();
  return d;
}

void reset_counters() {
  Counters& all = counters();
  for (auto* one : {&all.host_to_device, &all.device_to_host, &all.device_to_device, &all.host_to_device_bytes,
                    &all.device_to_host_bytes, &all.device_to_device_bytes, &all.waits, &all.allocations,
                    &all.operators})
    *one = 0;
}

// As torch.cuda.memory_stats names them.
py::dict memory_stats(int index) {
  const auto now = figures(static_cast<c10::DeviceIndex>(index));
  static const char* const pools[] = {"all", "small_pool", "large_pool"};
  py::dict d;
  for (size_t figure = 0; figure < FIGURES; ++figure)
    for (int i = 0; i < 3; ++i) {
      const Stats& stats = now.pools[figure];
      const std::string start = std::string(kFigureNames[figure]) + "." + pools[i] + ".";
      d[py::str(start + "current")] = stats[i].current;
      d[py::str(start + "peak")] = stats[i].peak;
      d[py::str(start + "allocated")] = stats[i].allocated;
      d[py::str(start + "freed")] = stats[i].freed;
    }
  d["num_alloc_retries"] = now.retries;
  d["num_ooms"] = now.out_of_memory;
  d["num_device_alloc"] = now.device_allocations;
  d["num_device_free"] = now.device_frees;
  d["num_sync_all_streams"] = 0;
  d["max_split_size"] = -1;
  for (const char* name : {"oversize_allocations.", "oversize_segments."})
    for (const char* part : {"current", "peak", "allocated", "freed"})
      d[py::str(std::string(name) + part)] = 0;
  return d;
}

py::list snapshot(int index) {
  py::list all;
  for (const auto& s : segments(static_cast<c10::DeviceIndex>(index))) {
    py::list blocks;
    int64_t allocated = 0, requested = 0;
    for (const auto& b : s.blocks) {
      py::dict block;
      block["address"] = b.address;
      block["size"] = b.size;
      block["requested_size"] = b.requested;
      block["state"] = b.allocated ? "active_allocated" : "inactive";
      block["frames"] = py::list();
      blocks.append(block);
      allocated += b.allocated ? b.size : 0;
      requested += b.requested;
    }
    py::dict segment;
    segment["device"] = index;
    segment["address"] = s.address;
    segment["total_size"] = s.size;
    segment["allocated_size"] = allocated;
    segment["active_size"] = allocated;
    segment["requested_size"] = requested;
    segment["stream"] = s.stream;
    segment["segment_type"] = s.small ? "small" : "large";
    segment["segment_pool_id"] = py::make_tuple(0, s.pool);
    segment["is_expandable"] = false;
    segment["blocks"] = blocks;
    all.append(segment);
  }
  return all;
}

at::Tensor host_of(const at::Tensor& t) {
  TORCH_CHECK(t.device().is_privateuseone(), "host() takes a tensor of npu, got one of ", t.device());
  TORCH_CHECK(t.layout() == c10::kStrided && t.has_storage(), "host() takes a strided tensor");
  return host(t);
}

at::Tensor device_of(const at::Tensor& t, std::optional<int64_t> index) {
  TORCH_CHECK(t.is_cpu(), "device() takes a tensor of the CPU, got one of ", t.device());
  TORCH_CHECK(t.layout() == c10::kStrided && t.has_storage(), "device() takes a strided tensor");
  return device(t, index ? static_cast<c10::DeviceIndex>(*index) : current_device());
}

} // namespace

void bind_hccl(py::module_& m);

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("register_device", [](bool full_allocator) {
    register_hooks();
    register_allocator(full_allocator);
    register_pinned_allocator();
  });
  m.def("set_device_count", [](int n) { set_device_count(static_cast<c10::DeviceIndex>(n)); });
  m.def("device_count", [] { return int(device_count()); });
  m.def("current_device", [] { return int(current_device()); });
  m.def("exchange_device", [](int i) { return int(exchange_device(static_cast<c10::DeviceIndex>(i))); });
  m.def("start", &start);
  m.def("started", &started);
  m.def("in_bad_fork", &in_bad_fork);
  m.def("host", &host_of);
  m.def("device", &device_of, py::arg("tensor"), py::arg("index") = py::none());
  m.def("counters", &counted);
  m.def("reset_counters", &reset_counters);
  m.def("count_wait", [] { ++counters().waits; });
  m.def("memory_stats", &memory_stats);
  m.def("snapshot", &snapshot);
  m.def("empty_cache", &empty_cache);
  m.def("reset_peaks", [](int i) { reset_peaks(static_cast<c10::DeviceIndex>(i)); });
  m.def("reset_totals", [](int i) { reset_totals(static_cast<c10::DeviceIndex>(i)); });
  m.def("set_total", [](int i, int64_t bytes) { set_total(static_cast<c10::DeviceIndex>(i), bytes); });
  m.def("set_fraction", [](int i, double f) { set_fraction(static_cast<c10::DeviceIndex>(i), f); });
  m.def("free_and_total", [](int i) { return free_and_total(static_cast<c10::DeviceIndex>(i)); });
  m.def("exchange_pool", &exchange_pool);
  m.def("set_mapped_pool", [](int64_t pool, const py::function& made, const py::function& gone) {
    // Never freed: segments outlive the interpreter's last moments.
    auto *on_made = new py::function(made), *on_gone = new py::function(gone);
    set_mapped_pool(
        pool,
        [on_made](c10::DeviceIndex device, int64_t bytes, int64_t address) {
          py::gil_scoped_acquire gil;
          (*on_made)(int(device), bytes, address);
        },
        [on_gone](int64_t address) {
          py::gil_scoped_acquire gil;
          (*on_gone)(address);
        });
  });
  m.def("set_mapped", &set_mapped);
  m.def("default_generator", [](int i) { return default_generator(static_cast<c10::DeviceIndex>(i)); });
  m.def("elapsed", &elapsed);
  bind_hccl(m);
}

} // namespace npu_sim
