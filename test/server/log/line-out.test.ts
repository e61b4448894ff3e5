import { spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { FileOut, streamOut } from '../../../src/server/log/line-out.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { VirtualClock } from '../../support/clock.ts'

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}`)
const textOf = (lines: readonly string[]) => lines.map(line => `${line}\n`).join('')

describe('lines for a file', () => {
  let clock: VirtualClock
  let dir: string
  beforeEach(() => {
    clock = new VirtualClock(0)
    dir = mkdtempSync(join(tmpdir(), 'svc-lines-'))
    onTestFinished(() => removeFolder(dir))
  })

  function open({ path = join(dir, 'log'), flags = constants.O_CREAT | constants.O_WRONLY, most = 1e6, enough = 1e5 }) {
    const fd = openSync(path, flags)
    onTestFinished(() => closeSync(fd))
    return { fd, out: new FileOut(fd, { clock, most, enough }), written: () => readFileSync(path, 'utf8') }
  }

  it('are there within 50 ms, in their order', async () => {
    const { out, written } = open({})
    for (const line of numbered(10)) out.write(line)
    clock.advance(49)
    expect(written()).toBe('')

    clock.advance(1)
    await expect.poll(written).toBe(textOf(numbered(10)))
    out.write('later')
    const later = () => {
      clock.advance(50)
      return written()
    }
    await expect.poll(later).toBe(textOf([...numbered(10), 'later']))
  })

  it('are not waited for once they are many, or wanted at once', async () => {
    for (const [path, enough] of [
      ['many', 5000],
      ['at once', 0],
    ] as const) {
      const { out, written } = open({ path: join(dir, path), enough })
      const line = path.repeat(2000)
      out.write(line)
      await expect.poll(written).toBe(textOf([line]))
    }
  })

  it('are all written once a flush is over, also those that came during a write', async () => {
    const { out, written } = open({ enough: 0 })
    for (const line of numbered(1000)) out.write(line)
    await out.flush()

    expect(written()).toBe(textOf(numbered(1000)))
    await out.flush()
  })

  it('are written by a process that ends without a flush', () => {
    const { out, written } = open({})
    for (const line of numbered(10)) out.write(line)
    out.leave()

    expect(written()).toBe(textOf(numbered(10)))
  })

  it('that a full disk does not take hold nobody up: beyond a bound they are dropped and counted', async () => {
    const { out } = open({ path: '/dev/full', most: 1000, enough: 0 })
    for (let n = 0; n < 100; n++) {
      out.write('x'.repeat(99))
      clock.advance(50)
      await new Promise(setImmediate)
    }

    expect(out.dropped).toBe(90)
    out.leave()
  })

  it('wait for room, and are written whole and once when there is', async () => {
    // A pipe that does not wait takes a part of what it is given, then nothing, as a full disk does.
    const path = join(dir, 'pipe')
    spawnSync('mkfifo', [path])
    const { fd, out } = open({ path, flags: constants.O_RDWR | constants.O_NONBLOCK })
    const lines = numbered(20_000)
    for (const line of lines) out.write(line)
    const flushed = out.flush()
    let read = ''
    const chunk = Buffer.alloc(10_000)
    const more = () => {
      clock.advance(50)
      read += chunk.toString('latin1', 0, readSync(fd, chunk))
      return read.length
    }
    await expect.poll(more, { interval: 1 }).toBe(textOf(lines).length)
    await flushed

    expect(read).toBe(textOf(lines))
    expect(out.dropped).toBe(0)
  })
})

describe('lines for a pipe', () => {
  function open(options: { atOnce?: boolean } = {}) {
    const written: string[] = []
    const stream = new Writable({
      write: (chunk, _, done) => {
        written.push(String(chunk))
        done()
      },
    })
    return { stream, written, out: streamOut(stream, { most: 1000, ...options }) }
  }

  it('share a write where they come in one turn of the event loop', async () => {
    const { written, out } = open()
    for (const line of numbered(3)) out.write(line)
    expect(written).toEqual([])

    await new Promise(setImmediate)
    out.write('next')
    await out.flush()
    expect(written).toEqual([textOf(numbered(3)), 'next\n', ''])
  })

  it('are written at once where that is wanted', () => {
    const { written, out } = open({ atOnce: true })
    for (const line of numbered(2)) out.write(line)

    expect(written).toEqual(['line 0\n', 'line 1\n'])
  })

  it('whose reader leaves in that turn are counted as dropped', async () => {
    const { stream, written, out } = open()
    for (const line of numbered(3)) out.write(line)
    stream.destroy()
    await out.flush()

    expect([written, out.dropped]).toEqual([[], 3])
  })

  it('are bounded while they are gathered, too', () => {
    const { out } = open()
    for (let n = 0; n < 30; n++) out.write('x'.repeat(99))

    expect(out.dropped).toBe(20)
  })
})
