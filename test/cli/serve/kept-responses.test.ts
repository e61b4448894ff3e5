import { randomBytes } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { startBackend } from '../../support/backend.ts'
import { compileProgram } from '../program.ts'
import { filesOf, startSite, yamlOf } from '../site.ts'

const program = compileProgram()
afterAll(() => program.end())

it('a response whose last event was read outlives the gateway that is killed next', async () => {
  const backend = await startBackend()
  const dir = filesOf({
    'config.yaml': `${yamlOf(backend.url)}responses: { keep: 1h, key: "file:responses.key" }\n`,
    'responses.key': randomBytes(32).toString('base64'),
  })
  const first = await startSite(program, dir, 'config.yaml')
  const key = await first.key()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const ask = (url: string, body: object) =>
    fetch(`${url}/v1/responses`, { method: 'POST', headers, body: JSON.stringify({ model: 'svc-core', ...body }) })

  const { body } = await ask(first.url, { input: 'Remember', stream: true })
  let text = ''
  for await (const bytes of body ?? []) {
    text += Buffer.from(bytes).toString()
    if (text.includes('event: response.completed')) break
  }
  await first.gateway.end('SIGKILL')
  const second = await startSite(program, dir, 'config.yaml')

  const [, id = ''] = /"id":"(resp_[0-9a-f]+)"/.exec(text) ?? []
  const read = await fetch(`${second.url}/v1/responses/${id}`, { headers })
  expect(await read.json()).toMatchObject({ id, status: 'completed', store: true })
  expect((await ask(second.url, { input: 'And now?', previous_response_id: id })).status).toBe(200)
  expect(backend.requests.at(-1)?.body).toMatchObject({
    messages: [{ content: 'Remember' }, {}, { content: 'And now?' }],
  })
  await backend.close()
})
