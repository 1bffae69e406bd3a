/**
 * GET /docs: the contract to read and to try, in Swagger UI from the package's own files. No request leaves the page's
 * origin, and the page has no inline script, so that a strict content policy can be used.
 */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { RequestHandler } from 'express'
import { ProblemError } from '../problems.ts'

const files = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

const served = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>shardplan</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

/** A column of links, of which the contract has none, would make the page wider than a phone. */
const style = `.swagger-ui .response-col_links { display: none }
.swagger-ui .responses-inner { overflow-x: auto }
`

const start = `const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', paint)
paint()
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
})
`

export const docsRoute: RequestHandler = (_request, response) => {
  response.type('html').send(page)
}

export const docsFileRoute: RequestHandler<{ file: string }> = ({ params: { file } }, response) => {
  if (file === 'start.js') response.type('text/javascript').send(start)
  else if (file === 'page.css') response.type('text/css').send(style)
  else if (served.includes(file)) response.sendFile(join(files, file), { maxAge: '1h', dotfiles: 'allow' })
  else throw new ProblemError('not-found', 'The docs have no such file.')
}
