// SPDX-License-Identifier: Apache-2.0
// Optimisers, in place: `w` walks weight, gradient and the states. Formulas are those of engine/ops.

kernel void sgd(global real* weight, const long weight0, global const real* gradient, const long gradient0,
                const real rate, const real decay, constant const walk* w) {
  const long i = get_global_id(0);
  if (i >= w->count) return;
  long at[2];
  offsets_of(w, 2, i, at);
  const real old = weight[weight0 + at[0]];
  weight[weight0 + at[0]] = old - rate * (gradient[gradient0 + at[1]] + decay * old);
}

kernel void sgd_momentum(global real* weight, const long weight0, global const real* gradient, const long gradient0,
                         global real* buffer, const long buffer0, const real rate, const real decay,
                         const real momentum, const long nesterov, constant const walk* w) {
  const long i = get_global_id(0);
  if (i >= w->count) return;
  long at[3];
  offsets_of(w, 3, i, at);
  const real old = weight[weight0 + at[0]];
  const real decayed = gradient[gradient0 + at[1]] + decay * old;
  const real moved = momentum * buffer[buffer0 + at[2]] + decayed;
  buffer[buffer0 + at[2]] = moved;
  weight[weight0 + at[0]] = old - rate * (nesterov ? decayed + momentum * moved : moved);
}

// decoupled: AdamW. rest: 1 - beta, log: its logarithm, both rounded once: 1 - beta^step is small in the first steps.
kernel void adam(global real* weight, const long weight0, global const real* gradient, const long gradient0,
                 global real* m, const long m0, global real* v, const long v0, global const long* step,
                 const long step0, const real rate, const real decay, const real epsilon, const real beta1,
                 const real rest1, const real log1, const real beta2, const real rest2, const real log2,
                 const long decoupled, constant const walk* w) {
  const long i = get_global_id(0);
  if (i >= w->count) return;
  long at[4];
  offsets_of(w, 4, i, at);
  const real steps = (real)(step[step0] < 1 ? 1 : step[step0]);
  const real correction1 = -expm1(steps * log1), correction2 = -expm1(steps * log2);
  const real old = weight[weight0 + at[0]];
  const real g = gradient[gradient0 + at[1]] + (decoupled ? (real)0 : decay * old);
  const real kept = decoupled ? old - rate * decay * old : old;
  const real first = beta1 * m[m0 + at[2]] + rest1 * g;
  const real second = beta2 * v[v0 + at[3]] + rest2 * g * g;
  m[m0 + at[2]] = first;
  v[v0 + at[3]] = second;
  weight[weight0 + at[0]] = kept - rate / correction1 * first / (sqrt(second / correction2) + epsilon);
}

kernel void count_step(global long* step, const long step0) { step[step0] += 1; }
