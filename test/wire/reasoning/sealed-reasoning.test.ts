import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type SignedThought,
  sealReasoning,
  unseal,
  unsealReasoning,
} from '../../../src/wire/reasoning/sealed-reasoning.ts'

it('marks what it seals', () => {
  expect(sealReasoning('A cat.')).toBe('svc1.QSBjYXQu')
})

it('has no U+0000, which would be a mark of a text that was left out', () => {
  expect(unsealReasoning(sealReasoning('a\0b\x000\0'))).toBe('ab0')
})

it('unseals what it sealed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      expect(unsealReasoning(sealReasoning(text))).toBe(text)
    }),
  )
})

it('keeps what backends signed beside the text, which is there once where it is the same', () => {
  const text = fc.string({ unit: 'grapheme' }).map(each => each.replaceAll('\0', ''))
  const thought = fc.oneof(
    fc.record({ type: fc.constant('thinking' as const), thinking: text, signature: text }),
    fc.record({ type: fc.constant('redacted_thinking' as const), data: text }),
    fc.record({ type: fc.constant('reasoning' as const), id: text, encrypted_content: text }),
  )
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }),
      fc.array<SignedThought>(thought, { minLength: 1, maxLength: 5 }),
      (own, signed) => {
        const seal = sealReasoning(own, signed)
        expect(unseal(seal)).toEqual({ text: own, signed })
      },
    ),
  )
  const long = 'x'.repeat(3000)
  const signed = [{ type: 'thinking', thinking: long, signature: 's' }] as const
  expect(sealReasoning(long, signed).length).toBeLessThan(4100)
  expect(unsealReasoning(sealReasoning(long, signed))).toBe(long)
})

it('keeps what backends signed of calls, and where they told their reasoning', () => {
  const calls = [
    { call: 'call_1', of: 'google', signature: 'CtcH/+==' },
    { call: 'call_2', of: 'litellm', signature: 'x' },
  ] as const
  const thought = { type: 'redacted_thinking', data: 'RdCt' } as const
  expect(unseal(sealReasoning('Hm.', [thought], { calls, field: 'reasoning' }))).toEqual({
    ...{ text: 'Hm.', signed: [thought], calls, field: 'reasoning' },
  })
  expect(unseal(sealReasoning('', [], { calls }))).toEqual({ text: '', signed: [], calls })
})

it('takes of a text that a client made up no more than a turn has, and nothing that is no thought', () => {
  const made = (text: string) => `svc1.${Buffer.from(text).toString('base64url')}`
  expect(unseal(made(`\0\0${'redacted_thinking\0x\0\0'.repeat(10_000)}`))?.signed).toHaveLength(256)
  expect(unseal(made('\0a\0image\0x\0y\0thinking\0x'))).toEqual({ text: 'a', signed: [] })
})

it('reads nothing that another service sealed, and nothing that is no text', () => {
  for (const other of ['gAAAAABo', '', 'svc2.QQ', null, 7, {}]) expect(unsealReasoning(other)).toBeUndefined()
})
