import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Editor, startEditor } from './editor.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const policies = readdirSync(`${root}/policies`, { recursive: true, encoding: 'utf8' }).filter(file =>
  file.endsWith('.yaml'),
)
const textOf = (file: string) => readFileSync(`${root}/${file}`, 'utf8')

let editor: Editor
beforeAll(async () => {
  editor = await startEditor()
})
afterAll(() => editor.close())

/** Opens a shipped file, with other text if any is given. */
const open = (file: string, text = textOf(file)) => editor.open(pathToFileURL(`${root}/${file}`), text)

test.each(['config.example.yaml', ...policies.map(file => `policies/${file}`)])(
  'an editor has nothing against %s',
  async file => {
    expect((await open(file)).diagnostics).toEqual([])
  },
)

test('the fields of a plan are offered with what they mean', async () => {
  const plans = await open('policies/plans.yaml', `${textOf('policies/plans.yaml')}\n  fresh:\n    models: all\n    |`)

  const offered = await plans.completions()

  const fields = ['rpm', 'tpm', 'per_day', 'max_concurrent', 'monthly_usd', 'overage']
  expect([...offered.keys()]).toEqual(expect.arrayContaining(fields))
  expect(offered.get('tpm')).toBe('Prompt and completion tokens in any 60 seconds.')
  expect(offered.has('models')).toBe(false)
})

test('a field tells what it means when the mouse is over it', async () => {
  const plans = textOf('policies/plans.yaml').replace('monthly_usd', 'monthly|_usd')
  const main = textOf('config.example.yaml').replace('eject', 'ej|ect')

  const overPlan = await (await open('policies/plans.yaml', plans)).hover()
  const overMain = await (await open('config.example.yaml', main)).hover()

  expect(overPlan).toContain("by default a calendar month (UTC), at the models' prices.")
  expect(overMain).toContain('When to eject a failing replica, so that it receives no requests, and for how long.')
})

test('the fields of a limit are offered with what they mean, and a window that there is not is underlined', async () => {
  const shipped = textOf('policies/plans.yaml')
  const row = await open('policies/plans.yaml', `${shipped}    limits:\n      - tokens: 2M\n        |`)
  const wrong = await open('policies/plans.yaml', `${shipped}    limits:\n      - { tokens: 2M, per: days }\n`)

  const offered = await row.completions()

  expect([...offered.keys()]).toEqual(expect.arrayContaining(['per', 'of', 'model', 'usd']))
  expect(offered.get('images')).toBe('Generated images.')
  expect(wrong.diagnostics).toHaveLength(1)
})

test('an unknown field is underlined', async () => {
  const text = textOf('policies/plans.yaml').replace('monthly_usd', 'monthly_used')
  const line = text.split('\n').findIndex(each => each.includes('monthly_used'))

  const { diagnostics } = await open('policies/plans.yaml', text)

  expect(diagnostics).toContainEqual({ line: line + 1, message: 'Property monthly_used is not allowed.' })
})

test('the fields that are offered for a model fit its kind', async () => {
  const model = (kind: string) =>
    `${textOf('policies/models.yaml').split('aliases:')[0]}  fresh:\n    kind: ${kind}\n    |`
  const offered = async (kind: string) => [
    ...(await (await open('policies/models.yaml', model(kind))).completions()).keys(),
  ]

  const chat = await offered('chat')
  const embedding = await offered('embedding')
  const image = await offered('image')

  expect(chat).toEqual(expect.arrayContaining(['context', 'vision', 'thinking', 'usd_per_1m']))
  expect(chat).not.toContain('dimensions')
  expect(embedding).toEqual(expect.arrayContaining(['context', 'dimensions', 'usd_per_1m']))
  expect(embedding).not.toContain('vision')
  expect(image).toContain('usd_per_image')
  expect(image).not.toContain('context')
})

test('a field of another kind of model is underlined', async () => {
  const text = textOf('policies/embeddings.yaml').replace('context: 512', 'vision: true\n    context: 512')

  const { diagnostics } = await open('policies/embeddings.yaml', text)

  expect(diagnostics.map(({ message }) => message)).toEqual(['Property vision is not allowed.'])
})

test('the fields that are offered for a hosted tool fit its kind, and what is in one of another kind is underlined', async () => {
  const shipped = textOf('policies/tools.yaml')
  const offered = async (kind: string) => [
    ...(await (await open('policies/tools.yaml', `${shipped}\n  fresh:\n    ${kind}\n    |`)).completions()).keys(),
  ]

  expect(await offered('mcp: https://a/mcp')).toEqual(expect.arrayContaining(['tool', 'transport', 'key', 'max_calls']))
  expect(await offered('http: https://a/tool')).toEqual(expect.arrayContaining(['description', 'parameters', 'key']))
  expect(await offered('builtin: calculator')).not.toContain('transport')
  const { diagnostics } = await open(
    'policies/tools.yaml',
    `${shipped}\n  fresh:\n    builtin: calculator\n    tool: x\n`,
  )
  expect(diagnostics.map(({ message }) => message)).toEqual(['Property tool is not allowed.'])
})
