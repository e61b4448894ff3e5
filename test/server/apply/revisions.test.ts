import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { KeptRevisions, REVISIONS_KEPT } from '../../../src/adapters/revisions/revisions.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const directory = () => temporaryFolder('svc-revisions')

async function open(at: string, alarms: string[] = []): Promise<KeptRevisions> {
  const kept = new KeptRevisions(at, (message, details) => alarms.push(`${message}: ${JSON.stringify(details)}`))
  onTestFinished(() => kept.written())
  await kept.open()
  return kept
}

const next = (revision: string) => ({
  ...{ revision, at: 1_795_255_200_000, by: 'operator', how: 'apply' as const },
  files: [{ file: 'config.yaml', text: `text of ${revision}` }],
})
const numbers = (kept: KeptRevisions) => kept.list().map(({ number }) => number)

it('kept revisions survive a restart with their texts, newest first', async () => {
  const at = directory()
  const kept = await open(at)
  for (const revision of ['a', 'b', 'a']) kept.keep(next(revision))
  await kept.written()
  const again = await open(at)

  expect(again.list()).toEqual(kept.list())
  expect(numbers(again)).toEqual([3, 2, 1])
  expect(await again.find(2)).toEqual({ ...next('b'), number: 2 })
  expect(await again.find(4)).toBeUndefined()
})

it('a revision applied twice in a row is kept once, with its first author', async () => {
  const at = directory()
  const kept = await open(at)
  kept.keep(next('a'))
  expect(kept.keep({ ...next('a'), by: 'watch' })).toMatchObject({ number: 1, by: 'operator' })
  await kept.written()

  expect((await open(at)).keep({ ...next('a'), by: 'start' })).toMatchObject({ number: 1, by: 'operator' })
  expect(readdirSync(at)).toEqual(['000001.json'])
})

it(`revision ${REVISIONS_KEPT + 1} takes the place of the first, and numbers go on`, async () => {
  const at = directory()
  const kept = await open(at)
  for (let count = 1; count <= REVISIONS_KEPT + 1; count++) kept.keep(next(`r${count}`))
  await kept.written()

  expect(readdirSync(at)).toHaveLength(REVISIONS_KEPT)
  expect(numbers(kept)).toEqual(Array.from({ length: REVISIONS_KEPT }, (_, index) => REVISIONS_KEPT + 1 - index))
  expect(await kept.find(1)).toBeUndefined()
  const again = await open(at)
  expect(numbers(again)).toEqual(numbers(kept))
  expect(again.keep(next('new')).number).toBe(REVISIONS_KEPT + 2)
})

const damages: readonly (readonly [string, (text: string) => string])[] = [
  ['empty', () => ''],
  ['cut short', text => text.slice(0, 60)],
  ['no JSON', () => 'x'],
  ['null', () => 'null'],
  ['a list', () => '[]'],
  ['without files', () => '{"number":2}'],
  ['with another text', text => text.replace('text of b', 'TEXT OF B')],
  ['with another name', text => text.replace('"by":"operator"', '"by":"somebody"')],
  ['that of another number', text => text.replace('"number":2', '"number":3')],
]

it.each(damages)('a revision that is %s is left out with an alarm, and the others stay', async (_, damage) => {
  const at = directory()
  const kept = await open(at)
  for (const revision of ['a', 'b', 'c']) kept.keep(next(revision))
  await kept.written()
  const path = join(at, '000002.json')
  writeFileSync(path, damage(readFileSync(path, 'utf8')))
  const alarms: string[] = []
  const again = await open(at, alarms)

  expect(numbers(again)).toEqual([3, 1])
  expect(alarms).toHaveLength(1)
  expect(alarms[0]).toContain('revision 2 is kept no more')
  expect(await again.find(2)).toBeUndefined()
  expect((await again.find(1))?.revision).toBe('a')
  expect(again.keep(next('d')).number).toBe(4)
})

it('a revision that is damaged while the gateway runs is not found, and told', async () => {
  const at = directory()
  const alarms: string[] = []
  const kept = await open(at, alarms)
  kept.keep(next('a'))
  kept.keep(next('b'))
  await kept.written()
  rmSync(join(at, '000001.json'))

  expect(await kept.find(1)).toBeUndefined()
  expect(alarms.join()).toContain('revision 1 is kept no more')
})

it('the newest being damaged, its number is not given again', async () => {
  const at = directory()
  const kept = await open(at)
  kept.keep(next('a'))
  kept.keep(next('b'))
  await kept.written()
  writeFileSync(join(at, '000002.json'), '')

  expect((await open(at)).keep(next('b')).number).toBe(3)
})

it('files of others are left alone', async () => {
  const at = directory()
  for (const name of ['notes.txt', '1.json', '000001.json.next', 'x000001.json']) writeFileSync(join(at, name), '')
  const alarms: string[] = []
  const kept = await open(at, alarms)

  expect([numbers(kept), alarms]).toEqual([[], []])
  expect(kept.keep(next('a')).number).toBe(1)
})

it('where nothing can be kept it is told, and known until the end of the process', async () => {
  const at = join(directory(), 'file')
  writeFileSync(at, '')
  const alarms: string[] = []
  const kept = await open(at, alarms)
  kept.keep(next('a'))
  await kept.written()

  expect(alarms.map(alarm => alarm.split(':')[0])).toEqual([
    'the revisions of before cannot be read',
    'a revision cannot be kept',
  ])
  expect(await kept.find(1)).toEqual({ ...next('a'), number: 1 })
})
