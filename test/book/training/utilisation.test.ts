import { meshSize, unitMesh } from '../../../src/sharding/axis.ts'
import { denseTrainFlops } from '../../rules-of-thumb.ts'
import { section } from '../case.ts'
import { sections } from '../coverage.ts'
import { day, ratesAt, trainingTime } from './utilisation.ts'
import { mostChips } from './v5p.ts'

section('time at a given utilisation', (hold) => {
  hold('tr-fsdp-llama70b', 'LLaMA 70B on as many v5p as its batch keeps busy', (input) => {
    const chips = mostChips(input('batch'))
    const [parameters, tokens] = [input('params'), input('tokens')]
    return {
      total_flops: denseTrainFlops(parameters, tokens),
      chips,
      days: trainingTime(parameters, tokens, chips, input('flops_per_s'), input('mfu')) / day,
    }
  })

  hold('tr-q3-steptime', 'a step of a 13B model on 4096 chips', (input) => ({
    step_s: trainingTime(input('params'), input('B'), input('chips'), input('flops_per_s'), input('mfu')),
  }))

  hold('gpu-quiz5-q2-2', 'LLaMA 70B on 4096 H100', (input) => {
    const parametersTimesTokens = input('flops') / denseTrainFlops(1, 1)
    const seconds = trainingTime(1, parametersTimesTokens, input('gpus'), input('C'), input('mfu'))
    return {
      effective_flops: input('gpus') / ratesAt(input('C'), input('mfu')).secondsPerFlop,
      seconds,
      days: seconds / day,
    }
  })

  for (const id of sections['time at a given utilisation'].filter((id) => id.startsWith('gpu-megatron'))) {
    hold(id, 'what Megatron reached of the peak, and on how many GPUs', (input) => {
      const mesh = { ...unitMesh, tensor: input('TP'), pipeline: input('PP'), data: input('DP') }
      const achieved = 1e12 * input('tflops_per_gpu')
      return { mfu: achieved * ratesAt(input('peak'), 1).secondsPerFlop, gpus: meshSize(mesh) }
    })
  }
})
