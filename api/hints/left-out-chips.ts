/** Accelerators that people name and the catalogue leaves out, each with the reason. */
interface LeftOut {
  readonly named: RegExp
  readonly why: string
}

const leftOut: readonly LeftOut[] = [
  {
    named: /^(aws-?)?(trn|trainium|inf\d|inferentia)/,
    why: 'AWS Trainium and Inferentia are left out, as none of the frameworks that plans are written for runs on them as it is released',
  },
  {
    named: /gaudi|^hpu/,
    why: 'Intel Gaudi is left out, as none of the frameworks that plans are written for runs on it as it is released',
  },
  { named: /v100/, why: 'V100 is left out, as it has no bf16, which plans are costed in' },
  {
    named: /mi2[015]\d/,
    why: 'AMD MI200 is left out, as its dies are joined by links of unlike speed, which no tier of a network says',
  },
  {
    named: /ascend|910[bc]/,
    why: 'Ascend is left out, as none of the frameworks that plans are written for runs on it as it is released',
  },
]

/** Why a chip is left out, as the end of the sentence that its name is not known; empty for any other name. */
export function leftOutText(name: string): string {
  const row = leftOut.find(({ named }) => named.test(name.toLowerCase()))
  return row ? `; ${row.why}` : ''
}
