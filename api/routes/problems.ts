/** GET /problems/{slug}: explains a `type` of error, as a page for people or as JSON. */
import type { RequestHandler } from 'express'
import { ProblemError, type ProblemKind, problems } from '../problems.ts'

export const problemRoute: RequestHandler<{ slug: string }> = (request, response) => {
  const { slug } = request.params
  if (!isSlug(slug)) throw new ProblemError('not-found', 'No such kind of problem.')
  const kind: ProblemKind = problems[slug]
  response.vary('accept')
  if (request.accepts(['json', 'html']) === 'html') response.type('html').send(page(slug, kind))
  else response.json({ type: `/problems/${slug}`, ...kind })
}

function isSlug(slug: string): slug is keyof typeof problems {
  return Object.hasOwn(problems, slug)
}

function page(slug: string, { title, status, help }: ProblemKind): string {
  const marked = help.replaceAll(/`([^`]+)`/g, '<code>$1</code>')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<h1>${title}</h1>
<p>HTTP status ${status}, type <code>/problems/${slug}</code></p>
<p>${marked}</p>
<p><a href="/docs">All routes and their errors</a></p>
</html>
`
}
