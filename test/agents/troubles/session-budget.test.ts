import { describe, expect, it } from 'vitest'
import type { Script } from '../model/conversation.ts'
import { claudeCode, LATER_CLAUDE_CODE } from '../setups/claude-code.ts'
import { codex } from '../setups/codex.ts'
import { opencode } from '../setups/opencode.ts'
import type { Setup } from '../support/agent.ts'
import { type Client, clientSuite } from '../support/installed.ts'
import { inTrouble } from '../support/trouble.ts'

interface Agent {
  readonly client: Client
  readonly setup: Setup
  /** The refusal as a person reads it. Absent for an agent that repeats any 429 for a minute first. */
  readonly shows?: RegExp
}

const REFUSAL = /may send 4 requests [\s\S]* Retrying does not help: begin a new session\./
const npm = (name: string): Client => ({ registry: 'npm', name })

const AGENTS: readonly Agent[] = [
  {
    client: npm(LATER_CLAUDE_CODE),
    setup: claudeCode('ANTHROPIC_AUTH_TOKEN', LATER_CLAUDE_CODE),
    shows: REFUSAL,
  },
  // It shows the status and the id of any 429, and never its message.
  { client: npm('@openai/codex'), setup: codex, shows: /429 Too Many Requests, request id: req_\w+/ },
  { client: npm('opencode-ai'), setup: opencode('chat', '@ai-sdk/openai-compatible') },
]

const LAST_WORDS = 'The budget is spent: station.txt is still to be read.'

/** Runs a command in each turn. A model that heeds the gateway's notice of the last answer writes its last words. */
const playOn =
  (heeds: boolean): Script =>
  ({ tools, calls, results, asked }) => {
    const shell = tools.find(({ name }) => /^(bash|exec_command|shell)$/i.test(name))
    if (!shell) return { text: 'A station' }
    const told = [asked, ...results.map(({ text }) => text)].join('\n')
    if (heeds && told.includes('this is the last answer within the budget')) return { text: LAST_WORDS }
    const argument = 'cmd' in shell.properties ? 'cmd' : 'command'
    const values = { [argument]: `echo turn-${calls.length}`, description: 'as asked' }
    return { calls: [{ id: `call_${calls.length}`, name: shell.name, arguments: JSON.stringify(values) }] }
  }

describe.each(AGENTS)('a session that spent its budget', ({ client, setup, shows }) =>
  clientSuite(client, () => {
    if (shows)
      it('is refused once, and shown to the person', () =>
        inTrouble(setup, { plan: 'budgeted', plays: playOn(false) }, ({ output, complaints, rig }) => {
          expect(output + complaints).toMatch(shows)
          const refused = rig.test.log.filter(({ status }) => status !== 200)
          expect(refused.map(({ status, type }) => [status, type])).toEqual([[429, 'session_limit']])
          // The last turn is bounded, and every one before it is not.
          const caps = rig.backend.requests.map(({ body }) => Number(body.max_completion_tokens ?? body.max_tokens))
          expect(caps.map(cap => cap <= 2000)).toEqual([false, false, false, true])
        }))

    it('ends with words of its own where the model heeds the notice of the last turn', () =>
      inTrouble(setup, { plan: 'budgeted', plays: playOn(true) }, ({ code, output, rig }) => {
        expect(code).toBe(0)
        expect(output).toContain(LAST_WORDS)
        expect(rig.test.log.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      }))
  }),
)
