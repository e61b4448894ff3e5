import { appendFile, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { Spool, type Spooled } from '../../../src/adapters/redis/spool.ts'
import { newDirectory } from './directory.ts'
import { holdOf } from './held.ts'

const refund = (requestId: string): Spooled => ({ refund: holdOf(requestId) })
const idOf = (entry: Spooled): string => ('refund' in entry ? entry.refund.requestId : entry.settle.hold.requestId)

function open(directory: string): Spool {
  const spool = new Spool(directory)
  onTestFinished(() => spool.close())
  return spool
}

async function drained(spool: Spool): Promise<string[]> {
  const told: string[] = []
  await spool.drain(async entry => {
    told.push(idOf(entry))
    return true
  })
  return told
}

it('what was added is told once, in order, by the process after a crash too', async () => {
  const directory = await newDirectory()
  const spool = open(directory)
  await Promise.all(['a', 'b', 'c'].map(id => spool.add(refund(id))))
  await spool.add(refund('d'))

  const next = open(directory)

  expect(next.pending).toBe(true)
  expect(await drained(next)).toEqual(['a', 'b', 'c', 'd'])
  expect(next.pending).toBe(false)
  expect(await drained(next)).toEqual([])
})

it('a drain that fails forgets nothing', async () => {
  const spool = open(await newDirectory())
  for (const id of ['a', 'b', 'c']) await spool.add(refund(id))
  const fail = async (entry: Spooled) => {
    if (idOf(entry) === 'b') throw new Error('the store is down')
    return true
  }

  await expect(spool.drain(fail)).rejects.toThrow('the store is down')
  await spool.add(refund('d'))

  expect(await drained(spool)).toEqual(['a', 'b', 'c', 'd'])
})

it('what is added during a drain is told by it', async () => {
  const spool = open(await newDirectory())
  await spool.add(refund('a'))
  const told: string[] = []

  await spool.drain(async entry => {
    told.push(idOf(entry))
    if (told.length < 4) await spool.add(refund(`${idOf(entry)}+`))
    return true
  })

  expect(told).toEqual(['a', 'a+', 'a++', 'a+++'])
})

it('a line that a crash cut short is no entry, and does not spoil the next one', async () => {
  const directory = await newDirectory()
  const spool = open(directory)
  await spool.add(refund('a'))
  await spool.close()
  await appendFile(join(directory, 'spool.ndjson'), '{"refund":{"requestId":"tor')

  const next = open(directory)
  await next.add(refund('b'))

  expect(await drained(next)).toEqual(['a', 'b'])
})

it('what cannot be told is kept aside for the operator', async () => {
  const directory = await newDirectory()
  const spool = open(directory)
  await spool.add(refund('a'))
  await spool.add(refund('b'))

  await spool.drain(async entry => idOf(entry) === 'b')

  expect(spool.pending).toBe(false)
  expect(await readdir(directory)).toEqual(['spool.refused.ndjson'])
  expect(JSON.parse(await readFile(join(directory, 'spool.refused.ndjson'), 'utf8'))).toMatchObject(refund('a'))
})

it('nothing that is added while a drain sets the file aside is lost, or refused', async () => {
  const spool = open(await newDirectory())
  const told: string[] = []
  const tell = async (entry: Spooled) => {
    told.push(idOf(entry))
    return true
  }

  const added: string[] = []
  for (let round = 0; round < 30; round++) {
    await spool.add(refund(`first_${round}`))
    const ids = Array.from({ length: 5 }, (_, index) => `${round}_${index}`)
    const adding = ids.map(async (id, index) => {
      for (let turns = 0; turns < index * 2; turns++) await setImmediate()
      await spool.add(refund(id))
    })
    await Promise.all([spool.drain(tell), ...adding])
    added.push(`first_${round}`, ...ids)
  }
  await spool.drain(tell)

  expect(told.toSorted()).toEqual(added.toSorted())
})

it('a line that is JSON and no entry is kept aside, and those behind it are told', async () => {
  const directory = await newDirectory()
  const spool = open(directory)
  await spool.add(refund('a'))
  await appendFile(join(directory, 'spool.ndjson'), '{}\n{"settle":{}}\nnull\n')
  await spool.add(refund('b'))

  expect(await drained(spool)).toEqual(['a', 'b'])
  expect(await readFile(join(directory, 'spool.refused.ndjson'), 'utf8')).toBe('{}\n{"settle":{}}\nnull\n')
})
