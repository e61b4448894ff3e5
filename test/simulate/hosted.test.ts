import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { load } from '../../src/config/load.ts'
import { claimsLine } from '../../src/policy/record.ts'
import { scenarioOf } from '../../src/simulate/scenario.ts'
import { simulate } from '../../src/simulate/simulation.ts'
import { linesIn, recordIn } from '../adapters/decisions/lines.ts'
import { says, Tools } from '../http/tools/fixture.ts'

let tools: Tools
afterEach(() => tools.close())

const LONG = `
routes:
  - { name: long, when: { input_tokens: { over: 60 } }, use: svc-ultra-pro }`
const start = () => Tools.start({ tools: '  lost: { mcp: "http://127.0.0.1:9/mcp" }', yaml: LONG })

const asking = (names: readonly string[], more: object = {}) => ({
  messages: [{ role: 'user', content: 'Hi' }],
  tools: names.map(name => ({ type: 'hosted', name })),
  ...more,
})

async function tried(body: ReturnType<typeof asking>, plan = 'pro') {
  const { dir, clock } = tools.test
  const result = load(join(dir, 'config.yaml'), { CLOUD_KEY: 'sk-cloud-secret-1234' }, dir)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  const scenario = scenarioOf(result.loaded.config, { now: clock.now(), plan, request: { body } })
  if (!scenario) throw new Error('nobody asks')
  return simulate(result.loaded, scenario)
}

it("a simulation of requests with described tools has the server's facts, claims and grants", async () => {
  tools = await start()
  const { test, key, backend } = tools
  backend.always(says({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
  const bodies = [
    asking(['calculator'], { model: 'svc-core' }),
    asking(['current_time', 'search'], { model: 'svc-core', max_tokens: 50 }),
    asking(['search', 'calculator', 'current_time'], { model: 'svc-core', n: 1 }),
    // Long by its tools alone, as far as routes go.
    asking(['search', 'calculator', 'current_time']),
    asking([]),
  ]
  for (const body of bodies) expect((await test.chat(key, body)).status).toBe(200)
  const simulations = await Promise.all(bodies.map(body => tried(body)))
  await test.gateway.close(0)

  const records = (await linesIn(join(test.dir, 'decisions'))).map(recordIn)
  expect(simulations.map(({ facts }) => facts?.request)).toEqual(records.map(({ facts }) => facts.request))
  for (const [n, { decision, admitted }] of simulations.entries()) {
    const { claims, granted, route } = records[n]?.outcome ?? {}
    expect(decision && !('denial' in decision) && claimsLine(decision.claims)).toEqual(claims)
    expect(admitted?.hold).toMatchObject({ ...granted })
    expect(decision && !('denial' in decision) && decision.route?.name).toBe(route)
  }
  expect(records.map(({ outcome }) => outcome.route)).toEqual([undefined, undefined, undefined, 'long', undefined])
})

it('tokens that only an MCP server knows are reported as missing, in one line below the body', async () => {
  tools = await start()
  const { steps, facts } = await tried(asking(['lost', 'calculator']))
  const { facts: known, steps: others } = await tried(asking(['calculator']))

  const body = steps.filter(({ stage }) => stage === 'body').map(({ text }) => text)
  expect(body).toEqual([
    expect.stringMatching(/^1 message, at most/),
    'not counted: the tokens that lost would add, which only the MCP server knows',
  ])
  expect(facts?.request.textBytes).toBeGreaterThanOrEqual(known?.request.textBytes ?? Number.NaN)
  expect(others.map(({ text }) => text).join()).not.toContain('not counted')
})

it('tools of a request that is refused anyway weigh nothing, as on the server', async () => {
  tools = await start()
  const { facts, denial } = await tried(asking(['search', 'calculator'], { model: 'svc-core' }), 'free')

  expect(denial).toMatchObject({ type: 'plan_limit', tool: 'search' })
  expect(facts?.request.textBytes).toBeLessThan(200)
})
