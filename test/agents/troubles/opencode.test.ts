import { expect, it } from 'vitest'
import { contextTooLong } from '../../support/backend.ts'
import { HELLO, STATION } from '../model/workshop.ts'
import { opencode } from '../setups/opencode.ts'
import { clientSuite } from '../support/installed.ts'
import { inTrouble } from '../support/trouble.ts'

clientSuite({ registry: 'npm', name: 'opencode-ai' }, () => {
  it('has its history told shorter where a prompt is too long, and goes on', () =>
    inTrouble(opencode('chat', '@ai-sdk/openai-compatible'), { onResult: contextTooLong }, ({ output, rig, read }) => {
      const asked = rig.model.served.map(({ conversation }) => conversation)
      const compaction = asked.findIndex(({ tools, asked: text }) => tools.length === 0 && text.includes(STATION))
      expect(asked[compaction]?.asked).toContain('conversation so far')
      // It begins again with the summary, in place of the call and its result.
      expect(asked[compaction + 1]?.results).toEqual([])
      expect(asked[compaction + 1]?.tools).not.toEqual([])
      expect(output).toContain(`hello.txt names the station ${STATION}`)
      expect(read('hello.txt').trim()).toBe(HELLO.trim())
    }))
})
