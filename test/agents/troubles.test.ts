import { describe, expect, it } from 'vitest'
import { type Behaviour, contextTooLong, streamThenReset } from '../support/backend.ts'
import { playWorkshop, TASK } from './model/workshop.ts'
import { CLAUDE_CODE, claudeCode } from './setups/claude-code.ts'
import { codex } from './setups/codex.ts'
import { opencode } from './setups/opencode.ts'
import { type Ended, makeSite, runAgent, type Setup } from './support/agent.ts'
import { clientSuite } from './support/installed.ts'
import { MODEL, type Rig, startRig } from './support/rig.ts'

interface Trouble {
  readonly model?: string
  readonly reasons?: boolean
  /** What the backend does with the first requests. */
  readonly first?: readonly Behaviour[]
}

/** One run of an agent, of which the checks look at what it showed and what the backend got. */
async function inTrouble(setup: Setup, trouble: Trouble, check: (ended: Ended, rig: Rig) => void): Promise<void> {
  const { work, home, remove } = makeSite()
  const { model = MODEL, reasons = false, first = [] } = trouble
  const rig = await startRig('translated', playWorkshop(work, { reasons }))
  rig.backend.next(...first)
  try {
    const { baseURL, key } = rig
    check(await runAgent(setup, { work, home, baseURL, key, model, task: TASK }), rig)
  } finally {
    await rig.close()
    remove()
  }
}

/** Reasoning that came back to the model, in any of its requests. */
const remembered = ({ model }: Rig): string[] => model.served.flatMap(({ conversation }) => conversation.reasoning)

clientSuite({ registry: 'npm', name: '@openai/codex' }, () => {
  it('brings what the model thought back to it', () =>
    inTrouble(codex, { reasons: true }, (ended, rig) => {
      expect(ended.code).toBe(0)
      expect(remembered(rig)).toContain('I have 0 results.')
    }))

  it('shows the message alone of a model that is not there', () =>
    inTrouble(codex, { model: 'no-such-model' }, ended => {
      expect(ended.code).not.toBe(0)
      expect(ended.complaints).toContain('no such model')
      expect(ended.complaints).not.toContain('{"error"')
    }))

  it('says that a prompt is too long for the context', () =>
    inTrouble(codex, { first: [contextTooLong] }, ended => {
      expect(ended.complaints).toContain("ran out of room in the model's context window")
    }))
})

clientSuite({ registry: 'npm', name: CLAUDE_CODE }, () => {
  const setup = claudeCode('ANTHROPIC_AUTH_TOKEN')

  it('says that there is an issue with a model that is not there', () =>
    inTrouble(setup, { model: 'no-such-model' }, ended => {
      expect(ended.output).toContain('issue with the selected model')
    }))

  it('asks again for a whole answer where a stream was cut', () =>
    inTrouble(setup, { first: [streamThenReset({ chunks: ['Loo', 'king'] })] }, (ended, rig) => {
      expect(ended.code).toBe(0)
      expect(rig.backend.requests.slice(0, 2).map(({ body }) => body.stream === true)).toEqual([true, false])
    }))
})

describe('OpenCode', () => {
  clientSuite({ registry: 'npm', name: 'opencode-ai' }, () => {
    it('makes its history shorter where a prompt is too long, and goes on', () =>
      inTrouble(opencode('chat', '@ai-sdk/openai-compatible'), { first: [contextTooLong] }, (ended, rig) => {
        expect(ended.code).toBe(0)
        expect(rig.model.served.length).toBeGreaterThan(0)
      }))
  })
})
