import { expect, it } from 'vitest'
import { contextTooLong } from '../../support/backend.ts'
import { codex } from '../setups/codex.ts'
import type { Setup } from '../support/agent.ts'
import { clientSuite } from '../support/installed.ts'
import { inTrouble, PNG, playLooking, playTwoCommands, remembered } from '../support/trouble.ts'

clientSuite({ registry: 'npm', name: '@openai/codex' }, () => {
  it('brings what the model thought back to it', () =>
    inTrouble(codex, { reasons: true }, ({ code, rig }) => {
      expect(code).toBe(0)
      expect(remembered(rig)).toContain('I have 0 results.')
    }))

  it('shows the message alone of a model that is not there', () =>
    inTrouble(codex, { model: 'no-such-model' }, ({ code, complaints }) => {
      expect(code).not.toBe(0)
      expect(complaints).toContain('no such model')
      expect(complaints).not.toContain('{"error"')
    }))

  it('says that a prompt is too long for the context', () =>
    inTrouble(codex, { first: [contextTooLong] }, ({ complaints }) => {
      expect(complaints).toContain("ran out of room in the model's context window")
    }))

  it('asks once for a model that its plan does not have', () =>
    inTrouble(codex, { plan: 'free' }, ({ complaints, rig }) => {
      // It shows nothing more of a 429.
      expect(complaints).toContain('429 Too Many Requests')
      expect(rig.test.log.map(({ status }) => status)).toEqual([429])
    }))

  it('runs two commands at once, whose arguments come interleaved', () =>
    inTrouble(codex, { plays: playTwoCommands }, ({ code, output }) => {
      expect(code).toBe(0)
      expect(output).toContain('They say said-one and said-two.')
    }))

  it('shows an image of its user to the model', () =>
    inTrouble(asked('--image=map.png'), { files: { 'map.png': PNG } }, ({ code, rig }) => {
      expect(code).toBe(0)
      expect(rig.backend.requests[0]?.rawBody).toContain('data:image/png;base64,')
    }))

  it('shows an image of its tool to the model', () =>
    inTrouble(
      codex,
      { files: { 'map.png': PNG }, plays: playLooking('view_image', 'path', 'map.png') },
      ({ output, rig }) => {
        expect(output).toContain('I have seen it.')
        expect(rig.backend.requests.at(-1)?.rawBody).toContain('data:image/png;base64,')
      },
    ))

  it('asks for an answer by a schema', () =>
    inTrouble(asked('--output-schema=form.json'), { files: { 'form.json': JSON.stringify(FORM) } }, ({ code, rig }) => {
      expect(code).toBe(0)
      expect(rig.backend.requests[0]?.body.response_format).toMatchObject({
        type: 'json_schema',
        json_schema: { schema: FORM },
      })
    }))
})

/** Codex with one more argument. */
const asked = (argument: string): Setup => ({
  ...codex,
  command: site => {
    const [program, ...args] = codex.command(site)
    return [program, ...args.slice(0, -1), argument, site.task]
  },
})

const FORM = {
  type: 'object',
  properties: { station: { type: 'string' } },
  required: ['station'],
  additionalProperties: false,
}
