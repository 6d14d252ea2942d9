// torch.autocast("npu"): boxed, for the operators that torch's own lists of casts name (ATen/autocast_mode.h).
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

// Declared here because the header that has it includes all operators.
namespace at::autocast {
TORCH_API at::ScalarType get_autocast_dtype(at::DeviceType device_type);
}

namespace npu_sim {
namespace {

const char* const kLower[] = {
    "_convolution.deprecated", "_convolution", "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d",
    "conv_transpose2d.input", "conv_transpose3d.input", "convolution", "prelu", "addmm", "addmv", "addr", "matmul",
    "einsum", "mm", "mv", "linalg_vecdot", "linear", "addbmm", "baddbmm", "bmm", "chain_matmul", "linalg_multi_dot",
    "_thnn_fused_lstm_cell", "_thnn_fused_gru_cell", "lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell",
    "_scaled_dot_product_flash_attention", "scaled_dot_product_attention"};
// Those that torch gives a dtype instead have the same result.
const char* const kFloat[] = {
    "acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log2", "log1p", "reciprocal", "rsqrt", "sinh",
    "tan", "pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar", "softplus", "layer_norm", "native_layer_norm",
    "rms_norm", "group_norm", "frobenius_norm.dim", "nuclear_norm", "nuclear_norm.dim", "cosine_similarity",
    "poisson_nll_loss", "cosine_embedding_loss", "nll_loss", "nll_loss2d", "hinge_embedding_loss", "kl_div",
    "l1_loss", "smooth_l1_loss", "huber_loss", "mse_loss", "margin_ranking_loss", "multilabel_margin_loss",
    "soft_margin_loss", "triplet_margin_loss", "multi_margin_loss", "binary_cross_entropy_with_logits", "dist",
    "pdist", "cdist", "renorm", "logsumexp", "upsample_nearest1d", "_upsample_nearest_exact1d", "upsample_nearest2d",
    "_upsample_nearest_exact2d", "upsample_nearest3d", "_upsample_nearest_exact3d", "upsample_linear1d",
    "upsample_bilinear2d", "_upsample_bilinear2d_aa", "upsample_trilinear3d", "upsample_bicubic2d",
    "_upsample_bicubic2d_aa", "prod", "prod.dim_int", "softmax.int", "log_softmax.int", "cumprod", "cumsum",
    "linalg_vector_norm", "linalg_matrix_norm", "linalg_matrix_norm.str_ord", "sum", "sum.dim_IntList",
    "norm.Scalar", "norm.ScalarOpt_dim"};
const char* const kWidest[] = {
    "addcdiv", "addcmul", "atan2", "bilinear", "cross", "dot", "vdot", "grid_sampler", "index_put", "tensordot",
    "scatter_add"};

bool eligible(const at::Tensor& t) {
  return t.defined() && t.device().is_privateuseone() && t.is_floating_point() && t.scalar_type() != at::kDouble;
}

void call(const c10::OperatorHandle& op, torch::jit::Stack* stack, at::ScalarType to) {
  c10::impl::ExcludeDispatchKeyGuard without(c10::DispatchKey::AutocastPrivateUse1);
  for (auto i = stack->size() - op.schema().arguments().size(); i < stack->size(); ++i) {
    c10::IValue& value = (*stack)[i];
    const auto cast = [&](const at::Tensor& t) { return eligible(t) ? t.to(to) : t; };
    if (value.isTensor()) {
      value = cast(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& t : value.toTensorVector())
        list.push_back(cast(t));
      value = std::move(list);
    }
  }
  op.callBoxed(stack);
}

void lower(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  call(op, stack, at::autocast::get_autocast_dtype(c10::kPrivateUse1));
}

void to_float(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  call(op, stack, at::kFloat);
}

void widest(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  auto to = at::autocast::get_autocast_dtype(c10::kPrivateUse1);
  for (auto i = stack->size() - op.schema().arguments().size(); i < stack->size(); ++i)
    if ((*stack)[i].isTensor() && eligible((*stack)[i].toTensor()))
      to = c10::promoteTypes(to, (*stack)[i].toTensor().scalar_type());
  call(op, stack, to);
}

} // namespace

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
  for (const char* name : kLower)
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&lower>());
  for (const char* name : kFloat)
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&to_float>());
  for (const char* name : kWidest)
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&widest>());
}

} // namespace npu_sim
