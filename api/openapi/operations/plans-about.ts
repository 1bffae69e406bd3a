/** Descriptions of the operations on plans. */
import type { About } from './operation.ts'

export const optimize: About = {
  operationId: 'optimize',
  tag: 'plans',
  summary: 'Find the best sharding plans, ranked',
  description:
    'Searches all meshes of the chips and their placements, and answers the best `top` plans with predicted step time, ' +
    'MFU, memory, collectives and launch flags. If no plan fits, that is no error: `plans` is empty and ' +
    '`infeasible` says why.\n\n' +
    'The mode of the workload says what to run. `train`: one global step. `prefill`: a batch of prompts passes through the ' +
    'model once; plans have their time to first token. `generate`: one token for each sequence of a batch; beside the ' +
    'plans, `pareto` has latency against cost over all batch sizes. `serve`: deployments of both phases for requests that ' +
    'arrive at a rate, the cheapest first. Answers repeat the mode, which says what kind of plan they have.',
}

export const evaluate: About = {
  operationId: 'evaluate',
  tag: 'plans',
  summary: 'Cost one given plan',
  description:
    'A legal plan that does not fit is answered with `feasible: false` and all its numbers; for one that no ' +
    'framework could run the answer is a 422, whose `errors` point at the fields to change. In prefill and generation a plan may name layouts of the ' +
    'components; those that it leaves out are chosen. In mode `serve` the plan is a deployment, which is checked against the rate and latencies of the request. Instead of a plan you may send its launch command, `{"megatron": "torchrun …"}`, or config, `{"torchtitan": "<toml>"}`.',
}

export const validate: About = {
  operationId: 'validate',
  tag: 'plans',
  summary: 'Check a plan before it is launched, as in CI',
  description:
    'Checks a plan against the rules of what can be run, the memory budget and the requirements in `require`. Each check has ' +
    'the expected and the actual value, and the nearest changes with which it holds. The status is 200 even if checks fail; with `?failWith=422` ' +
    'it is then 422, so that `curl --fail` fails the job. With `Accept` the answer is JUnit XML, SARIF 2.1.0, or a table in plain text, Markdown or CSV.',
}

export const calibrate: About = {
  operationId: 'calibrate',
  tag: 'plans',
  summary: 'Set cost constants on your own measured runs',
  description:
    'Takes a few training runs, each as a request to /evaluate with its measured step time, and sets one to three cost constants to their ' +
    'most likely values. The fit starts from the assumed values (a prior) and tolerates outliers. The answer has the `assumptions` to send with further requests, ' +
    'the errors before and after, the error of each run when it is left out of the fit, and which runs do not fit the others.',
}

export const compare: About = {
  operationId: 'compare',
  tag: 'plans',
  summary: 'Compare plans or requests, and say why one takes longer',
  description:
    'Takes two to eight variants of a request. A variant with a `plan` or a launch file is costed as by /evaluate; for one without, the best plan is found as by ' +
    '/optimize. Each is compared with the first in step time, memory and cost, and the difference of the step times is split over the parts of ' +
    '`timeSeconds`, which add up to it. Deployments are compared by chips, rate and latencies.',
}

export const collective: About = {
  operationId: 'collective',
  tag: 'plans',
  summary: 'Time of one collective',
}
