import { afterEach, beforeEach, expect, it } from 'vitest'
import { BETA_DIALECTS } from '../../../src/policy/backend-dialects.ts'
import { BOTH, Dialects } from './fixture.ts'

let site: Dialects

beforeEach(async () => {
  site = await Dialects.start()
})

afterEach(() => site.close())

const messages = BOTH.find(({ path }) => path === 'messages')
if (!messages) throw new Error('no row of Messages')
const { body, answer: native } = messages

const MEMBERS = BETA_DIALECTS.get('messages')?.members ?? new Map()

const VALUES: Readonly<Record<string, unknown>> = {
  context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
  output_format: { type: 'json_schema', schema: { type: 'object', properties: {} } },
}

/** `svc-beta` is at a pool that lets the feature through, `svc-native` at one that lets another one through. */
async function sentOf(member: string, model: string) {
  const value = VALUES[member]
  if (value === undefined) throw new Error(`no value of ${member}`)
  const name = `${MEMBERS.get(member)}2026-01-01`
  site.native.next(native)
  const response = await site.ask('messages', { ...body(model), [member]: value }, { 'anthropic-beta': name })
  expect(response.status, await response.text()).toBe(200)
  const [seen] = site.native.requests
  return {
    member: seen?.body[member],
    header: seen?.headers['anthropic-beta'],
    ignored: response.headers.get('x-svc-ignored-fields'),
    value,
    name,
  }
}

it.each([...MEMBERS.keys()])('%s goes to a pool with the name of its feature', async member => {
  const { header, name, value, ...sent } = await sentOf(member, 'svc-beta')
  expect(header).toBe(name)
  expect(sent).toEqual({ member: value, ignored: null })
})

it.each([...MEMBERS.keys()])(
  '%s is left out and named where the pool does not let the name of its feature through',
  async member => {
    const { header, member: sent, ignored } = await sentOf(member, 'svc-native')
    expect(header).toBeUndefined()
    expect(sent).toBeUndefined()
    expect(ignored).toBe(member)
  },
)
