import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Bench, startBench } from './bench.ts'

let bench: Bench
beforeEach(async () => {
  bench = await startBench()
  await bench.identity.verify(bench.forge())
})
afterEach(() => bench.close())

const foreign = () => bench.identity.verify(bench.forge({ header: { kid: randomUUID() } }))
/** Signing is slow, and what is refused is the kid. */
const burst = async (size: number): Promise<void> => {
  const [, ...rest] = bench.forge().split('.')
  const tokens = Array.from({ length: size }, () => {
    const header = JSON.stringify({ alg: 'RS256', typ: 'at+jwt', kid: randomUUID() })
    return [Buffer.from(header).toString('base64url'), ...rest].join('.')
  })
  const judged = await Promise.all(tokens.map(bench.identity.verify))
  expect(judged.every(one => 'problem' in one)).toBe(true)
}

test('a real token of rotated keys is accepted 5 s after the last read', async () => {
  const { clock, identity, oidc } = bench
  await oidc.rotate()
  const { accessToken } = await oidc.signIn('alice')

  clock.advance(4999)
  expect(await identity.verify(accessToken)).toHaveProperty('problem')
  clock.advance(1)
  expect(await identity.verify(accessToken)).toHaveProperty('account')
})

test('rotated keys are picked up within 10 s in a flood of foreign kids', async () => {
  const { clock, identity, oidc, forge } = bench
  clock.advance(7000)
  await foreign()
  await oidc.rotate()

  let seconds = 0
  while ('problem' in (await identity.verify(forge()))) {
    clock.advance(1000)
    seconds++
    await foreign()
  }

  expect(seconds).toBeLessThanOrEqual(10)
})

test('tokens of withdrawn keys are refused once the new ones are read', async () => {
  const { clock, identity, oidc, forge } = bench
  const before = forge()
  await oidc.rotate()
  clock.advance(5000)
  await identity.verify(forge())

  expect(await identity.verify(before)).toHaveProperty('problem')
})

test('the operator hears that the keys changed, once, with their ids', async () => {
  const { clock, identity, oidc, forge, alarms } = bench
  await oidc.rotate()

  for (let n = 0; n < 3; n++) {
    clock.advance(5000)
    await identity.verify(forge())
    await foreign()
  }

  const kids = oidc.keys.map(({ kid }) => kid)
  expect(alarms).toEqual([{ message: 'the identity provider changed its keys', issuer: oidc.issuer, kids }])
})

test('1,000 foreign kids in a burst cause one read, and none within the next 5 s', async () => {
  const { clock, reads } = bench
  clock.advance(5000)

  await burst(1000)
  expect(reads()).toBe(2)
  clock.advance(4999)
  await burst(1000)
  expect(reads()).toBe(2)
  clock.advance(1)
  await burst(1000)
  expect(reads()).toBe(3)
})

test('foreign kids cause one attempt per 5 s while the provider is down', async () => {
  const { clock, oidc } = bench
  await oidc.stop()
  clock.advance(5000)
  await burst(100)
  await oidc.start()

  const before = oidc.requests.length
  clock.advance(4999)
  await burst(100)
  expect(oidc.requests.length).toBe(before)
})

test('many tokens at once on a cold start cause one read', async () => {
  const { verify } = bench.open()
  const tokens = Array.from({ length: 20 }, () => bench.forge())

  const judged = await Promise.all(tokens.map(verify))

  expect(judged.filter(one => 'problem' in one)).toEqual([])
  expect(bench.reads()).toBe(2)
})
