/**
 * Shows the first plans for questions that people ask, to be judged by an engineer: `npm run review` writes
 * docs/review.md. Facts come from answers; verdicts are written by hand (fixtures/review.json), each with the plan that
 * it was written about, so that changed plans are noticed.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { loadCatalogue } from '../../api/catalogue.ts'
import { optimizeRequest } from '../../api/schemas/optimize.ts'
import { optimizeBody, optimizeQuestion } from '../../api/worker/desk.ts'
import { optimized } from '../../api/worker/search-worker.ts'
import { endless } from '../../src/patience.ts'
import { percent, secondsText } from '../../src/plan/explain/figures.ts'
import { axes, type Mesh, matrixAxes } from '../../src/sharding/axis.ts'
import { questions } from './questions.ts'

interface Verdict {
  /** The summary of the plan that it is of. */
  readonly of: string
  /** What is run, where that is known beyond the recipes. */
  readonly run?: string
  readonly verdict: string
}

type Body = ReturnType<typeof optimizeBody>

const root = new URL('../../', import.meta.url)
const verdicts: Readonly<Record<string, Verdict>> = JSON.parse(
  readFileSync(new URL('fixtures/review.json', root), 'utf8'),
)
const catalogue = loadCatalogue()

const answers = questions.map(({ name, request }) => {
  const asked = optimizeRequest.parse(request)
  const question = optimizeQuestion(asked, catalogue)
  const body = optimizeBody(asked, question, optimized(question, endless))
  const section = sectionOf(name, body, verdicts[name])
  process.stderr.write(`${section}\n`)
  return { name, asked, body, section }
})

writeFileSync(
  new URL('docs/review.md', root),
  `# First plans, reviewed

What shardplan answers first to ${answers.length} questions, and what somebody who launches such runs would say about it. \`npm run review\` writes this
page from the answers of the service as it is; the verdicts are written by hand (\`fixtures/review.json\`).

| line | has |
|---|---|
| First | the first plan, and where nine of ten measured runs of its kind lay |
| Tied, Preferred, Slower | what is tied with it, which of the tied plans is preferred and why, and what is slower by how much |
| Published | published runs of the model on such chips: measured, and predicted at the same settings |
| Run | what people run, beyond the published runs above |
| Verdict | of the first plan, or of the plan in brackets where the first has changed since |

Verdicts: ${gradesText()}.

Of the training plans that are preferred, ${unusualText()}

${answers.map(({ section }) => section).join('\n')}`,
)

/** The first words of verdicts, with how many begin so. */
function gradesText(): string {
  const words = Object.values(verdicts).map(({ verdict }) => /^\w+/.exec(verdict)?.[0].toLowerCase() ?? '')
  return [...new Set(words)].map((word) => `${words.filter((own) => own === word).length} ${word}`).join(', ')
}

/** What nobody has published that it pays: a sequence of 8192 tokens or fewer over more than two chips, tensor parallelism beyond a node. */
function unusualText(): string {
  const trained = answers.flatMap(({ name, asked: { workload }, body }) => {
    const plan = body.plans.find(({ id }) => id === body.preferred?.id) ?? body.plans[0]
    return workload.mode === 'train' && plan && 'mesh' in plan
      ? [{ name, plan, length: workload.sequenceLength, system: body.hardware.chip.system }]
      : []
  })
  const cut = trained.filter(({ plan: { mesh }, length }) => mesh.context > 2 && length <= 8192)
  const across = trained.filter(({ plan: { placement }, system }) =>
    placement
      .filter(({ axis }) => matrixAxes.includes(axis))
      .some(({ on, physical }) => (system.kind === 'torus' ? on === 'dcn' : Math.max(...physical) > 0)),
  )
  const named = (all: typeof trained) =>
    all.length > 0 ? ` (${all.map(({ name }) => name).join('; ')})` : ''
  return `${cut.length} of ${trained.length} cut sequences of up to 8192 tokens into more than two pieces${named(cut)}, and ${across.length} have tensor parallelism beyond a node${named(across)}.`
}

function sectionOf(name: string, body: Body, verdict: Verdict | undefined): string {
  const [first] = body.plans
  if (!first) return `## ${name}\n\nNothing fits.\n`
  const lines = [
    `First: ${first.summary}; ${figures(first)}.`,
    ...others(body),
    ...('recipes' in body ? body.recipes.slice(0, 3).map(recipeText) : []),
    ...(verdict?.run ? [`Run: ${verdict.run}`] : []),
    ...(verdict
      ? [`**Verdict**${verdict.of === first.summary ? '' : ` (of ${verdict.of})`}: ${verdict.verdict}`]
      : []),
  ]
  return `## ${name}\n\n${lines.map((line) => `* ${line}`).join('\n')}\n`
}

function figures(plan: Body['plans'][number]): string {
  if ('requestsPerSecond' in plan)
    return `${plan.requestsPerSecond.toPrecision(3)} requests a second, ${secondsText(plan.timePerOutputTokenSeconds)} a token`
  const { stepTimeSeconds, mfu, uncertainty } = plan
  const [low = 0, high = 0] = uncertainty?.nineOfTenSeconds ?? []
  const band = uncertainty ? `, nine of ten ${secondsText(low)} to ${secondsText(high)}` : ''
  return `${secondsText(stepTimeSeconds)}${band}, MFU ${percent(mfu)}`
}

function others(body: Body): readonly string[] {
  const { preferred, plans } = body
  const tied = plans.slice(1).filter(({ againstFirst }) => againstFirst?.tied)
  const rest = plans.slice(1).filter(({ againstFirst }) => !againstFirst?.tied)
  const slower = (own: (typeof plans)[number]) =>
    `${cutText(own)} (+${percent(own.againstFirst?.slowerBy ?? 0)})`
  const chosen = plans.find(({ id }) => id === preferred?.id)
  return [
    ...(tied.length > 0 ? [`Tied: ${tied.map(slower).join(', ')}.`] : []),
    ...(preferred && chosen && chosen.rank > 1
      ? [`Preferred: ${cutText(chosen)}: ${preferred.reasons.join('; ')}.`]
      : []),
    ...(rest.length > 0 ? [`Slower: ${rest.slice(0, 3).map(slower).join(', ')}.`] : []),
  ]
}

function recipeText({
  software,
  release,
  chips,
  compute,
  plan,
  measured,
  predicted,
  batchSequences,
  sequenceLength,
}: Extract<Body, { readonly recipes: unknown }>['recipes'][number]): string {
  const time = (own: typeof measured | null) =>
    own?.stepTimeSeconds === undefined
      ? own?.mfu === undefined
        ? 'none'
        : `MFU ${percent(own.mfu)}`
      : secondsText(own.stepTimeSeconds)
  return `Published: ${software} ${release}, ${chips} chips, ${compute}, ${meshText(plan.mesh)}, ${batchSequences} sequences of ${sequenceLength}: ${time(measured)}, predicted ${time(predicted)}.`
}

function cutText(plan: Body['plans'][number]): string {
  return 'mesh' in plan ? meshText(plan.mesh) : plan.summary
}

function meshText(mesh: Mesh): string {
  const used = axes.filter((axis) => mesh[axis] > 1).map((axis) => `${axis} ${mesh[axis]}`)
  return used.join(' x ') || 'one chip'
}
