// Tensors of the host and of the device over the same memory.
#pragma once
#include <ATen/core/TensorBase.h>
#include <ATen/core/Tensor.h>

namespace npu_sim {

// Host storage over a device storage's memory; the memory lives as long as either.
c10::Storage host_storage(const c10::Storage& device, bool resizable);
// The device storage that a host storage shows, or an empty one.
c10::Storage shown_by(const c10::Storage& host);
// Device storage that keeps a host storage's memory, counted as the device's.
c10::Storage device_storage(const c10::Storage& host, c10::DeviceIndex index);
// A tensor of the same shape and strides over another storage.
at::Tensor over(const at::Tensor& like, c10::Storage storage);

at::Tensor host(const at::Tensor& tensor);
at::Tensor device(const at::Tensor& tensor, c10::DeviceIndex index);

} // namespace npu_sim
