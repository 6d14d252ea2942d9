// Operators on the device: those that make or move memory, and a fallback to the CPU's kernels that shares memory.
#include "alias.h"
#include "memory.h"
#include "runtime.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/enum_tag.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_local_scalar_dense_native.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include <unordered_set>

namespace npu_sim {
namespace {

bool ours(const at::Tensor& t) {
  return t.defined() && t.device().is_privateuseone();
}

// Operators that take some tensors of the host besides those of the device, as on the device.
bool takes_host_tensors(const std::string& name) {
  static const std::unordered_set<std::string> all{
      "aten::index", "aten::index_put", "aten::index_put_", "aten::_index_put_impl_", "aten::_unsafe_index",
      "aten::_unsafe_index_put", "aten::_pack_padded_sequence", "aten::_copy_from_and_resize",
      "aten::segment_reduce", "aten::record_stream"};
  return all.count(name) > 0;
}

bool takes_generator(const c10::Argument& argument) {
  const auto* optional = argument.type()->castRaw<c10::OptionalType>();
  return optional && optional->getElementType()->kind() == c10::TypeKind::GeneratorType;
}

// One call of an operator with the tensors of the device shown to the CPU.
class Call {
 public:
  explicit Call(const c10::OperatorHandle& op) : op_(op) {}

  at::Tensor argument(const at::Tensor& t, bool written) {
    if (!t.defined())
      return t;
    if (!ours(t)) {
      if (t.is_cpu() && t.dim() > 0 && !on_host_)
        on_host_ = t;
      return t;
    }
    TORCH_CHECK(
        t.layout() == c10::kStrided && t.has_storage(), op_.operator_name(), " on npu supports strided tensors only");
    if (device_ && *device_ != t.device())
      refuse(*device_, t.device());
    device_ = t.device();
    shown_.push_back({t, over(t, shown_storage(t.storage())), written});
    return shown_.back().on_host;
  }

  c10::Device argument(c10::Device d) {
    if (!d.is_privateuseone())
      return d;
    device_ = c10::Device(c10::kPrivateUse1, d.has_index() ? d.index() : current_device());
    return c10::Device(c10::kCPU);
  }

  void check() const {
    if (device_ && on_host_ && !takes_host_tensors(op_.operator_name().name))
      refuse(*device_, on_host_->device());
  }

  c10::DeviceIndex index() const {
    return device_ ? device_->index() : current_device();
  }

  // A kernel may have given a written tensor another shape, or its storage other memory.
  void take_over_changes() {
    for (auto& [on_device, on_host, written] : shown_) {
      if (!written)
        continue;
      auto* impl = on_device.unsafeGetTensorImpl();
      const auto& storage = on_device.storage();
      if (on_host.storage().data_ptr().get() != storage.data_ptr().get() ||
          on_host.storage().nbytes() != storage.nbytes())
        impl->set_storage_keep_dtype(moved(on_host.storage(), storage));
      if (on_host.sizes() != on_device.sizes() || on_host.strides() != on_device.strides() ||
          on_host.storage_offset() != on_device.storage_offset())
        impl->set_sizes_and_strides(on_host.sizes(), on_host.strides(), on_host.storage_offset());
    }
  }

  at::Tensor result(const at::Tensor& t) {
    if (!t.defined() || !t.is_cpu())
      return t;
    for (const auto& one : shown_)
      if (one.on_host.is_same(t))
        return one.on_device;
    TORCH_CHECK(
        t.layout() == c10::kStrided && t.has_storage(), op_.operator_name(), " on npu returns strided tensors only");
    return over(t, storage_of_result(t.storage()));
  }

  bool on_device() const {
    return device_.has_value();
  }

 private:
  struct Shown {
    at::Tensor on_device, on_host;
    bool written;
  };

  [[noreturn]] void refuse(c10::Device a, c10::Device b) const {
    TORCH_CHECK(
        false, "Expected all tensors to be on the same device, but found at least two devices, ", a, " and ", b,
        "! (when checking arguments of ", op_.operator_name(), ")");
  }

  const c10::Storage& shown_storage(const c10::Storage& storage) {
    for (const auto& [on_device, on_host] : storages_)
      if (on_device.unsafeGetStorageImpl() == storage.unsafeGetStorageImpl())
        return on_host;
    storages_.emplace_back(storage, host_storage(storage, true));
    return storages_.back().second;
  }

  // The device's storage gets the memory that the host's was resized to, or the tensor another storage.
  c10::Storage moved(const c10::Storage& on_host, const c10::Storage& before) {
    for (const auto& [known, shown] : storages_)
      if (shown.unsafeGetStorageImpl() == on_host.unsafeGetStorageImpl() &&
          known.unsafeGetStorageImpl() == before.unsafeGetStorageImpl()) {
        auto fresh = device_storage(on_host, index());
        before.unsafeGetStorageImpl()->set_data_ptr_noswap(
            std::move(fresh.unsafeGetStorageImpl()->mutable_data_ptr()));
        before.unsafeGetStorageImpl()->set_nbytes(on_host.nbytes());
        return before;
      }
    return storage_of_result(on_host);
  }

  c10::Storage storage_of_result(const c10::Storage& storage) {
    for (const auto& [on_device, on_host] : storages_)
      if (on_host.unsafeGetStorageImpl() == storage.unsafeGetStorageImpl())
        return on_device;
    auto made = device_storage(storage, index());
    storages_.emplace_back(made, storage);
    return made;
  }

  const c10::OperatorHandle& op_;
  std::optional<c10::Device> device_;
  std::optional<at::Tensor> on_host_;
  std::vector<Shown> shown_;
  std::vector<std::pair<c10::Storage, c10::Storage>> storages_;
};

// Values drawn by the CPU's default generator come from the device's instead.
class DefaultGeneratorOfDevice {
 public:
  explicit DefaultGeneratorOfDevice(c10::DeviceIndex index)
      : host_(at::globalContext().defaultGenerator(c10::kCPU)), device_(engine(default_generator(index))) {
    std::lock_guard<std::mutex> lock(host_.mutex());
    before_ = host_.get_state();
    host_.set_state(device_.get_state());
  }
  ~DefaultGeneratorOfDevice() {
    std::lock_guard<std::mutex> lock(host_.mutex());
    device_.set_state(host_.get_state());
    host_.set_state(before_);
  }

 private:
  at::Generator host_, device_;
  at::Tensor before_;
};

void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const auto& schema = op.schema();
  const auto count = schema.arguments().size(), base = stack->size() - count;
  Call call(op);
  std::optional<size_t> missing_generator;
  bool generator = false;
  for (size_t i = 0; i < count; ++i) {
    const auto& argument = schema.arguments()[i];
    const bool written = argument.alias_info() && argument.alias_info()->isWrite();
    c10::IValue& value = (*stack)[base + i];
    if (value.isTensor()) {
      if (value.toTensor().defined())
        value = call.argument(value.toTensor(), written);
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& t : value.toTensorVector())
        list.push_back(call.argument(t, written));
      value = std::move(list);
    } else if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> list;
      for (const auto& t : value.toOptionalTensorVector())
        list.push_back(t ? std::optional<at::Tensor>(call.argument(*t, written)) : std::nullopt);
      value = std::move(list);
    } else if (value.isDevice()) {
      value = call.argument(value.toDevice());
    } else if (value.isGenerator()) {
      generator = true;
      if (value.toGenerator().device().is_privateuseone())
        value = engine(value.toGenerator());
    } else if (value.isNone() && takes_generator(argument)) {
      missing_generator = i;
    }
  }
  call.check();
  TORCH_CHECK_NOT_IMPLEMENTED(
      op.hasKernelForDispatchKey(c10::DispatchKey::CPU) ||
          op.hasComputedKernelForDispatchKey(c10::DispatchKey::CPU),
      "Could not run '", op.operator_name(), "' with arguments from the 'npu' backend: it has no kernel for the "
      "device, and none of the CPU that the simulation could use.");
  std::optional<DefaultGeneratorOfDevice> drawn;
  if (missing_generator)
    (*stack)[base + *missing_generator] = engine(default_generator(call.index()));
  else if (!generator && op.hasTag(at::Tag::nondeterministic_seeded))
    drawn.emplace(call.index());
  ++counters().operators;
  // The host learns a shape or a value of the result, so it waits for it.
  if (op.hasTag(at::Tag::dynamic_output_shape) || op.hasTag(at::Tag::data_dependent_output))
    ++counters().waits;
  {
    at::AutoDispatchBelowADInplaceOrView below;
    op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
  }
  call.take_over_changes();
  const auto results = schema.returns().size();
  for (size_t i = stack->size() - results; i < stack->size(); ++i) {
    c10::IValue& value = (*stack)[i];
    if (value.isTensor()) {
      if (value.toTensor().defined())
        value = call.result(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& t : value.toTensorVector())
        list.push_back(call.result(t));
      value = std::move(list);
    }
  }
}

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

void check_new(std::optional<c10::Layout> layout, std::optional<bool> pinned) {
  TORCH_CHECK(c10::layout_or_default(layout) == c10::kStrided, "Only strided tensors are supported on npu");
  TORCH_CHECK(!c10::pinned_memory_or_default(pinned), "Only dense CPU tensors can be pinned");
}

at::Tensor empty(
    c10::IntArrayRef size, std::optional<c10::ScalarType> dtype, std::optional<c10::Layout> layout,
    std::optional<c10::Device> where, std::optional<bool> pinned, std::optional<c10::MemoryFormat> format) {
  check_new(layout, pinned);
  const c10::DeviceGuard guard(c10::device_or_default(where));
  return at::detail::empty_generic(size, device_allocator(), kKeys, c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(
    c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<c10::ScalarType> dtype,
    std::optional<c10::Layout> layout, std::optional<c10::Device> where, std::optional<bool> pinned) {
  check_new(layout, pinned);
  const c10::DeviceGuard guard(c10::device_or_default(where));
  return at::detail::empty_strided_generic(size, stride, device_allocator(), kKeys, c10::dtype_or_default(dtype));
}

// As op-plugin's (ZerosKernelNpuOpApi.cpp): what is to be pinned is of the device all the same.
at::Tensor zeros(
    c10::SymIntArrayRef size, std::optional<c10::ScalarType> dtype, std::optional<c10::Layout> layout,
    std::optional<c10::Device> where, std::optional<bool>) {
  return empty(C10_AS_INTARRAYREF_SLOW(size), dtype, layout, where, false, std::nullopt).zero_();
}

const at::Tensor& resize_(
    const at::Tensor& self, c10::IntArrayRef size, std::optional<c10::MemoryFormat> format) {
  auto* impl = self.unsafeGetTensorImpl();
  const auto bytes = at::detail::computeStorageNbytesContiguous(
      size, self.dtype().itemsize(), static_cast<size_t>(self.storage_offset()));
  if (self.sizes() != size) {
    impl->set_sizes_contiguous(size);
    if (bytes > self.storage().nbytes())
      at::detail::getPrivateUse1Hooks().resizePrivateUse1Bytes(self.storage(), bytes);
  }
  if (format && *format != c10::MemoryFormat::Preserve)
    impl->empty_tensor_restride(*format);
  return self;
}

at::Tensor as_strided(
    const at::Tensor& self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride, std::optional<c10::SymInt> offset) {
  return at::native::as_strided_tensorimpl(
      self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride),
      offset ? std::optional<int64_t>(offset->expect_int()) : std::nullopt);
}

at::Tensor view(const at::Tensor& self, c10::SymIntArrayRef size) {
  return at::native::view(self, C10_AS_INTARRAYREF_SLOW(size));
}

at::Tensor reshape_alias(const at::Tensor& self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride) {
  return at::native::_reshape_alias(self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride));
}

at::Tensor& set_storage_at(
    at::Tensor& self, at::Storage source, c10::SymInt offset, c10::SymIntArrayRef size, c10::SymIntArrayRef stride) {
  TORCH_CHECK(source.device_type() == c10::kPrivateUse1, "Expected a storage of npu, got one of ", source.device());
  auto* impl = self.unsafeGetTensorImpl();
  const auto sizes = C10_AS_INTARRAYREF_SLOW(size), strides = C10_AS_INTARRAYREF_SLOW(stride);
  const auto start_at = offset.expect_int();
  const auto bytes = strides.empty() && !sizes.empty()
      ? at::detail::computeStorageNbytesContiguous(sizes, self.dtype().itemsize(), start_at)
      : at::detail::computeStorageNbytes(sizes, strides, self.dtype().itemsize(), start_at);
  if (bytes > source.nbytes())
    at::detail::getPrivateUse1Hooks().resizePrivateUse1Bytes(source, bytes);
  impl->set_storage_keep_dtype(std::move(source));
  if (strides.empty() && !sizes.empty()) {
    impl->set_storage_offset(start_at);
    impl->set_sizes_contiguous(sizes);
  } else {
    impl->set_sizes_and_strides(sizes, strides, start_at);
  }
  return self;
}

at::Tensor& set_storage(at::Tensor& self, at::Storage source) {
  const int64_t elements = static_cast<int64_t>(source.nbytes() / self.dtype().itemsize());
  const std::array<c10::SymInt, 1> size{elements}, stride{1};
  return set_storage_at(self, std::move(source), 0, size, stride);
}

at::Tensor& set_tensor(at::Tensor& self, const at::Tensor& source) {
  if (!self.is_same(source))
    set_storage_at(self, source.storage(), source.sym_storage_offset(), source.sym_sizes(), source.sym_strides());
  return self;
}

at::Tensor& set_nothing(at::Tensor& self) {
  const c10::DeviceGuard guard(self.device());
  c10::Storage storage(
      c10::Storage::use_byte_size_t(), 0, device_allocator()->allocate(0), device_allocator(), true);
  const std::array<c10::SymInt, 1> size{0}, stride{1};
  return set_storage_at(self, std::move(storage), 0, size, stride);
}

at::Tensor copy_from(const at::Tensor& self, const at::Tensor& to, bool non_blocking) {
  const auto bytes = static_cast<int64_t>(to.numel() * to.element_size());
  auto& all = counters();
  const bool from_device = ours(self), to_device = ours(to);
  if (bytes) {
    (from_device ? to_device ? all.device_to_device : all.device_to_host : all.host_to_device)++;
    (from_device ? to_device ? all.device_to_device_bytes : all.device_to_host_bytes : all.host_to_device_bytes) +=
        bytes;
    // Memory that is not pinned is not copied beside the host's work, whatever was asked for.
    const bool beside = non_blocking && (!from_device || is_pinned(to.const_data_ptr()));
    if (from_device != to_device && !beside)
      ++all.waits;
  }
  at::AutoDispatchBelowADInplaceOrView below;
  const auto source = from_device ? over(self, host_storage(self.storage(), false)) : self;
  const auto target = to_device ? over(to, host_storage(to.storage(), false)) : to;
  target.copy_(source);
  return to;
}

at::Tensor copy_from_and_resize(const at::Tensor& self, const at::Tensor& to) {
  to.resize_(self.sizes());
  return copy_from(self, to, false);
}

at::Scalar local_scalar(const at::Tensor& self) {
  ++counters().waits;
  ++counters().device_to_host;
  counters().device_to_host_bytes += static_cast<int64_t>(self.element_size());
  return at::native::_local_scalar_dense_cpu(host(self));
}

void record_stream(at::Tensor&, c10::Stream) {}

// The CPU's convolution: torch asks devices that it does not know for these two names.
at::Tensor convolution(
    const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias, c10::IntArrayRef stride,
    c10::IntArrayRef padding, c10::IntArrayRef dilation, bool transposed, c10::IntArrayRef output_padding,
    int64_t groups) {
  at::AutoDispatchBelowADInplaceOrView below;
  const bool biased = bias && bias->defined();
  return device(
      at::convolution(
          host(input), host(weight), biased ? std::optional<at::Tensor>(host(*bias)) : std::nullopt, stride, padding,
          dilation, transposed, output_padding, groups),
      input.device().index());
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> convolution_backward(
    const at::Tensor& gradient, const at::Tensor& input, const at::Tensor& weight, c10::IntArrayRef stride,
    c10::IntArrayRef padding, c10::IntArrayRef dilation, bool transposed, c10::IntArrayRef output_padding,
    int64_t groups, std::array<bool, 3> mask) {
  at::AutoDispatchBelowADInplaceOrView below;
  const std::array<int64_t, 1> bias{weight.size(transposed ? 1 : 0) * (transposed ? groups : 1)};
  const auto [a, b, c] = at::convolution_backward(
      host(gradient), host(input), host(weight), c10::IntArrayRef(bias), stride, padding, dilation, transposed,
      output_padding, groups, mask);
  const auto back = [&](const at::Tensor& t) { return t.defined() ? device(t, input.device().index()) : t; };
  return {back(a), back(b), back(c)};
}

} // namespace

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

// A copy resolves both, so that torch need not make another copy to do so.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", empty_strided);
  m.impl("zeros", zeros);
  m.impl("resize_", resize_);
  m.impl("as_strided", as_strided);
  m.impl("view", view);
  m.impl("_reshape_alias", reshape_alias);
  m.impl("set_.source_Storage", set_storage);
  m.impl("set_.source_Storage_storage_offset", set_storage_at);
  m.impl("set_.source_Tensor", set_tensor);
  m.impl("set_", set_nothing);
  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
  m.impl("_local_scalar_dense", local_scalar);
  m.impl("record_stream", record_stream);
  m.impl("convolution_overrideable", convolution);
  m.impl("convolution_backward_overrideable", convolution_backward);
}

} // namespace npu_sim
