#include "alias.h"
#include "memory.h"
#include "runtime.h"

namespace npu_sim {
namespace {
void release_shown(void* context) {
  c10::raw::intrusive_ptr::decref(static_cast<c10::StorageImpl*>(context));
}
void release_kept(void* context) {
  c10::raw::intrusive_ptr::decref(static_cast<c10::StorageImpl*>(context));
}
} // namespace

c10::Storage host_storage(const c10::Storage& device, bool resizable) {
  auto* shown = device.unsafeGetStorageImpl();
  void* data = shown->mutable_data_ptr().get();
  c10::raw::intrusive_ptr::incref(shown);
  return c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), shown->nbytes(),
      c10::DataPtr(data, shown, &release_shown, c10::Device(c10::kCPU)), c10::GetAllocator(c10::kCPU), resizable);
}

c10::Storage shown_by(const c10::Storage& host) {
  const auto& pointer = host.data_ptr();
  if (pointer.get_deleter() != &release_shown)
    return {};
  return c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(
      static_cast<c10::StorageImpl*>(pointer.get_context()));
}

c10::Storage device_storage(const c10::Storage& host, c10::DeviceIndex index) {
  if (auto shown = shown_by(host))
    return shown;
  auto* kept = host.unsafeGetStorageImpl();
  c10::raw::intrusive_ptr::incref(kept);
  c10::DataPtr memory(kept->mutable_data_ptr().get(), kept, &release_kept, c10::Device(c10::kCPU));
  return c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), kept->nbytes(), adopt(std::move(memory), kept->nbytes(), index),
      device_allocator(), true);
}

at::Tensor over(const at::Tensor& like, c10::Storage storage) {
  const auto key = storage.device_type() == c10::kCPU ? c10::DispatchKey::CPU : c10::DispatchKey::PrivateUse1;
  auto made = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(key), like.dtype());
  auto* impl = made.unsafeGetTensorImpl();
  impl->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
  if (like.unsafeGetTensorImpl()->is_wrapped_number())
    impl->set_wrapped_number(true);
  if (like.is_conj())
    impl->_set_conj(true);
  if (like.is_neg())
    impl->_set_neg(true);
  return made;
}

at::Tensor host(const at::Tensor& tensor) {
  return over(tensor, host_storage(tensor.storage(), false));
}

at::Tensor device(const at::Tensor& tensor, c10::DeviceIndex index) {
  return over(tensor, device_storage(tensor.storage(), index));
}

} // namespace npu_sim
