import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { collectorFlags } from '../../src/server/v8.ts'

const set = (flag: string) =>
  spawnSync(process.execPath, ['-e', `v8.setFlagsFromString('${flag}')`], { encoding: 'utf8' }).stderr

describe('what a gateway tells V8 of collections', () => {
  it.each(collectorFlags)('%s is known to this version of node, which else would complain and go on', flag => {
    expect(set(flag)).toBe('')
  })

  it('is checked by something that hears the complaint', () => {
    expect(set('--no-such-collector')).toContain('unrecognized flag')
  })
})
