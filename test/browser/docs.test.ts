/** The docs page in a real browser, with the real search behind it: what somebody sees who has only the address. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadExamples } from '../../api/examples.ts'
import { openApiDocument } from '../../api/openapi/document.ts'
import { createPool } from '../../api/queue/pool.ts'
import { appWith } from '../http/service.ts'

const executablePath = '/usr/bin/chromium'
const missing = !existsSync(executablePath)
const title = missing ? `the docs page (skipped: no browser at ${executablePath})` : 'the docs page'

/** Without them the browser asks its maker for updates and the like. */
const quiet = [
  '--no-sandbox',
  '--headless=new',
  '--disable-gpu',
  '--disable-background-networking',
  '--no-first-run',
  '--disable-component-update',
  '--disable-sync',
]

describe.skipIf(missing)(title, () => {
  const pool = createPool({ threads: 1, maxQueue: 4, memoryMb: 1024 })
  const server = createServer(appWith({ search: pool }))
  let origin = ''
  let browser: Browser | undefined
  let page: Page
  let requested: string[] = []
  let complaints: string[] = []

  beforeAll(async () => {
    await pool.warm([])
    await once(server.listen(0, '127.0.0.1'), 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    browser = await chromium.launch({ executablePath, args: quiet })
  })
  afterAll(async () => {
    await browser?.close()
    server.closeAllConnections()
    server.close()
    await pool.close()
  })

  beforeEach(async () => {
    if (!browser) throw new Error('No browser was launched')
    requested = []
    complaints = []
    page = await browser.newPage()
    page.on('request', (request) => requested.push(request.url()))
    page.on('requestfailed', (request) => complaints.push(`${request.url()} failed`))
    page.on('pageerror', (error) => complaints.push(error.message))
    // A breach of the content security policy is written to the console as an error.
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    await page.goto(`${origin}/docs`)
  })
  afterEach(() => page.close())

  it('lists every operation of the contract', async () => {
    await page.locator('.opblock').first().waitFor()
    const shown = await page.locator('.opblock-summary-path').allInnerTexts()
    const paths = Object.entries(openApiDocument(loadExamples()).paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(() => path),
    )
    expect(shown.map(withoutBreaks).sort()).toEqual(paths.sort())
    expectNoComplaints()
  })

  it('is no wider than a phone, whatever is open, and dark where that is preferred', async () => {
    await page.setViewportSize({ width: 375, height: 800 })
    for (const id of ['plans-optimize', 'service-health']) {
      await page.locator(`#operations-${id} .opblock-summary-control`).click()
      await page.locator(`#operations-${id} .responses-table`).waitFor()
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    const light = await ground()
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(ground).not.toBe(light)
    expectNoComplaints()
  })

  it('opens an operation ready to be tried, sends the example that one picks, and shows its plans', async () => {
    const operation = page.locator('#operations-plans-optimize')
    await operation.locator('.opblock-summary-control').click()
    const body = operation.locator('textarea')
    const example = 'optimize-llama-3-8b-on-64-h100'
    await operation.locator('.examples-select-element').selectOption(example)
    expect(JSON.parse(await body.inputValue()).model).toBe('llama-3-8b')
    await operation.getByRole('button', { name: 'Execute' }).click()

    const answer = operation.locator('.live-responses-table')
    await answer.waitFor()
    expect(await answer.locator('tbody .response-col_status').innerText()).toContain('200')
    const { plans } = JSON.parse((await answer.locator('pre').first().textContent()) ?? '')
    expect(plans).toHaveLength(3)
    expect(plans[0]).toMatchObject({ rank: 1, feasible: true })
    expect(requested).toContain(`${origin}/optimize`)
    expectNoComplaints()
  })

  function expectNoComplaints(): void {
    expect(complaints).toEqual([])
    expect(requested.length).toBeGreaterThan(3)
    expect(requested.filter((url) => new URL(url).origin !== origin)).toEqual([])
  }
})

/** The page lets long paths break after their slashes, by characters of no width. */
function withoutBreaks(path: string): string {
  return path.replaceAll('\u200b', '')
}
