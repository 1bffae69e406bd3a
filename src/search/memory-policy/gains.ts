/** Pairs of policies of which more layers of the leaner one may take less time: it does not only add to the work of the other (recipe/policy.ts). */
import type { Mix } from '../../cost/memory/stage-memory.ts'
import { rememberedOf } from '../../known.ts'
import { onlyAdds } from '../../recipe/policy.ts'
import type { PolicyRow } from '../../recipe/policy-row.ts'

/** Asked of such pairs as may be listed; of any where nothing says which. */
export function gainsAmong(
  policies: readonly PolicyRow[],
  isListed: (pair: Pick<Mix, 'policy' | 'other'>) => boolean = () => true,
): (policy: number, other: number) => boolean {
  const gains = byPair(policies)
  return (policy, other) => gains[policy]?.[other] === true && isListed({ policy, other })
}

const byPair = rememberedOf((policies: readonly PolicyRow[]) =>
  policies.map((policy) => policies.map((other) => !onlyAdds(policy, other))),
)
