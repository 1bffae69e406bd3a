/** The components of a Transformer, a row each: where they stand, and which columns of a rematerialisation policy apply to them. */
interface ComponentRow {
  readonly name: string
  /** Whether it stands before the layers, in each of them, or after them. */
  readonly place: 'entry' | 'layer' | 'head'
  /** Which layers have it. */
  readonly layers: 'all' | 'mixing' | 'dense' | 'sparse'
  /** The columns of a policy that say which of its arrays are kept. */
  readonly keeps: readonly ('attention' | 'mlp' | 'experts')[]
  /** Whether another component of the same layer begins with the sum that this one ends in. */
  readonly beforeAnother: boolean
}

const layer = { place: 'layer', layers: 'all', beforeAnother: false } as const
const whole = ['attention', 'mlp'] as const

const rows: readonly ComponentRow[] = [
  { ...layer, name: 'embedding', place: 'entry', keeps: whole },
  { ...layer, name: 'attention', layers: 'mixing', keeps: ['attention'], beforeAnother: true },
  { ...layer, name: 'mlp', layers: 'dense', keeps: ['mlp'] },
  { ...layer, name: 'experts', layers: 'sparse', keeps: ['experts'] },
  { ...layer, name: 'block', keeps: whole },
  { ...layer, name: 'unembedding', place: 'head', keeps: whole },
]

const byName: ReadonlyMap<string, ComponentRow> = new Map(rows.map((row) => [row.name, row]))
const other: ComponentRow = { ...layer, name: 'other', keeps: whole }

/** A component that is in no row is treated as a layer of its own. */
export function componentRow({ name }: { readonly name: string }): ComponentRow {
  return byName.get(name) ?? other
}
