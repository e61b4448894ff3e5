import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'

let backend: Backend
let test: TestGateway
let key: string

const aliases = `aliases:
  claude-*: svc-core
  openai/gpt-oss-120b: svc-core
  qwen3:8b: svc-core
  sonnet[1m]: svc-core
`

beforeAll(async () => {
  backend = await startBackend()
  test = await startTestGateway({
    onprem: [backend],
    yaml: 'include: [aliases.yaml]',
    files: { 'aliases.yaml': aliases },
  })
  key = await test.key()
})

afterAll(async () => {
  await test.close()
  await backend.close()
})

describe('a client with a name of its own', () => {
  it.each(['claude-opus-5-5', 'openai/gpt-oss-120b', 'qwen3:8b', 'sonnet[1m]'])(
    'that asks for %s is served',
    async model => {
      const response = await test.chat(key, { model })

      expect(response.status).toBe(200)
      expect(backend.requests.at(-1)?.body).toMatchObject({ model: 'test-model' })
      await response.text()
    },
  )

  it.each(['gpt-5', 'openai/gpt-oss-20b'])('that no alias fits is refused: %s', async model => {
    expect(await (await test.chat(key, { model })).json()).toMatchObject({
      error: expect.stringContaining(`no such model \`${model}\``),
    })
  })
})

describe('the catalogue', () => {
  it.each([
    ['openai/gpt-oss-120b', 'openai/gpt-oss-120b'],
    ['openai%2Fgpt-oss-120b', 'openai/gpt-oss-120b'],
    ['qwen3%3A8b', 'qwen3:8b'],
    ['sonnet%5B1m%5D', 'sonnet[1m]'],
    ['sonnet[1m]', 'sonnet[1m]'],
    ['claude-opus-5-5', 'claude-opus-5-5'],
  ])('shows %s as %s', async (path, id) => {
    const response = await fetch(`${test.url}/v1/models/${path}`)

    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ id, name: id, display_name: id, alias_of: 'svc-core' })
  })

  it.each(['openai', 'openai/', 'openai/gpt-oss-20b', '%FF'])('does not know %s', async path => {
    const response = await fetch(`${test.url}/v1/models/${path}`)

    expect(response.status).toBe(404)
    expect(response.headers.get('x-svc-error-reason')).toBe('model_not_found')
  })

  it('lists no pattern, which is no name to ask for', async () => {
    const { data } = (await (await fetch(`${test.url}/v1/models`)).json()) as { data: readonly { id: string }[] }

    const ids = data.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining(['openai/gpt-oss-120b', 'qwen3:8b', 'sonnet[1m]', 'svc-auto']))
    expect(ids).not.toContain('claude-*')
  })
})
