import { expect, it } from 'vitest'
import { streamThenReset } from '../../support/backend.ts'
import { refusal } from '../../support/refusals.ts'
import { CLAUDE_CODE, claudeCode, LATER_CLAUDE_CODE } from '../setups/claude-code.ts'
import type { Setup } from '../support/agent.ts'
import { clientSuite } from '../support/installed.ts'
import { MODEL } from '../support/rig.ts'
import { inTrouble, PNG, playLooking, playTwoCommands, remembered } from '../support/trouble.ts'

clientSuite({ registry: 'npm', name: CLAUDE_CODE }, () => {
  const setup = claudeCode('ANTHROPIC_AUTH_TOKEN')

  it('says that there is an issue with a model that is not there', () =>
    inTrouble(setup, { model: 'no-such-model' }, ({ output }) => {
      expect(output).toContain('issue with the selected model')
    }))

  it('asks again for a whole answer where a stream was cut', () =>
    inTrouble(setup, { first: [streamThenReset({ chunks: ['Loo', 'king'] })] }, ({ code, rig }) => {
      expect(code).toBe(0)
      expect(rig.backend.requests.slice(0, 2).map(({ body }) => body.stream === true)).toEqual([true, false])
    }))
})

clientSuite({ registry: 'npm', name: LATER_CLAUDE_CODE }, () => {
  const setup = claudeCode('ANTHROPIC_AUTH_TOKEN', LATER_CLAUDE_CODE)

  it('says that there is an issue with a model that is not there, after two requests', () =>
    inTrouble(setup, { model: 'no-such-model' }, ({ output, rig }) => {
      expect(output).toContain('issue with the selected model')
      expect(rig.test.log.filter(({ status }) => status === 404)).toHaveLength(2)
    }))

  it('shows what its plan lacks, and asks no third time', () =>
    inTrouble(setup, { plan: 'free' }, ({ output, complaints, rig }) => {
      expect(output, complaints).toContain(`Plan free does not include ${MODEL}`)
      expect(rig.test.log.length).toBeLessThanOrEqual(2)
    }))

  it('runs two commands at once, whose arguments come interleaved', () =>
    inTrouble(setup, { plays: playTwoCommands }, ({ code, output }) => {
      expect(code).toBe(0)
      expect(output).toContain('They say said-one and said-two.')
    }))

  it('shows an image to the model', () =>
    inTrouble(
      setup,
      { files: { 'map.png': PNG }, plays: playLooking('Read', 'file_path', 'map.png') },
      ({ code, output, rig }) => {
        expect(code).toBe(0)
        expect(output).toContain('I have seen it.')
        expect(rig.backend.requests.at(-1)?.rawBody).toContain('data:image/png;base64,')
      },
    ))

  it('brings what the model thought back to it', () =>
    inTrouble(thinking(setup), { reasons: true }, ({ code, rig }) => {
      expect(code).toBe(0)
      expect(remembered(rig)).toContain('I have 0 results.')
    }))

  it('asks again for less where its cap is too large for the context', () =>
    inTrouble(setup, { first: [capTooLarge] }, ({ code, rig }) => {
      const caps = rig.backend.requests.map(({ body }) => Number(body.max_tokens ?? body.max_completion_tokens))
      expect(code).toBe(0)
      expect(caps[1]).toBeLessThan(caps[0] ?? 0)
    }))
})

const thinking = (setup: Setup): Setup => ({
  ...setup,
  env: site => ({ ...setup.env?.(site), MAX_THINKING_TOKENS: '4000' }),
})

/** In the words of vLLM. */
const capTooLarge = refusal(400, {
  message:
    "This model's maximum context length is 60000 tokens. However, you requested 70000 tokens (38000 in the messages, 32000 in the completion).",
  type: 'invalid_request_error',
  param: null,
  code: 400,
})
