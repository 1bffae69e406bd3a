/** Other names for keys about batches, lengths and limits. */
import type { OtherNames } from '../name.ts'

export const workloadKeys: OtherNames = {
  workload: 'task job work run training train inference serving generate prefill',
  mode: 'phase type kind task stage',
  batchTokens: `
    tokens globalBatchTokens tokensPerStep tokensPerBatch batchSizeTokens globalBatchSizeTokens
    globalTokens tokenBatchSize
  `,
  batchSequences: `
    batchSize batch bs gbs globalBatchSize globalBatch trainBatchSize sequences concurrency maxConcurrency
    maxNumSeqs maxRunningRequests maxBatchSize users requests numSequences prompts decodeBatchSize
  `,
  sequenceLength: `
    seqLen seqLength sequenceLen seq sequence seqlen contextLength contextLen context maxSequenceLength
    maxSeqLen maxTargetLength blockSize length ctx ctxLen promptLength
  `,
  contextLength: `
    seqLen seqLength sequenceLength sequenceLen context contextLen ctx ctxLen length maxModelLen maxSeqLen
    maxSequenceLength contextWindow kvLength kvLen cacheLength
  `,
  meanContextLength: 'averageContextLength avgContextLength meanContext avgContext',
  promptLength: `
    prompt promptLen promptTokens inputLength inputLen inputTokens isl prefillLength seqLen seqLength
    sequenceLength sequenceLen contextLength contextLen randomInputLen
  `,
  outputLength: `
    output outputLen outputTokens osl decodeLength decodeLen maxTokens maxNewTokens generationLength
    generatedTokens completionTokens randomOutputLen
  `,
  chunkTokens: 'chunkSize chunkedPrefillSize prefillChunk maxNumBatchedTokens chunk',
  cachedPrefixLength: 'prefix prefixLength cachedPrefix cachedTokens prefixCache',
  requestsPerSecond: 'rps qps requestRate rate load arrivalRate throughput',
  maxTimeToFirstTokenSeconds: 'ttft maxTtft ttftSeconds ttftSlo timeToFirstToken maxTimeToFirstToken',
  maxTimePerOutputTokenSeconds: `
    tpot maxTpot tpotSeconds tpotSlo itl tbt timePerOutputToken maxTimePerOutputToken interTokenLatency
  `,
  maxStepSeconds: 'latency maxLatency latencySeconds maxStepTime stepTime stepSeconds tpot itl slo',
  disaggregated: 'disaggregation disagg disaggregate pd splitwise separate',
  speculative: 'speculation spec speculativeDecoding speculativeConfig draft eagle medusa mtp',
  draftModel: 'draft drafter model speculativeModel',
  draftCostRatio: 'costRatio cost draftCost',
  acceptance: 'acceptanceRate acceptanceProbability accept alpha',
}
