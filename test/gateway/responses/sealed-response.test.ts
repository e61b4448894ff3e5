import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { assert, asyncProperty, nat, string } from 'fast-check'
import { expect, it } from 'vitest'
import { MOST_BYTES, NONCE_BYTES, Sealer } from '../../../src/gateway/responses/sealed-response.ts'

const [OLD, NEW] = ['old-'.padEnd(43, 'a'), 'new-'.padEnd(43, 'b')] as const
const mine = { account: 'acct_ada', id: 'resp_1' }
const textOf = (opened: Awaited<ReturnType<Sealer['open']>>) =>
  opened && 'pieces' in opened && { text: Buffer.concat(opened.pieces).toString(), bytes: opened.bytes }
const nonce = () => randomBytes(NONCE_BYTES)

it('whatever was sealed opens as it was', async () => {
  const sealer = new Sealer([NEW])
  await assert(
    asyncProperty(string({ unit: 'grapheme' }), async text => {
      expect(textOf(await sealer.open(mine, await sealer.seal(mine, text, nonce())))).toEqual({
        text,
        bytes: Buffer.byteLength(text),
      })
    }),
  )
})

it('nothing of the text can be read, and the same text is never sealed the same', async () => {
  const sealer = new Sealer([NEW])

  const [one, other] = await Promise.all([0, 1].map(() => sealer.seal(mine, 'the plan of attack', nonce())))

  expect(one?.toString('latin1')).not.toMatch(/plan|attack|ada|resp/)
  expect(one?.equals(other ?? Buffer.of())).toBe(false)
})

it('a text that repeats itself becomes small', async () => {
  expect((await new Sealer([NEW]).seal(mine, 'again '.repeat(100_000), nonce())).length).toBeLessThan(6000)
})

it('opens for no other account and under no other id', async () => {
  const sealer = new Sealer([NEW])
  const sealed = await sealer.seal(mine, 'text', nonce())

  for (const other of [
    { account: 'acct_bob', id: 'resp_1' },
    { account: 'acct_ada', id: 'resp_2' },
    { account: 'acct_adar', id: 'esp_1' },
  ])
    expect(await sealer.open(other, sealed)).toBeUndefined()
})

it('opens by no other key, and by the former one while it is named', async () => {
  const sealed = await new Sealer([OLD]).seal(mine, 'text', nonce())

  expect(await new Sealer([NEW]).open(mine, sealed)).toBeUndefined()
  expect(textOf(await new Sealer([NEW, OLD]).open(mine, sealed))).toEqual({ text: 'text', bytes: 4 })
  expect(await new Sealer([OLD]).open(mine, await new Sealer([NEW, OLD]).seal(mine, 'text', nonce()))).toBeUndefined()
})

it('one bit that changed anywhere, or an end that is missing, and it does not open', async () => {
  const sealer = new Sealer([NEW, OLD])
  const sealed = await sealer.seal(mine, 'a text of some words', nonce())

  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Buffer.from(sealed)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(await sealer.open(mine, changed)).toBeUndefined()
  }
  await assert(
    asyncProperty(nat(sealed.length - 1), async end => {
      expect(await sealer.open(mine, sealed.subarray(0, end))).toBeUndefined()
    }),
  )
})

it('a response that would unpack beyond the maximum size does not open', async () => {
  const key = Buffer.from(hkdfSync('sha256', NEW, '', 'svc-gateway: kept responses, form 1', 32))
  const [at, bomb] = [nonce(), deflateRawSync(Buffer.alloc(MOST_BYTES + 1))]
  const cipher = createCipheriv('aes-256-gcm', key, at).setAAD(Buffer.from(JSON.stringify(['acct_ada', 'resp_1'])))
  const sealed = Buffer.concat([Buffer.of(1), at, cipher.update(bomb), cipher.final(), cipher.getAuthTag()])

  expect(await new Sealer([NEW]).open(mine, sealed)).toBeUndefined()
})

it('takes room as its text grows, and is not inflated further once there is none', async () => {
  const text = 'a'.repeat(20_000_000)
  const sealer = new Sealer([NEW])
  const sealed = await sealer.seal(mine, text, nonce())
  expect(sealed.length).toBeLessThan(100_000)
  let held = 0
  const hold = (bytes: number) => {
    held += bytes
    return held > 1_000_000 ? ({ denial: { code: 'OVERLOADED', of: 'account_bodies' } } as const) : undefined
  }

  expect(await sealer.open(mine, sealed, hold)).toEqual({ denial: { code: 'OVERLOADED', of: 'account_bodies' } })
  expect(held).toBeLessThan(1_200_000)
  held = Number.NEGATIVE_INFINITY
  expect(textOf(await sealer.open(mine, sealed, hold))).toEqual({ text, bytes: text.length })
  const left = () => {
    throw new Error('the client left')
  }
  await expect(sealer.open(mine, sealed, left)).rejects.toThrow('the client left')
})
