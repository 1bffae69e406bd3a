/** Other names for keys about element types, about what to search for, and about what a check requires. */
import type { OtherNames } from '../name.ts'

export const settingKeys: OtherNames = {
  variants: 'requests alternatives sides candidates',

  optimizer: 'optim optimiser',

  precision: 'dtype dataType quantization quant torchDtype precisions format',
  weights: 'weight params parameters weightDtype weightType storage model w',
  compute: 'activations activation matmul computeDtype math activationDtype a',
  kvCache: 'kv cache kvCacheDtype kvDtype kvCacheType',
  gradients: 'grad grads gradient gradReduceDtype gradDtype reduce',

  min: 'minimum least atLeast from gte ge lower low',
  max: 'maximum most atMost to lte le upTo upper high',

  objective: 'goal target metric optimizeFor optimize rankBy sortBy minimize',
  top: 'topK topN k n limit results maxResults plans count',
  timeoutMs: 'timeoutMillis timeoutMilliseconds deadlineMs maxMs',
  assumptions: 'assume assumption basis settings',
  frameworks: 'framework launcher launchers',

  fits: 'feasible fitsMemory',
  minMfu: 'mfu leastMfu',
  withinOfBest: 'regret maxRegret gap maxGap savesFraction maxSavesFraction',
  notBoundBy: 'bottleneck bottlenecks boundBy',
  launchableBy: 'launchable launcher launchers framework frameworks',
}
