/** Descriptions of the operations on plans. */
import type { About } from './operation.ts'

export const optimize: About = {
  operationId: 'optimize',
  tag: 'plans',
  summary: 'The best ways to lay a model out, ranked',
  description:
    'Searches all meshes and placements of the chips, and answers the best `top` of them with predicted step time, ' +
    'MFU, memory, collectives and launch flags. A request that nothing fits is no error: `plans` is empty then and ' +
    '`infeasible` says why.\n\n' +
    'The mode of the workload says what is to be run. `train`: one global step. `prefill`: prompts through the model ' +
    'once, each plan with its time to first token. `generate`: one token for each of a batch of sequences, and with the ' +
    'plans `pareto`, latency against cost over all batches. `serve`: deployments of both phases for requests that ' +
    'arrive at a rate, the cheapest first. Answers repeat the mode, which tells what kind of plan they have.',
}

export const evaluate: About = {
  operationId: 'evaluate',
  tag: 'plans',
  summary: 'What one given plan costs',
  description:
    'A plan that is legal and does not fit is answered with `feasible: false` and all its numbers; one that no ' +
    'framework could run is a 422 whose `errors` point at it. In prefill and generation a plan may name layouts of the ' +
    'components; those that it leaves out are chosen. In mode `serve` the plan is a deployment, held to the rate and the latencies of the request. In place of a plan there may be what launches it: `{"megatron": "torchrun …"}`, or a config, `{"torchtitan": "<toml>"}`.',
}

export const validate: About = {
  operationId: 'validate',
  tag: 'plans',
  summary: 'Is a plan fit to be launched? For CI',
  description:
    'Holds a plan to the rules of what can be run, to the memory budget and to what `require` asks: a check each, with ' +
    'what was expected, what is, and the nearest changes that would do. 200 either way; with `?failWith=422` a check ' +
    'that fails is a 422, so that `curl --fail` fails the job. `Accept` asks for JUnit XML, SARIF 2.1.0 or a table, plain or in Markdown.',
}

export const calibrate: About = {
  operationId: 'calibrate',
  tag: 'plans',
  summary: 'Constants set on your own measured runs',
  description:
    'Takes a few runs of training as /evaluate takes them, each with the step that was measured, and sets one to three of the ' +
    'constants that they are costed with: the most likely ones, held to what is assumed, with errors that one run cannot upset. Answers the `assumptions` to send ' +
    'along, the error before and after and of runs that were left out, and which run does not fit the others.',
}

export const compare: About = {
  operationId: 'compare',
  tag: 'plans',
  summary: 'Plans or requests side by side, and why one takes longer',
  description:
    'Two to eight variants of a request: with a `plan`, or a launch file, it is costed as /evaluate does; without one the best plan is found as ' +
    '/optimize does. Each is compared with the first: step time, memory and cost, and the difference of the steps shared out over the lines of ' +
    '`timeSeconds`, which add up to it. Deployments are compared by chips, rate and latencies.',
}

export const collective: About = {
  operationId: 'collective',
  tag: 'plans',
  summary: 'The time of one collective',
}
