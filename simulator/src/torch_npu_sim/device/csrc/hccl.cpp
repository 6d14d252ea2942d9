// The collectives of the backend "hccl": another backend's, on tensors of the host over the same memory.
#include "alias.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/utils/pybind.h>

namespace npu_sim {
namespace {

using Tensors = std::vector<at::Tensor>;
using Lists = std::vector<Tensors>;
using Work = c10::intrusive_ptr<c10d::Work>;

at::Tensor shown(const at::Tensor& t) {
  TORCH_CHECK(t.device().is_privateuseone(), "No backend type associated with device type ", t.device().type());
  return host(t);
}
Tensors shown(const Tensors& all) {
  Tensors made;
  for (const auto& t : all)
    made.push_back(shown(t));
  return made;
}
Lists shown(const Lists& all) {
  Lists made;
  for (const auto& list : all)
    made.push_back(shown(list));
  return made;
}

class Hccl final : public c10d::Backend {
 public:
  explicit Hccl(c10::intrusive_ptr<c10d::Backend> inner)
      : Backend(inner->getRank(), inner->getSize()), inner_(std::move(inner)) {}
  const std::string getBackendName() const override {
    return "hccl";
  }
  void setSequenceNumberForGroup() override {
    inner_->setSequenceNumberForGroup();
  }
  uint64_t getSequenceNumberForGroup() override {
    return inner_->getSequenceNumberForGroup();
  }
  void setTimeout(std::chrono::milliseconds timeout) override {
    inner_->setTimeout(timeout);
  }
  Work broadcast(Tensors& t, const c10d::BroadcastOptions& o) override {
    auto on_host = shown(t);
    return inner_->broadcast(on_host, o);
  }
  Work allreduce(Tensors& t, const c10d::AllreduceOptions& o) override {
    auto on_host = shown(t);
    return inner_->allreduce(on_host, o);
  }
  Work allreduce_coalesced(Tensors& t, const c10d::AllreduceCoalescedOptions& o) override {
    auto on_host = shown(t);
    return inner_->allreduce_coalesced(on_host, o);
  }
  Work reduce(Tensors& t, const c10d::ReduceOptions& o) override {
    auto on_host = shown(t);
    return inner_->reduce(on_host, o);
  }
  Work allgather(Lists& out, Tensors& in, const c10d::AllgatherOptions& o) override {
    auto to = shown(out);
    auto from = shown(in);
    return inner_->allgather(to, from, o);
  }
  Work _allgather_base(at::Tensor& out, at::Tensor& in, const c10d::AllgatherOptions& o) override {
    auto to = shown(out), from = shown(in);
    return inner_->_allgather_base(to, from, o);
  }
  Work allgather_into_tensor_coalesced(Tensors& out, Tensors& in, const c10d::AllgatherOptions& o) override {
    auto to = shown(out), from = shown(in);
    return inner_->allgather_into_tensor_coalesced(to, from, o);
  }
  Work gather(Lists& out, Tensors& in, const c10d::GatherOptions& o) override {
    auto to = shown(out);
    auto from = shown(in);
    return inner_->gather(to, from, o);
  }
  Work scatter(Tensors& out, Lists& in, const c10d::ScatterOptions& o) override {
    auto to = shown(out);
    auto from = shown(in);
    return inner_->scatter(to, from, o);
  }
  Work reduce_scatter(Tensors& out, Lists& in, const c10d::ReduceScatterOptions& o) override {
    auto to = shown(out);
    auto from = shown(in);
    return inner_->reduce_scatter(to, from, o);
  }
  Work _reduce_scatter_base(at::Tensor& out, at::Tensor& in, const c10d::ReduceScatterOptions& o) override {
    auto to = shown(out), from = shown(in);
    return inner_->_reduce_scatter_base(to, from, o);
  }
  Work reduce_scatter_tensor_coalesced(Tensors& out, Tensors& in, const c10d::ReduceScatterOptions& o) override {
    auto to = shown(out), from = shown(in);
    return inner_->reduce_scatter_tensor_coalesced(to, from, o);
  }
  Work alltoall_base(
      at::Tensor& out, at::Tensor& in, std::vector<int64_t>& out_sizes, std::vector<int64_t>& in_sizes,
      const c10d::AllToAllOptions& o) override {
    auto to = shown(out), from = shown(in);
    return inner_->alltoall_base(to, from, out_sizes, in_sizes, o);
  }
  Work alltoall(Tensors& out, Tensors& in, const c10d::AllToAllOptions& o) override;
  Work send(Tensors& t, int rank, int tag) override {
    auto on_host = shown(t);
    return inner_->send(on_host, rank, tag);
  }
  Work recv(Tensors& t, int rank, int tag) override {
    auto on_host = shown(t);
    return inner_->recv(on_host, rank, tag);
  }
  Work recvAnysource(Tensors& t, int tag) override {
    auto on_host = shown(t);
    return inner_->recvAnysource(on_host, tag);
  }
  Work barrier(const c10d::BarrierOptions& o) override {
    c10d::BarrierOptions plain;
    plain.timeout = o.timeout;
    return inner_->barrier(plain);
  }
  void abort() override {
    inner_->abort();
  }
  void shutdown() override {
    inner_->shutdown();
  }
  const c10::intrusive_ptr<c10d::Backend>& inner() const {
    return inner_;
  }

 private:
  c10::intrusive_ptr<c10d::Backend> inner_;
};

// Gloo has the form with one buffer only.
Work Hccl::alltoall(Tensors& out, Tensors& in, const c10d::AllToAllOptions& o) {
  const auto rank = getRank();
  out.at(rank).copy_(in.at(rank));
  std::vector<Work> all;
  std::vector<Tensors> kept;
  for (int i = 0; i < getSize(); ++i) {
    if (i == rank)
      continue;
    kept.push_back({shown(in.at(i)).contiguous()});
    all.push_back(inner_->send(kept.back(), i, 0));
  }
  Work last;
  for (int i = 0; i < getSize(); ++i) {
    if (i == rank)
      continue;
    Tensors into{shown(out.at(i))};
    inner_->recv(into, i, 0)->wait();
  }
  for (const auto& work : all)
    work->wait();
  c10d::BarrierOptions plain;
  return inner_->barrier(plain);
}

} // namespace

void bind_hccl(py::module_& m) {
  py::module_::import("torch._C._distributed_c10d");
  py::class_<Hccl, c10::intrusive_ptr<Hccl>, c10d::Backend>(m, "ProcessGroupHCCL")
      .def(py::init<c10::intrusive_ptr<c10d::Backend>>(), py::call_guard<py::gil_scoped_release>())
      .def_property_readonly("inner", &Hccl::inner)
      .def("get_hccl_comm_name", [](Hccl& self, int rank) {
        return "hccl_" + self.getGroupUid() + "_" + std::to_string(rank);
      }, py::arg("rank"));
}

} // namespace npu_sim
