// SPDX-License-Identifier: Apache-2.0
// A thread per element; scalars are read from the GPU's memory, so that a step never waits for the host.
#include "engine/cuda/updates.h"

#include <cmath>

#include "engine/cuda/numbers.cuh"
#include "engine/cuda/teams.cuh"
#include "engine/tensor/dropout_mask.h"
#include "engine/tensor/loss_scale.h"

namespace engine::cuda {
namespace {

template <class A>
__host__ __device__ A get(const Data& data, int64_t offset) {
  return load<A>(data.dtype, data.bytes, offset);
}
template <class A>
__host__ __device__ void put(const Data& data, int64_t offset, A value) {
  store<A>(data.dtype, data.bytes, offset, value);
}

template <class A>
struct UpdateElement {
  Update u;

  __host__ __device__ void operator()(int64_t i) const {
    int64_t at[4];
    offsets_at(u.walk, i, at);
    switch (u.kind) {
      case UpdateKind::clip: {
        const A wanted = static_cast<A>(u.max_norm) / (std::sqrt(get<A>(u.scalar, 0)) + A(1e-6));
        put<A>(u.weight, at[0], get<A>(u.gradient, at[1]) * (wanted > 1 ? A{1} : wanted));
        return;
      }
      case UpdateKind::dropout: {
        const DropoutMask mask(u.ratio, u.seed, get<int64_t>(u.scalar, 0));
        put<A>(u.weight, at[0],
               mask.keeps(static_cast<uint64_t>(at[2])) ? get<A>(u.gradient, at[1]) * static_cast<A>(mask.factor())
                                                        : A{0});
        return;
      }
      case UpdateKind::adam:
      case UpdateKind::adamw: return adam(at);
      default: return sgd(at);
    }
  }

  __host__ __device__ bool overflown() const { return u.found.bytes != nullptr && get<A>(u.found, 0) != 0; }
  __host__ __device__ A gradient(int64_t at) const {
    const A value = get<A>(u.gradient, at);
    return u.scalar.bytes != nullptr ? value / get<A>(u.scalar, 0) : value;
  }

  __host__ __device__ void sgd(const int64_t (&at)[4]) const {
    if (overflown()) return;
    const A rate = static_cast<A>(u.rate), momentum = static_cast<A>(u.momentum);
    const A weight = get<A>(u.weight, at[0]);
    const A decayed = gradient(at[1]) + static_cast<A>(u.decay) * weight;
    if (u.kind == UpdateKind::sgd) {
      put<A>(u.weight, at[0], weight - rate * decayed);
      return;
    }
    const A buffer = momentum * get<A>(u.first, at[2]) + decayed;
    put<A>(u.first, at[2], buffer);
    put<A>(u.weight, at[0], weight - rate * (u.nesterov ? decayed + momentum * buffer : buffer));
  }

  __host__ __device__ void adam(const int64_t (&at)[4]) const {
    if (overflown()) return;
    const bool decoupled = u.kind == UpdateKind::adamw;
    const double step = fmax(get<double>(u.step, 0), 1.0);
    const A correction1 = static_cast<A>(1 - pow(u.beta1, step)), correction2 = static_cast<A>(1 - pow(u.beta2, step));
    const A rate = static_cast<A>(u.rate), decay = static_cast<A>(u.decay);
    const A beta1 = static_cast<A>(u.beta1), beta2 = static_cast<A>(u.beta2);
    A weight = get<A>(u.weight, at[0]);
    const A g = gradient(at[1]) + (decoupled ? A{0} : decay * weight);
    if (decoupled) weight -= rate * decay * weight;
    const A m = beta1 * get<A>(u.first, at[2]) + (1 - beta1) * g,
            v = beta2 * get<A>(u.second, at[3]) + (1 - beta2) * g * g;
    put<A>(u.first, at[2], m);
    put<A>(u.second, at[3], v);
    put<A>(u.weight, at[0], weight - rate / correction1 * m / (std::sqrt(v / correction2) + static_cast<A>(u.epsilon)));
  }
};

struct CountStep {
  Data step, found;
  __host__ __device__ void operator()(int64_t) const {
    if (found.bytes != nullptr && get<float>(found, 0) != 0) return;
    put<int64_t>(step, 0, get<int64_t>(step, 0) + 1);
  }
};

struct UpdateScale {
  ScaleUpdate u;
  __host__ __device__ void operator()(int64_t) const {
    const LossScale before{get<float>(u.scale, 0), static_cast<int32_t>(get<int64_t>(u.streak, 0)),
                           static_cast<int32_t>(get<int64_t>(u.skipped, 0))};
    const LossScale after =
        next_loss_scale(before, get<float>(u.found, 0) != 0, {u.growth_factor, u.backoff_factor, u.growth_interval});
    put<float>(u.scale, 0, after.scale);
    put<int64_t>(u.streak, 0, after.streak);
    put<float>(u.found, 0, 0.0f);
    put<int64_t>(u.skipped, 0, after.skipped);
  }
};

}  // namespace

cudaError_t launch(const Launcher& launcher, const Update& u) {
  return u.wide ? for_each_element(launcher, UpdateElement<double>{u}, u.walk.count)
                : for_each_element(launcher, UpdateElement<float>{u}, u.walk.count);
}

cudaError_t launch_count(const Launcher& launcher, Data step, Data found) {
  return for_each_element(launcher, CountStep{step, found}, 1);
}

cudaError_t launch(const Launcher& launcher, const ScaleUpdate& u) {
  return for_each_element(launcher, UpdateScale{u}, 1);
}

}  // namespace engine::cuda
