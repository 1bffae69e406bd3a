/**
 * The book's MLP of two matrices, or experts of two each, on a mesh: what it computes and moves, forwards and
 * backwards, by the layer's own table, derivation and prices. Tokens may be any real number.
 */

import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { book } from '../../../src/assumptions/book.ts'
import { networkPrices } from '../../../src/cost/communication/network.ts'
import {
  addBuckets,
  createTraffic,
  firstResource,
  windowTime,
} from '../../../src/cost/communication/traffic.ts'
import { compile, type Window } from '../../../src/cost/compile/compile.ts'
import { extentsOf } from '../../../src/cost/compile/extents.ts'
import { createScale, setBatch, setMesh } from '../../../src/cost/compile/term.ts'
import { computeRates, computeTime } from '../../../src/cost/compute/compute.ts'
import type { Chip } from '../../../src/hardware/chip.ts'
import { resourceCount } from '../../../src/hardware/network/collective.ts'
import type { MixtureOfExperts } from '../../../src/model/transformer.ts'
import type { Precision } from '../../../src/problem.ts'
import { type Axis, axesOf } from '../../../src/sharding/axis.ts'
import type { Component } from '../../../src/sharding/component.ts'
import { type Derivation, derive } from '../../../src/sharding/derive.ts'
import type { ZeroStage } from '../../../src/sharding/states.ts'
import { mlp } from '../../../src/sharding/tables/training-layout.ts'
import type { Seconds } from '../../../src/units.ts'
import { freely } from '../../rounding.ts'
import { crossing } from '../crossing.ts'
import type { Arrangement } from '../hardware/networks.ts'
import { modelOf } from '../models.ts'
import { precisionOf } from '../precision.ts'

const plainMlp = mlp('feature', false)
const derivations = new Map<string, Derivation>()

/** Symbolic, and so of one component and layout for all sizes: limits are sought with thousands of these. */
function derivationOf(component: Component, zeroStage: ZeroStage, regatherActivations: boolean): Derivation {
  const options = { zeroStage, regatherActivations }
  if (component !== plainMlp) return derive(component, options)
  const key = `${zeroStage} ${regatherActivations}`
  const known = derivations.get(key) ?? derive(component, options)
  derivations.set(key, known)
  return known
}

export interface Mlp {
  readonly D: number
  readonly F: number
  readonly chip: Chip
  readonly arrangement: Arrangement
  /** 3 unless said: data parallelism is stage 0. */
  readonly zeroStage?: ZeroStage
  readonly regather?: boolean
  readonly precision?: Precision
  readonly component?: Component
  /** Experts in place of the MLP; `component` is theirs. */
  readonly experts?: MixtureOfExperts
  readonly terms?: Assumptions
}

export interface PassTime {
  readonly compute: Seconds
  /** What the busiest part of the network takes, everything else beside it. */
  readonly communication: Seconds
  /** All collectives one after another. */
  readonly inTurn: Seconds
  /** By part of the network: physical axes and DCN, or tiers. */
  readonly resources: readonly Seconds[]
  /** Collectives over an axis, one after another. */
  readonly over: (axis: Axis) => Seconds
}

export interface MlpTime {
  readonly forward: PassTime
  /** With the gradients that move once a step. */
  readonly backward: PassTime
}

export function mlpTime(
  { D, F, chip, arrangement, zeroStage = 3, regather = false, ...rest }: Mlp,
  tokens: number,
): MlpTime {
  const { network, mesh, placement } = arrangement
  const { precision = precisionOf(), component = plainMlp, terms = book, experts = null } = rest
  const extents = experts
    ? extentsOf(modelOf({ dModel: D, dFf: F, gatedMlp: false, experts }), 1)
    : { B: 1, T: 1, D, F }
  const derivation = derivationOf(component, zeroStage, regather)
  const compiled = compile(derivation, extents, precision, terms)
  const scale = createScale()
  setMesh(scale, mesh, extents, { ...freely, choicesApart: terms.choicesApart })
  setBatch(scale, tokens)
  const rates = computeRates(chip, precision.compute, terms)
  const windows = Object.values(compiled) as readonly Window[]
  const sets = windows.flatMap(({ buckets }) => buckets.map(({ over }) => over))
  const costs = networkPrices(network, sets, terms).placed(placement, mesh)
  const resources = resourceCount(network)
  const pass = (...parts: readonly Window[]): PassTime => {
    const buckets = parts.flatMap((part) => part.buckets)
    const traffic = createTraffic(resources)
    addBuckets(traffic, buckets, scale, costs, { assumptions: terms, experts })
    const busy = Array.from(traffic.slice(firstResource + resources))
    const over = (axis: Axis) => {
      const alone = createTraffic(resources)
      const own = buckets.filter((bucket) => axesOf(bucket.over).includes(axis))
      addBuckets(alone, own, scale, costs, { assumptions: terms, experts })
      return windowTime(0, alone, 'upper')
    }
    const products = parts.flatMap((part) => part.products)
    const compute = computeTime(products, scale, rates)
    const [communication, inTurn] = [windowTime(0, traffic, 'lower'), windowTime(0, traffic, 'upper')]
    return { compute, communication, inTurn, resources: busy, over }
  }
  return { forward: pass(compiled.forward), backward: pass(compiled.backward, compiled.gradients) }
}

/** Tokens of the whole mesh at which the backward pass is as long in compute as in communication. */
export function leastTokens(layer: Mlp, part: (pass: PassTime) => Seconds = communication): number {
  return crossing(
    (tokens) => {
      const { backward } = mlpTime(layer, tokens)
      return backward.compute - part(backward)
    },
    1,
    1e15,
  )
}

function communication(pass: PassTime): Seconds {
  return pass.communication
}
