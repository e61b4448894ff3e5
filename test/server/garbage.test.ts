import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { collectorFlags, collectWhenIdle } from '../../src/server/garbage.ts'
import { VirtualClock } from '../support/clock.ts'

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

describe('the memory of a burst', () => {
  const MB = 1_000_000
  /** A process of which each collection frees what stands next in `frees`. */
  const setUp = (frees: number[]) => {
    const clock = new VirtualClock(0)
    const process = { heldBytes: 40 * MB, cpuRatio: 0 }
    let collections = 0
    const stop = collectWhenIdle(
      clock,
      () => ({ ...process }),
      () => {
        collections++
        process.heldBytes -= frees.shift() ?? 0
      },
    )
    return { clock, process, stop, collections: () => collections }
  }

  it('is given back by an idle process in collections that go on for as long as they free much', () => {
    const { clock, process, collections } = setUp([30 * MB, 70 * MB])
    process.heldBytes = 180 * MB
    clock.advance(120_000)

    expect(process.heldBytes).toBe(80 * MB)
    expect(collections()).toBe(3)
  })

  it('stays while the process serves', () => {
    const { clock, process, collections } = setUp([100 * MB])
    Object.assign(process, { heldBytes: 150 * MB, cpuRatio: 0.3 })
    clock.advance(60_000)
    expect(collections()).toBe(0)

    process.cpuRatio = 0.01
    clock.advance(15_000)
    expect(collections()).toBe(0)
    clock.advance(5000)
    expect(collections()).toBe(1)
  })

  it('stays through pauses of up to 15 seconds, after which the next requests would compile their code again', () => {
    const { clock, process, collections } = setUp([100 * MB])
    process.heldBytes = 150 * MB
    for (let pause = 0; pause < 5; pause++) {
      clock.advance(15_000)
      process.cpuRatio = 0.3
      clock.advance(5000)
      process.cpuRatio = 0
    }
    expect(collections()).toBe(0)
  })

  it('is given back at once where it is much', () => {
    const { clock, process, collections } = setUp([130 * MB])
    process.heldBytes = 180 * MB
    clock.advance(5000)
    expect(collections()).toBe(1)
  })

  it('stays where it is little, and after the process closed', () => {
    const { clock, process, stop, collections } = setUp([100 * MB])
    process.heldBytes = 70 * MB
    clock.advance(120_000)
    process.heldBytes = 180 * MB
    stop()
    clock.advance(120_000)

    expect(collections()).toBe(0)
  })
})
