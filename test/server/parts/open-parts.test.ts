import { expect, it } from 'vitest'
import { OpenParts, opening, type Part } from '../../../src/server/parts/open-parts.ts'

/** A part that notes when it begins and ends to close. */
const noted = (log: string[], name: string, result?: boolean): Part => ({
  close: async () => {
    log.push(`${name} closes`)
    await Promise.resolve()
    log.push(`${name} is closed`)
    return result
  },
})

it('parts close in the reverse order of their opening, each once the one above it is closed', async () => {
  const log: string[] = []
  const parts = new OpenParts()
  for (const name of ['store', 'snapshots', 'listeners']) parts.add(noted(log, name))

  expect(await parts.close()).toBe(true)
  expect(log.filter(line => line.endsWith('closes'))).toEqual(['listeners closes', 'snapshots closes', 'store closes'])
  expect(log.indexOf('listeners is closed')).toBeLessThan(log.indexOf('snapshots closes'))
})

it('parts that opened beside each other close at the same time', async () => {
  const log: string[] = []
  const parts = new OpenParts()
  parts.add(noted(log, 'store'))
  parts.addBeside(noted(log, 'traces'))

  await parts.close()
  expect(log.slice(0, 2)).toEqual(['store closes', 'traces closes'])
})

it('where one part could not write everything, closing says so, and the others close all the same', async () => {
  const log: string[] = []
  const parts = new OpenParts()
  parts.add(noted(log, 'store', true))
  parts.add(noted(log, 'workers', false))

  expect(await parts.close()).toBe(false)
  expect(log).toContain('store is closed')
})

it('a part that fails to close leaves none below it open, and its failure is reported', async () => {
  const log: string[] = []
  const parts = new OpenParts()
  parts.add(noted(log, 'store'))
  parts.add({ close: () => Promise.reject(new Error('the archive is away')) })

  await expect(parts.close()).rejects.toThrow('the archive is away')
  expect(log).toContain('store is closed')
})

it('where a part does not open, those before it close, and the failure is that of the part', async () => {
  const log: string[] = []
  const started = opening(async parts => {
    parts.add(noted(log, 'store'))
    parts.add({ close: () => Promise.reject(new Error('another failure')) })
    throw new Error('the port is taken')
  })

  await expect(started).rejects.toThrow('the port is taken')
  expect(log).toContain('store is closed')
})

it('parts close once, however often they are asked to', async () => {
  const log: string[] = []
  const parts = new OpenParts()
  parts.add(noted(log, 'store'))

  await Promise.all([parts.close(), parts.close()])
  expect(log.filter(line => line === 'store closes')).toHaveLength(1)
})
