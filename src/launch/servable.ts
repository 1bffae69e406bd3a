/** Which layouts servers run, as a search asks it before there is a plan: all rules of each, of memory without a limit. */
import { isDirect } from '../hardware/chip.ts'
import type { Cluster } from '../hardware/cluster/cluster.ts'
import { hostSize } from '../hardware/cluster/hosts.ts'
import { innermostUnit } from '../hardware/network/innermost-unit.ts'
import { onePass, type Servable } from '../inference/layout/served.ts'
import { known } from '../known.ts'
import type { InferenceProblem, Setting } from '../problem.ts'
import { keeps } from '../rules/rule.ts'
import { unitMesh } from '../sharding/axis.ts'
import { type LayoutFields, layoutFields } from '../sharding/tables/inference-layout-fields.ts'
import type { ProjectionLayout } from '../sharding/tables/inference-sharding.ts'
import type { Server } from './framework.ts'
import { type Drafts, draftsAsked } from './server/drafts.ts'
import { laysOut } from './server/rules.ts'
import { type Counted, type Serving, serving } from './server/serving.ts'
import { type Launcher, serversOf, servingLaunchers } from './serving.ts'

/**
 * Restricts a search to layouts that one of the assumed frameworks can serve. Null for no restriction: if no framework
 * is assumed, or none of them can serve the model on such chips in these element types, whatever the layout.
 */
export function servable(asked: Drafting): Servable | null {
  return servableOn(asked)(asked.cluster)
}

/** The same on each part of the chips, asked once for all parts that rules of servers do not tell apart. */
export function servableOn(asked: Drafting): (part: Cluster) => Servable | null {
  const named = serversOf(asked, asked.assumptions.frameworks)
  const found = new Map<string, { readonly servable: Servable | null }>()
  return (cluster) =>
    known(found, hostText(cluster), () => {
      const able = named.filter((name) => runsAtAll({ ...asked, cluster }, name))
      return { servable: able.length === 0 ? null : servedBy(able, draftsAsked(asked)) }
    }).servable
}

/** A problem of inference, whose servers may draft tokens. */
type Drafting = Setting & Partial<Pick<InferenceProblem, 'workload'>>

/**
 * The same for each framework alone, as one framework has to launch both phases of a deployment; only those that can
 * run the model on some part of the pool that an instance may have. Null if none can.
 */
export function servables(asked: Drafting, parts: readonly Cluster[]): readonly Servable[] | null {
  const able = serversOf(asked, asked.assumptions.frameworks).filter((name) =>
    parts.some((cluster) => runsAtAll({ ...asked, cluster }, name)),
  )
  return able.length === 0 ? null : able.map((name) => servedBy([name], draftsAsked(asked)))
}

function servedBy(able: readonly Server[], drafts: Drafts | null): Servable {
  const counted = { ...uncounted, drafts }
  const anyRuns = (made: Serving) => able.some((name) => runs(servingLaunchers[name], made))
  const counts = able.some((name) => servingLaunchers[name].countsSequences)
  return {
    host: (cluster) => `${able.join()} ${drafts ? `${drafts.by} ${drafts.tokens} ` : ''}${hostText(cluster)}`,
    toldApart: (sequences) => (counts ? sequences : 1),
    layout: laysOut,
    needsBeside: (setting, mesh, pass) =>
      mesh.expert === 1
        ? 0
        : Math.min(...able.map((name) => servingLaunchers[name].needsBeside?.(setting, mesh, pass) ?? 0)),
    runs: (asked, layouts) => anyRuns(serving(asked, layouts, layouts.mode, counted)),
    serves: (asked, layouts) => anyRuns(serving(asked, layouts, 'serve', counted)),
  }
}

/** All that rules of servers read of a cluster besides its chip (test/agree/inference/servable.test.ts). */
function hostText(cluster: Cluster): string {
  const { network } = cluster
  const joined = network.kind === 'torus' ? network.slices > 1 : network.tiers.slice(0, 1).every(isDirect)
  return `${network.kind} ${hostSize(cluster)} ${innermostUnit(cluster)} ${joined}`
}

function runs({ rules }: Launcher, made: Serving): boolean {
  return keeps(rules(made), made)
}

/** Whether it runs on one chip, or with attention by sequences on two. */
function runsAtAll(setting: Setting, name: Server): boolean {
  const { experts, layers } = setting.model
  const probe = (attention: LayoutFields, rest: ProjectionLayout, tensor: number) => {
    const named = [
      ['attention', attention] as const,
      ['mlp', layoutFields(rest)] as const,
      ...(experts ? [['experts', layoutFields(rest, { places: 'sliced' })] as const] : []),
    ]
    const layouts = named.map(([component, fields]) => {
      return { ...fields, component: { name: component, arrays: {}, einsums: [] } }
    })
    const pass = {
      mesh: { ...unitMesh, tensor },
      layouts,
      pass: onePass(1, false, layers),
      mode: 'generate' as const,
    }
    return runs(servingLaunchers[name], serving(setting, pass, pass.mode, uncounted))
  }
  const groups = layoutFields('copied-all', { cache: 'batch' })
  return (
    probe(layoutFields('1d', { cache: 'heads' }), '1d', 1) ||
    probe(groups, '1d-sequences', 2) ||
    probe(groups, 'copied-all', 2)
  )
}

/** Memory without a limit, which the search tests itself. */
const uncounted: Counted = {
  contextLength: 1,
  memory: {
    ...{ budget: Number.POSITIVE_INFINITY, total: 0, parameters: 0, gradients: 0, optimizer: 0 },
    ...{ activations: 0, kvCache: 0, workspace: 0, reserve: 0, host: 0, stage: 0 },
  },
}
