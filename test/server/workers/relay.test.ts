import { closeSync, openSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { FileOut } from '../../../src/server/log/line-out.ts'
import { relayLines } from '../../../src/server/workers/relay.ts'
import { VirtualClock } from '../../support/clock.ts'

/** Another process that sends text in pieces. */
function speaker(into: { write(lines: string): void }) {
  const from = new PassThrough()
  relayLines(from, into)
  const say = async (...pieces: readonly (string | Buffer)[]) => {
    for (const piece of pieces) {
      from.write(piece)
      await new Promise(setImmediate)
    }
  }
  const end = async () => {
    from.end()
    await new Promise(setImmediate)
  }
  return { say, end }
}

describe('lines of other processes', () => {
  let written: string
  const into = {
    write: (lines: string) => {
      written += `${lines}\n`
    },
  }
  beforeEach(() => {
    written = ''
  })

  it('stay whole and in the order of each, however their pieces come', async () => {
    const [one, other] = [speaker(into), speaker(into)]
    await one.say('one 1\none')
    await other.say('other 1\nother 2\noth')
    await one.say(' 2 goes', ' on', ' and on\n')
    await other.say('er 3\n')

    expect(written).toBe('one 1\nother 1\nother 2\none 2 goes on and on\nother 3\n')
  })

  it('keep characters that are cut in two, and empty lines', async () => {
    const bytes = Buffer.from('é\n\n雪\n')
    const one = speaker(into)
    await one.say(...Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))

    expect(written).toBe('é\n\n雪\n')
  })

  it('end with what a process said that was killed in the middle of one', async () => {
    const one = speaker(into)
    await one.say('whole\nha')
    await one.end()

    expect(written).toBe('whole\nha\n')
  })

  it('that a full disk does not take hold main up nowhere, and are counted beyond a bound', async () => {
    const fd = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(fd))
    const clock = new VirtualClock(0)
    const out = new FileOut(fd, { clock, most: 1000, enough: 0 })
    const one = speaker(out)
    const line = `${'x'.repeat(99)}\n`
    for (let n = 0; n < 50; n++) {
      await one.say(line.repeat(2))
      clock.advance(50)
    }

    expect(out.dropped).toBe(90)
    out.leave()
  })
})
