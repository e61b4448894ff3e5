import { afterEach, beforeEach, expect, it } from 'vitest'
import { answer, stream } from '../../support/backend.ts'
import { BOTH, Dialects, eventsIn, named } from './fixture.ts'

let site: Dialects

beforeEach(async () => {
  site = await Dialects.start()
})

afterEach(() => site.close())

const messages = BOTH.find(({ path }) => path === 'messages')
if (!messages) throw new Error('no row of Messages')
const { body, answer: native, events } = messages

const CLAUDE_CODE = { 'user-agent': 'claude-cli/2.1.330 (external, sdk-cli)' }
const OTHER = { 'user-agent': 'Anthropic/JS 1.12.0' }

/** The model that an answer names, whole and streamed. */
async function modelsOf(model: string, headers: Readonly<Record<string, string>>): Promise<unknown[]> {
  const whole = (await (await site.ask('messages', body(model), headers)).json()) as { readonly model: string }
  const [start] = await eventsIn(await site.ask('messages', { ...body(model), stream: true }, headers))
  if (start?.[0] !== 'message_start') throw new Error('the stream does not begin with its message')
  return [whole.model, (start[1].message as { readonly model: string }).model]
}

it.each([
  ['Claude Code', CLAUDE_CODE, 'svc-core', 'svc-native'],
  ['any other client', OTHER, 'test-model', 'native-model'],
])('%s gets the name of the model that it keeps thoughts by', async (_name, headers, translated, passed) => {
  site.chats.next(answer({ content: 'hi' }), stream({ chunks: ['hi'] }))
  expect(await modelsOf('svc-core', headers)).toEqual([translated, translated])
  site.native.next(native, named(events))
  expect(await modelsOf('svc-native', headers)).toEqual([passed, passed])
})

it('nothing else of a native stream is changed for it', async () => {
  site.native.next(named(events))
  const heard = await eventsIn(await site.ask('messages', { ...body('svc-native'), stream: true }, CLAUDE_CODE))
  expect(heard.slice(1).map(([, data]) => data)).toEqual(events.slice(1))
})
