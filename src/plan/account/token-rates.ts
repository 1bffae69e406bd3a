/** Tokens a second of a plan, and what they cost. */
import { chipsAsked } from '../../hardware/cluster/cluster.ts'
import type { Plan } from '../plan.ts'
import type { Account } from './account.ts'
import { type CostedTokens, tokenCost } from './token-cost.ts'

type Rated = Pick<Account, 'mode' | 'setting' | 'seconds' | 'tokens'>

type TokenRates = Pick<
  Plan,
  'tokensPerSecond' | 'tokensPerSecondPerChip' | 'costPerMillionTokensUsd' | 'costedTokens'
>

const tokensCosted: Readonly<Record<Account['mode'], CostedTokens>> = {
  train: 'trained',
  prefill: 'prompt',
  generate: 'generated',
}

export function tokenRates({ mode, setting, seconds, tokens }: Rated): TokenRates {
  const { cluster } = setting
  const paid = chipsAsked(cluster)
  const tokensPerSecond = tokens / seconds
  return {
    tokensPerSecond,
    tokensPerSecondPerChip: tokensPerSecond / paid,
    ...tokenCost(cluster.chip, paid, tokensPerSecond, tokensCosted[mode]),
  }
}
