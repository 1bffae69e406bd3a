/** The components of a Transformer, a row each: where they stand in it, and what a rematerialisation policy says of them. */
interface ComponentRow {
  readonly name: string
  /** Before the layers, one of them, or after them. */
  readonly place: 'entry' | 'layer' | 'head'
  /** Which layers have it. */
  readonly layers: 'all' | 'dense' | 'sparse'
  /** Whose arrays it has, by the columns of policies. */
  readonly keeps: readonly ('attention' | 'mlp')[]
  /** Another component of the layer begins with the sum that it ends in. */
  readonly beforeAnother: boolean
}

const layer = { place: 'layer', layers: 'all', beforeAnother: false } as const
const whole = ['attention', 'mlp'] as const

const rows: readonly ComponentRow[] = [
  { ...layer, name: 'embedding', place: 'entry', keeps: whole },
  { ...layer, name: 'attention', keeps: ['attention'], beforeAnother: true },
  { ...layer, name: 'mlp', layers: 'dense', keeps: ['mlp'] },
  { ...layer, name: 'experts', layers: 'sparse', keeps: ['mlp'] },
  { ...layer, name: 'block', keeps: whole },
  { ...layer, name: 'unembedding', place: 'head', keeps: whole },
]

const byName: ReadonlyMap<string, ComponentRow> = new Map(rows.map((row) => [row.name, row]))
const other: ComponentRow = { ...layer, name: 'other', keeps: whole }

/** What is no component of the tables is taken for a layer of its own. */
export function componentRow({ name }: { readonly name: string }): ComponentRow {
  return byName.get(name) ?? other
}
